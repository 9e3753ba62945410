// A sheet over the page with one fragment in it, which is kept as the site has it for as long as it is open.

import { reconcile } from "./pieces.js";
import { fragment } from "./send.js";

const dialog = document.createElement("dialog");
const body = document.createElement("div");
const close = document.createElement("button");
let url = "";

dialog.className = "over";
dialog.setAttribute("aria-label", "Details");
close.type = "button";
close.className = "icon over-close";
close.setAttribute("aria-label", "Close");
close.append(icon("cross"));
close.addEventListener("click", () => dialog.close());
dialog.append(close, body);
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
dialog.addEventListener("close", () => body.replaceChildren());
document.body.append(dialog);

export async function openDialog(address) {
  url = address;
  const html = await fragment(url);
  body.replaceChildren();
  reconcile(body, html);
  if (!dialog.open) dialog.showModal();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-dialog]");
  if (button) openDialog(button.dataset.dialog).catch((error) => console.info("not opened:", error.message));
});

document.addEventListener("goalsite:changed", async () => {
  if (!dialog.open) return;
  const asked = url;
  const html = await fragment(asked).catch(() => "");
  if (html && dialog.open && asked === url) reconcile(body, html);
});

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("class", "i");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}
