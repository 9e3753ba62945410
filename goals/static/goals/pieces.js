// Pieces of the page: an element with an id and a version. Only what has changed is replaced, so that what a person
// is typing, reading or focusing stays as it is.

import { holdFocus } from "./focus.js";
import { keyOfField, keyOfFold, keyOfForm } from "./keys.js";

export function reconcile(container, html) {
  const focusAgain = holdFocus(container);
  const fresh = parse(html);
  const wanted = new Set(fresh.map((node) => node.id));
  for (const node of [...container.children]) {
    if (!wanted.has(node.id) && !("older" in node.dataset) && node.id !== "draft") node.remove();
  }
  let place = [...container.children].find((node) => !("older" in node.dataset)) ?? null;
  for (const node of fresh) {
    const known = document.getElementById(node.id);
    let shown = known && container.contains(known) ? known : null;
    if (shown?.dataset.v !== node.dataset.v) {
      if (shown) {
        carry(shown, node);
        if (shown === place) place = node;
        shown.replaceWith(node);
        shown = node;
      } else {
        shown = node;
      }
    }
    if (shown === place) place = place.nextElementSibling;
    else container.insertBefore(shown, place);
  }
  const draft = document.getElementById("draft");
  if (draft) container.append(draft);
  localTimes(container);
  focusAgain();
}

// A page of earlier pieces, which `reconcile` leaves alone.
export function paged(html, before) {
  const page = document.createElement("div");
  page.className = "page";
  page.dataset.older = "";
  page.dataset.before = before;
  page.append(...parse(html));
  localTimes(page);
  return page;
}

export function localTimes(container) {
  for (const time of container.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.dateTime);
    time.dataset.local = "";
    time.textContent = at.toDateString() === new Date().toDateString() && !("day" in time.dataset) ? clock(at) : day(at);
    time.title = at.toLocaleString();
  }
}

function clock(at) {
  return at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

function day(at) {
  return at.toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return [...template.content.children];
}

// What was typed into a piece, what was unfolded and what is being sent survive its replacement.
// (Whether what a message was taken for lies open is the site's word: the latest alone does.)
function carry(from, to) {
  const open = new Set([...from.querySelectorAll("details[open]:not(.taken)")].map(keyOfFold));
  for (const fold of to.querySelectorAll("details")) if (open.has(keyOfFold(fold))) fold.open = true;
  for (const form of from.querySelectorAll("form[data-busy]")) {
    const twin = [...to.querySelectorAll("form")].find((one) => keyOfForm(one) === keyOfForm(form));
    if (twin) twin.dataset.busy = "";
  }
  const twins = new Map([...to.querySelectorAll(TYPED)].map((field) => [keyOfField(field), field]));
  for (const field of from.querySelectorAll(TYPED)) {
    const twin = twins.get(keyOfField(field));
    if (!twin) continue;
    if (field.type === "checkbox" || field.type === "radio") twin.checked = field.checked;
    else if (field.type === "file") twin.files = field.files;
    else if (field.tagName === "SELECT" || field.value !== field.defaultValue) twin.value = field.value;
  }
}

const TYPED = "input[name]:not([type=hidden]), textarea[name], select[name]";
