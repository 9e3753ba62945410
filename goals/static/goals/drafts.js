// What was typed and not sent survives a reload, a crash of the tab and the way through the sign-in page: it is kept in
// this tab, under the page's address, until its form is sent. (The message box keeps its own, with its files.)

const KEY = `draft:${location.pathname}`;
const MOST = 50;
const FIELDS = "input[name]:not([type=hidden]):not([type=file]):not([type=password]), textarea[name]:not(#content)";

export function keepDrafts(root) {
  restore(root);
  root.addEventListener("input", () => keep(root));
  document.addEventListener("goalsite:changed", () => restore(root));
  document.addEventListener("goalsite:sent", (event) => keep(root, event.detail.elements));
  addEventListener("pagehide", () => keep(root));
}

// A field that is not on the page now, as that of a goal which is not shown, may come back.
function keep(root, sent = []) {
  const typed = kept();
  const fields = [...root.querySelectorAll(FIELDS)].filter((field) => field.form);
  for (const field of [...fields, ...sent]) typed.delete(name(field));
  for (const field of fields) if (field.value !== field.defaultValue) typed.set(name(field), field.value);
  if (typed.size) sessionStorage.setItem(KEY, JSON.stringify([...typed].slice(-MOST)));
  else sessionStorage.removeItem(KEY);
}

function restore(root) {
  const typed = kept();
  for (const field of root.querySelectorAll(FIELDS)) {
    if (typed.has(name(field)) && field.value === field.defaultValue) field.value = typed.get(name(field));
  }
}

function kept() {
  return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]"));
}

function name(field) {
  return `${field.form?.getAttribute("action")} ${field.name}`;
}
