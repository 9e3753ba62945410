// The sheet beside a tab that shows one thing from inside the goal. What it shows is in the address (`?see=KIND/ID`),
// so that it can be linked to, and the back button closes it.

import { soon } from "./soon.js";
import { localTimes, reconcile } from "./pieces.js";
import { fragment } from "./send.js";

const root = document.getElementById("goal");
const sheet = document.getElementById("sheet");
const body = document.getElementById("sheetbody");
const narrow = matchMedia("(max-width: 900px)");
let opener = null;

const shown = () => new URLSearchParams(location.search).get("see") ?? "";
const address = (see) => `${root.dataset.inside}${see}/`;

export function see(what, from = document.activeElement) {
  if (what === shown()) return;
  if (what) opener = from;
  const url = new URL(location.href);
  if (what) url.searchParams.set("see", what);
  else url.searchParams.delete("see");
  history.pushState(null, "", url);
  show(true);
}

export const refreshSheet = soon(async () => {
  if (shown() && !sheet.hidden) reconcile(body, await fragment(address(shown())));
}, 300);

async function show(focus) {
  const what = shown();
  root.classList.toggle("looking", Boolean(what));
  document.getElementById("view").inert = Boolean(what) && narrow.matches;
  sheet.hidden = !what;
  root.dispatchEvent(new CustomEvent("see", { detail: what }));
  if (!what) {
    body.replaceChildren();
    return opener?.isConnected && opener.focus({ preventScroll: true });
  }
  document.getElementById("sheetpage").href = address(what);
  body.setAttribute("aria-busy", "true");
  if (!body.firstChild) body.textContent = "Reading…";
  const html = await fragment(address(what)).catch((error) => {
    const told = document.createElement("p");
    told.className = "refused";
    told.textContent = error.message;
    return told.outerHTML;
  });
  if (what !== shown()) return;
  body.removeAttribute("aria-busy");
  body.innerHTML = html;
  body.scrollTop = 0;
  localTimes(body);
  if (focus) sheet.focus({ preventScroll: true });
}

// A link to something inside opens in the sheet; with a modifier key it stays a link.
function intercept(event) {
  const link = event.target.closest("a[data-see]");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  see(link.dataset.see, sheet.contains(link) ? opener : link);
}

export function sheets() {
  root.addEventListener("click", intercept);
  document.getElementById("sheetclose").addEventListener("click", () => see(""));
  addEventListener("popstate", () => show(false));
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && shown() && !event.defaultPrevented) see("");
  });
  narrow.addEventListener("change", () => (document.getElementById("view").inert = Boolean(shown()) && narrow.matches));
  if (shown()) show(false);
}
