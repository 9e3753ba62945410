// The chat page: keeps the conversation, the goal and the list as the site has them, and sends what a person does.

import { again } from "./again.js";
import { composer } from "./composer.js";
import { copies } from "./copy.js";
import { keepDrafts } from "./drafts.js";
import { drawers } from "./drawers.js";
import { Earlier } from "./earlier.js";
import { forms } from "./forms.js";
import { Live, soon } from "./live.js";
import { naming } from "./naming.js";
import { artifacts, commands } from "./offers.js";
import { localTimes, reconcile } from "./pieces.js";
import { fragment, post } from "./send.js";
import { sidelist } from "./sidelist.js";
import { Writing } from "./writing.js";

const app = document.getElementById("app");
const { csrf, conversation } = app.dataset;
const scroll = document.getElementById("scroll");
const timeline = document.getElementById("timeline");
const panel = document.getElementById("panel");
const list = document.getElementById("list");
const toast = document.getElementById("toast");

const earlier = conversation ? new Earlier(scroll, timeline, app.dataset.timeline) : null;
const writing = new Writing(timeline);

const refreshTimeline = soon(async () => {
  const html = await fragment(earlier.latest);
  const atEnd = isAtEnd(); // now: one may have scrolled while it came
  writing.clear();
  reconcile(timeline, html);
  if (atEnd) toEnd();
  await earlier.refresh();
});
const isBusy = () => document.getElementById("p-now")?.dataset.busy === "yes";
const refreshPanel = soon(async () => {
  const html = await fragment(app.dataset.panel + location.search);
  reconcile(panel, html);
  tellState();
  looked(html);
  document.dispatchEvent(new Event("goalsite:changed"));
}, 120);
const looked = again(refreshPanel, isBusy);
const refreshList = sidelist(list, document.getElementById("search"), { url: app.dataset.list, conversation });
const refresh = () => {
  refreshList();
  if (!conversation) return;
  refreshTimeline();
  refreshPanel();
};

function isAtEnd() {
  return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
}

function toEnd() {
  scroll.scrollTop = scroll.scrollHeight;
}

// Who looks at the end keeps looking at it when the view becomes smaller or larger.
function stayAtEnd() {
  let atEnd = true;
  scroll.addEventListener("scroll", () => (atEnd = isAtEnd()), { passive: true });
  new ResizeObserver(() => atEnd && toEnd()).observe(scroll);
}

function tellState() {
  const words = document.getElementById("p-head")?.dataset.short;
  const button = app.querySelector(".goalbutton");
  if (button) button.querySelector("span").textContent = words ?? "Goal";
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
  if (frame.type === "changed" && frame.title) rename?.(frame.title);
  if (frame.type === "message" && frame.role !== "user") writing.end();
  if (frame.type !== "event" || /^(goal|question)\./.test(frame.kind)) refreshList();
  refreshTimeline();
  if (frame.type !== "message") refreshPanel();
}

function draft(frame) {
  const atEnd = isAtEnd();
  writing.take(frame);
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

const form = document.getElementById("composer");
const sources = [commands(app.dataset.commands)];
if (app.dataset.artifacts) sources.push(artifacts(app.dataset.artifacts));
composer(form, {
  person: app.dataset.person,
  conversation,
  csrf,
  sources,
  async send(data) {
    const told = await post(form.getAttribute("action"), data, csrf);
    if (told.url) return location.assign(told.url);
    toEnd();
    refreshTimeline();
  },
});
const heading = document.getElementById("name");
const rename = heading && naming(heading, { csrf, say, onChange: refreshList });
document.addEventListener("answered", refresh);
copies(app);
keepDrafts(app);
drawers(app);
localTimes(list);
if (conversation) {
  localTimes(timeline);
  tellState();
  toEnd();
  stayAtEnd();
  new Live(`/ws/conversations/${conversation}/`, { onFrame: take, onOpen: up, onDown: down });
} else {
  app.dataset.live = "none";
}
