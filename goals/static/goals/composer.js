// The message box: Enter sends, a menu completes, files go along, and what is refused stays where it is.

import { Attachments } from "./attachments.js";
import { Completion } from "./completion.js";
import { dropping } from "./dropping.js";
import { Unsent } from "./unsent.js";

export function composer(form, { person, conversation, csrf, sources, send }) {
  const box = form.elements.content;
  const problem = form.querySelector(".problem");
  const longest = Number(form.dataset.longest);
  const draft = new Unsent(person, conversation);
  const keep = () => draft.write(box.value, files.kept);
  const files = new Attachments(form.querySelector(".chips"), {
    url: form.dataset.attach,
    csrf,
    longest: Number(form.dataset.longestFile),
    most: Number(form.dataset.mostFiles),
    onChange: keep,
  });
  const menu = new Completion(box, form.querySelector(".commands"), form.querySelector("[data-suggestions]"), sources);

  const refuse = (text) => {
    problem.textContent = text;
    problem.hidden = !text;
  };
  const fault = () => {
    const length = [...box.value].length;
    if (length > longest) {
      const most = longest.toLocaleString("en-GB");
      return `Your message has ${length.toLocaleString("en-GB")} characters; at most ${most} are allowed. Shorten it, or attach it as a file.`;
    }
    if (files.failed) return `“${files.failed.name}” was not attached. Try it again, or remove it.`;
    return !box.value.trim() && files.items.length ? "Say what is to be done with it." : "";
  };

  let isWanted = false; // what was written while a message is on its way is to go as the next
  const submit = async () => {
    if (form.dataset.busy !== undefined) return void (isWanted = true);
    isWanted = false;
    if (!box.value.trim() && !files.items.length) return;
    form.dataset.busy = "";
    refuse("");
    try {
      await files.settled();
      const told = fault();
      if (told) return refuse(told);
      const data = new FormData(form);
      const sent = box.value;
      const gone = files.arrived;
      for (const { id } of gone) data.append("attachment", id);
      await send(data);
      box.value = box.value.startsWith(sent) ? box.value.slice(sent.length) : box.value;
      files.clear(gone);
      keep();
      menu.hide();
    } catch (error) {
      isWanted = false;
      refuse(error.message);
    } finally {
      delete form.dataset.busy;
      if (document.activeElement === document.body || form.contains(document.activeElement)) box.focus();
    }
    if (isWanted && conversation) submit();
  };

  // What was typed before this script came follows what was left here.
  const before = draft.read();
  if (before.text.includes(box.value)) box.value = before.text;
  else if (!box.value.includes(before.text)) box.value = `${before.text}\n${box.value}`;
  files.restore(before.files);
  keep();
  form.querySelector(".send").disabled = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  box.addEventListener("input", keep);
  box.addEventListener("keydown", (event) => {
    if (menu.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    }
  });
  const chooser = form.querySelector("input[type=file]");
  form.querySelector("[data-choose]").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    files.add(chooser.files);
    chooser.value = "";
  });
  dropping(document.body, box, (found) => {
    if (found.length) files.add(found);
    else refuse("Only files can be attached, not folders.");
    box.focus();
  });
}
