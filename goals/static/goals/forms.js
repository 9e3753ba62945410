// Forms that the page's script sends: once at a time, after "Really?" where something ends, with errors at their fields.

import { clearErrors, showErrors } from "./errors.js";
import { keyOfForm } from "./keys.js";
import { post } from "./send.js";

// `onDone(told, form)` is called after the site has done it, `onRefused(message)` with what was not said at a field.
export function forms({ csrf, onDone, onRefused }) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!("post" in form.dataset)) return;
    event.preventDefault();
    submit(form, event.submitter);
  });
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches?.("[data-enter]") || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });
  document.addEventListener("input", (event) => event.target.form && clearErrors(event.target.form));

  async function submit(form, button) {
    if ("busy" in form.dataset) return;
    if (form.dataset.sure && !armed(form, button)) return;
    form.dataset.busy = "";
    clearErrors(form);
    const data = filled(form, button);
    try {
      const told = await post(form.getAttribute("action"), data, csrf);
      if (told.url) return location.assign(told.url);
      if ("clear" in form.dataset) empty(living(form), data);
      document.dispatchEvent(new CustomEvent("goalsite:sent", { detail: form }));
      leave(living(form));
      onDone(told, form);
    } catch (error) {
      if (!showErrors(living(form), error.errors, error.message)) onRefused(error.message);
      onDone({}, form);
    } finally {
      delete living(form).dataset.busy;
    }
  }
}

// The form as it is on the page now: it may have been replaced while what it sent was on its way.
function living(form) {
  const is = (one) => keyOfForm(one) === keyOfForm(form);
  return form.isConnected ? form : ([...document.forms].find(is) ?? form);
}

// Fields that still hold what was sent: what was typed meanwhile stays.
function empty(form, sent) {
  for (const field of form.elements) if (sent.get(field.name) === field.value) field.value = field.defaultValue;
}

// The page knows the reader's zone, which a field of date and time leaves out.
function filled(form, button) {
  const data = new FormData(form, button);
  for (const field of form.querySelectorAll("input[type=datetime-local]")) {
    if (field.value) data.set(field.name, new Date(field.value).toISOString());
  }
  return data;
}

// Folds what the form was unfolded from, and takes the keyboard to where a person goes on.
function leave(form) {
  const dialog = form.closest("dialog");
  if (dialog) return dialog.close();
  const hadFocus = form.contains(document.activeElement);
  const fold = form.closest("details[data-fold]");
  if (fold) fold.open = false;
  if (!hadFocus || !matchMedia("(hover: hover)").matches) return;
  (fold?.querySelector("summary") ?? document.getElementById("content"))?.focus();
}

// A button that ends something asks once more: the second click does it.
function armed(form, button) {
  if (button.dataset.armed) return true;
  const label = button.innerHTML;
  button.dataset.armed = "yes";
  button.textContent = "Really?";
  button.title = form.dataset.sure;
  setTimeout(() => {
    delete button.dataset.armed;
    button.innerHTML = label;
  }, 4000);
  return false;
}
