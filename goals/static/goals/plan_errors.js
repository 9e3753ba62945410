// What was refused of an edited plan is said at its field, or at its step; what was typed there stays.

const PLACE = /^answer\.plan\[(\d+)\]\.?(.*)$/;
let count = 0;

// `sent` are the steps as they were sent. Returns what belongs to no step, or "".
export function showErrors(error, sent, open) {
  const rest = [];
  const marked = [];
  for (const [place, text] of Object.entries(error.errors ?? {})) {
    const [, number, path] = PLACE.exec(place) ?? [];
    const step = sent[number];
    if (!step) rest.push(sentence(text));
    else marked.push(mark(step, path, sentence(text), open));
  }
  marked[0]?.focus();
  return marked.length || rest.length ? rest.join(" ") : error.message;
}

export function clearErrors(card) {
  for (const field of card.querySelectorAll("[aria-invalid]")) clearError(field);
  for (const told of card.querySelectorAll(".planerror[data-whole]")) told.hidden = true;
}

export function clearError(field) {
  document.getElementById(field.getAttribute("aria-describedby"))?.remove();
  field.removeAttribute("aria-describedby");
  field.removeAttribute("aria-invalid");
}

// The field of that path, or the one that holds it; else the whole step.
function mark(step, path, text, open) {
  const fields = [...step.querySelectorAll("[data-field]")];
  const field = fields.find(({ dataset }) => path === dataset.field || path.startsWith(`${dataset.field}.`));
  if (!field) {
    const told = step.querySelector("[data-whole]");
    told.textContent = told.hidden ? text : `${told.textContent} ${text}`;
    told.hidden = false;
    return step.querySelector("[data-act=edit]");
  }
  open(step);
  clearError(field);
  const told = document.createElement("span");
  told.className = "fielderror";
  told.id = `plan-error-${(count += 1)}`;
  told.setAttribute("role", "alert");
  told.textContent = text;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", told.id);
  field.after(told);
  return field;
}

function sentence(text) {
  const words = text.replace(/\bplan\[(\d+)\]/g, (_, number) => `step ${Number(number) + 1}`);
  return `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
