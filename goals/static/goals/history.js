// The events tab: filters, earlier pages as one scrolls down, and new events as they come.

import { follow } from "./goal.js";
import { localTimes, reconcile } from "./pieces.js";
import { fragment } from "./send.js";
import { sheets } from "./sheet.js";
import { soon } from "./soon.js";

const events = document.getElementById("events");
const view = document.getElementById("view");
const fresh = document.getElementById("fresh");
const form = document.getElementById("filter");
const KEPT = ["q", "kind", "actor"];
let waiting = 0;

function address(before = "") {
  const query = new URLSearchParams();
  for (const name of KEPT) if (form.elements[name].value.trim()) query.set(name, form.elements[name].value.trim());
  if (before) query.set("before", before);
  return `${events.dataset.url}${query.size ? `?${query}` : ""}`;
}

const load = soon(async () => {
  waiting = 0;
  fresh.hidden = true;
  reconcile(events, await fragment(address()));
  view.scrollTop = 0;
  settle();
}, 150);

// Earlier events come as one reaches the end, and at a click.
const ahead = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && more(), {
  root: view,
  rootMargin: "800px",
});
let busy = false;
async function more() {
  const rest = document.getElementById("e-rest");
  if (!rest || busy) return;
  busy = true;
  try {
    const html = await fragment(address(rest.dataset.before));
    const last = rest.previousElementSibling;
    const isFocused = rest.contains(document.activeElement);
    rest.insertAdjacentHTML("beforebegin", html);
    if (isFocused) last?.nextElementSibling?.querySelector("article")?.focus({ preventScroll: true });
    rest.remove();
    settle();
  } finally {
    busy = false;
  }
}

function settle() {
  localTimes(events);
  ahead.disconnect();
  const rest = document.getElementById("e-rest");
  if (rest) ahead.observe(rest);
  document.getElementById("nothing").hidden = events.children.length > 0;
}

// New events come by themselves while one looks at the newest; else a button says how many there are.
function changed(frame) {
  if (!frame) return;
  waiting += 1;
  if (view.scrollTop < 40 && !new URLSearchParams(location.search).has("before")) return load();
  fresh.textContent = `${waiting} new`;
  fresh.hidden = false;
}

function filter() {
  const see = new URLSearchParams(location.search).get("see");
  const url = new URL(address(), location.href);
  if (see) url.searchParams.set("see", see);
  history.replaceState(history.state, "", url);
  load();
}

fresh.addEventListener("click", filter);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  filter();
});
form.addEventListener("input", filter);
events.addEventListener("click", (event) => {
  if (!event.target.closest("[data-rest]")) return;
  event.preventDefault();
  more();
});
// Page Up and Page Down go from event to event (the feed pattern).
events.addEventListener("keydown", (event) => {
  const step = { PageDown: 1, PageUp: -1 }[event.key];
  const all = [...events.querySelectorAll("article")];
  const at = all.indexOf(event.target.closest("article"));
  if (!step || at < 0) return;
  event.preventDefault();
  all[at + step]?.focus();
});

settle();
document.getElementById(location.hash.slice(1))?.classList.add("meant");
sheets();
follow(changed);
