// Makes a link to an ended goal, and shows it once, to be copied.

import { post } from "./send.js";

const dialog = document.getElementById("sharelink");
const field = dialog?.querySelector("input");
const told = dialog?.querySelector("[role=status]");

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!("share" in form.dataset)) return;
  event.preventDefault();
  if ("busy" in form.dataset) return;
  form.dataset.busy = "";
  try {
    field.value = (await post(form.getAttribute("action"), new FormData(form))).share;
    told.textContent = "";
  } catch (error) {
    field.value = "";
    told.textContent = error.message;
  } finally {
    delete form.dataset.busy;
  }
  dialog.showModal();
  field.select();
});

dialog?.querySelector("[data-done]").addEventListener("click", () => dialog.close());
dialog?.querySelector("[data-copy]").addEventListener("click", async () => {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    told.textContent = "Copied.";
  } catch {
    told.textContent = "This browser does not let it be copied; it is selected, so copy it by hand.";
  }
});
