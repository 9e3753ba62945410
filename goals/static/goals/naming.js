// The name of the conversation: changed in place, and kept up with what others call it.

import { post } from "./send.js";

export function naming(heading, { csrf, say, onChange }) {
  const button = heading.querySelector("[data-rename]");
  const form = heading.querySelector("form");
  const shown = heading.querySelector("h1");
  const field = form.elements.title;

  const show = (title) => {
    if (!title || title === shown.textContent) return;
    document.title = document.title.replace(shown.textContent, title);
    shown.textContent = title;
  };
  const edit = (on) => {
    form.hidden = !on;
    shown.hidden = on;
    button.hidden = on;
    if (on) field.value = shown.textContent;
    (on ? field : button).focus();
    if (on) field.select();
  };
  button.addEventListener("click", () => edit(true));
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    edit(false);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!field.value.trim()) return edit(false);
    try {
      show((await post(form.getAttribute("action"), new FormData(form), csrf)).title);
      edit(false);
      onChange();
    } catch (error) {
      say(error.message);
    }
  });
  return show;
}
