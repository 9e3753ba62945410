// The way to a question: its card in the conversation, or a sheet of its own where that is not on the page.

import { openDialog } from "./dialog.js";

export function showQuestion(id) {
  const card = document.getElementById(`q-${id}`);
  if (!card) return openQuestion(id).catch((error) => console.info("not opened:", error.message));
  if (document.getElementById("app")?.dataset.drawer) document.querySelector(".shade").click();
  card.scrollIntoView({ block: "center" });
  const field = card.querySelector("input:not([type=hidden]), textarea, select, button");
  (field ?? card).focus({ preventScroll: true });
}

async function openQuestion(id) {
  await openDialog(`/q/${id}/`);
  const sheet = document.querySelector("dialog.over[open]");
  if (sheet.querySelector("plan-card")) await import("./plan.js");
  sheet.querySelector(".piece :is(input:not([type=hidden]), textarea, select, button)")?.focus();
}

export const isHere = (id) => Boolean(document.getElementById(`q-${id}`));

function fromAddress() {
  if (location.hash.startsWith("#q-")) showQuestion(location.hash.slice(3));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-question][data-url]");
  if (button) showQuestion(button.dataset.question);
});
addEventListener("hashchange", fromAddress);
setTimeout(fromAddress);
