// The chat page: keeps the conversation, the goal and the list as the site has them, and sends what a person does.

import { composer } from "./composer.js";
import { copies } from "./copy.js";
import { keepDrafts } from "./drafts.js";
import { drawers } from "./drawers.js";
import { forms } from "./forms.js";
import { Live, soon } from "./live.js";
import { localTimes, prepend, reconcile } from "./pieces.js";
import { fragment, post } from "./send.js";

const app = document.getElementById("app");
const { csrf, conversation } = app.dataset;
const scroll = document.getElementById("scroll");
const timeline = document.getElementById("timeline");
const panel = document.getElementById("panel");
const list = document.getElementById("list");
const toast = document.getElementById("toast");

const refreshTimeline = soon(async () => {
  const atEnd = isAtEnd();
  reconcile(timeline, await fragment(app.dataset.timeline));
  if (atEnd) toEnd();
});
const refreshPanel = soon(async () => {
  reconcile(panel, await fragment(app.dataset.panel + location.search));
  tellState();
}, 120);
const refreshList = soon(async () => {
  reconcile(list, await fragment(app.dataset.list));
  markCurrent();
}, 400);
const refresh = () => {
  refreshTimeline();
  refreshPanel();
  refreshList();
};

function isAtEnd() {
  return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
}

function toEnd() {
  scroll.scrollTop = scroll.scrollHeight;
}

function tellState() {
  const words = document.getElementById("p-head")?.dataset.short;
  const button = app.querySelector(".goalbutton");
  if (button) button.querySelector("span").textContent = words ?? "Goal";
}

function markCurrent() {
  for (const link of list.querySelectorAll("a")) {
    const current = link.parentElement.id === `c-${conversation}`;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

let toastTimer = 0;
function say(text) {
  clearTimeout(toastTimer);
  toast.textContent = text;
  toast.hidden = false;
  toastTimer = setTimeout(() => (toast.hidden = true), 7000);
}

// -- what the site tells ------------------------------------------------------------------------------------------

function take(frame) {
  if (frame.type === "token") return draft(frame);
  if (frame.type === "error") return say(frame.message);
  if (frame.type === "message" && frame.role !== "user") document.getElementById("draft")?.remove();
  if (frame.type === "message" || frame.type === "resync" || /^(goal|question)\./.test(frame.kind)) refreshList();
  refreshTimeline();
  if (frame.type !== "message") refreshPanel();
}

// A reply while it is written: plain text, until the whole message takes its place.
function draft(frame) {
  let node = document.getElementById("draft");
  const atEnd = isAtEnd();
  if (!node) {
    node = document.createElement("div");
    node.id = "draft";
    node.className = "piece assistant draft";
    node.setAttribute("aria-hidden", "true");
    timeline.append(node);
  }
  node.textContent = frame.index === 0 ? frame.text : node.textContent + frame.text;
  if (atEnd) toEnd();
}

function up() {
  app.dataset.live = "up";
  refresh();
}

function down() {
  app.dataset.live = "down";
}

// -- what a person does -------------------------------------------------------------------------------------------

forms({
  csrf,
  onDone: (told) => {
    if (told.said) say(told.said);
    refresh();
  },
  onRefused: say,
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-earlier]");
  if (!button) return;
  const height = scroll.scrollHeight;
  const html = await fragment(`${app.dataset.timeline}?before=${button.dataset.earlier}`);
  button.closest(".piece").remove();
  prepend(timeline, html);
  scroll.scrollTop += scroll.scrollHeight - height;
});

composer(document.getElementById("composer"), async (data) => {
  const told = await post(document.getElementById("composer").getAttribute("action"), data, csrf);
  if (told.url) return location.assign(told.url);
  toEnd();
  refreshTimeline();
});
copies(app);
keepDrafts(app);
drawers(app);
markCurrent();
if (conversation) {
  localTimes(timeline);
  tellState();
  toEnd();
  new Live(`/ws/conversations/${conversation}/`, { onFrame: take, onOpen: up, onDown: down });
} else {
  app.dataset.live = "none";
}
