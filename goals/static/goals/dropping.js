// Files that are dragged over the page can be dropped anywhere on it; a paste into the message box brings them, too.

import { filesOf } from "./attachments.js";

export function dropping(page, box, take) {
  let depth = 0;
  const mark = (by) => {
    depth = Math.max(0, depth + by);
    page.classList.toggle("dropping", depth > 0);
  };
  const brings = (event) => event.dataTransfer?.types.includes("Files");
  page.addEventListener("dragenter", (event) => brings(event) && mark(1));
  page.addEventListener("dragleave", (event) => brings(event) && mark(-1));
  page.addEventListener("dragover", (event) => brings(event) && event.preventDefault());
  page.addEventListener("drop", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    depth = 0;
    mark(0);
    take(filesOf(event.dataTransfer));
  });
  box.addEventListener("paste", (event) => {
    const files = filesOf(event.clipboardData);
    if (!files.length || event.clipboardData.getData("text/plain")) return; // a table's picture beside its text
    event.preventDefault();
    take(files);
  });
}
