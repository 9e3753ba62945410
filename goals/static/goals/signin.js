// When the session has ended: sign in again in a dialog, on the page, so that nothing that was written is lost.

import { post } from "./send.js";

const dialog = document.getElementById("signin");
const listeners = [];

export function whenSignedIn(listener) {
  listeners.push(listener);
}

dialog?.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const problem = form.querySelector(".refused");
  problem.hidden = true;
  try {
    const told = await post(form.getAttribute("action"), new FormData(form));
    if (told.user !== dialog.dataset.user) return location.assign("/");
    form.elements.password.value = "";
    dialog.close();
    for (const listener of listeners) listener();
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
    form.elements.password.select();
  }
});
dialog?.querySelector("[data-later]").addEventListener("click", () => dialog.close());
