// What waits for this person over all conversations: a count in the bell, the title and the icon, and a list.

import { onNeeds } from "./needs.js";
import { Notices } from "./notices.js";
import { reconcile } from "./pieces.js";
import { isHere, showQuestion } from "./question.js";
import { fragment } from "./send.js";
import { soon } from "./soon.js";

const bell = document.getElementById("bell");
const box = document.getElementById("tray");
const list = document.getElementById("needslist");
const badge = bell.querySelector(".count");
const icon = document.querySelector("link[rel=icon]");
const plain = icon.href;
const notices = new Notices(box);
let known = null;

const refresh = soon(async () => {
  reconcile(list, await fragment(box.dataset.url));
  tell();
}, 150);

function tell() {
  const count = Number(document.getElementById("needs")?.dataset.count ?? 0);
  const lines = [...list.querySelectorAll(".need")];
  const fresh = lines.filter((line) => known && !known.has(line.dataset.question));
  known = new Set(lines.map((line) => line.dataset.question));
  badge.textContent = count > 99 ? "99+" : count;
  badge.hidden = !count;
  bell.querySelector(".sr").textContent = count ? `Needs you: ${count}` : "Nothing waits for you";
  document.title = (count ? `(${count}) ` : "") + document.title.replace(/^\(\d+\) /, "");
  icon.href = count ? counted(count) : plain;
  for (const line of fresh) notices.show(line);
}

// The page's icon with the count on it.
function counted(count) {
  const text = count > 9 ? "9+" : count;
  return `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#9a5b00"/>` +
      `<text x="16" y="22.5" text-anchor="middle" font-family="sans-serif" font-size="18" font-weight="700" fill="#fff">${text}</text></svg>`,
  )}`;
}

function open(isOpen) {
  box.hidden = !isOpen;
  bell.setAttribute("aria-expanded", String(isOpen));
}

bell.addEventListener("click", () => {
  open(box.hidden);
  if (!box.hidden) list.querySelector("a")?.focus();
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || box.hidden) return;
  open(false);
  bell.focus();
});
document.addEventListener("pointerdown", (event) => {
  if (!box.hidden && !event.target.closest(".tray")) open(false);
});

// A question of this page is shown at once; one of the goal that is looked at, or without a conversation, opens here.
list.addEventListener("click", (event) => {
  const line = event.target.closest(".need");
  if (!line || event.ctrlKey || event.metaKey) return;
  const id = line.dataset.question;
  open(false);
  const isOwn = document.getElementById("goal")?.dataset.goal === line.dataset.goal;
  if (!isHere(id) && !isOwn && line.querySelector("a").pathname.startsWith("/c/")) return;
  event.preventDefault();
  showQuestion(id);
});

tell();
document.addEventListener("goalsite:changed", refresh);
onNeeds(refresh);
