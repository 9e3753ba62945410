// What was typed and not sent survives a reload, a crash of the tab and the way through the sign-in page: it is kept in
// this tab, under the page's address, until its form is sent. (The message box keeps its own, with its files.)

const KEY = `draft:${location.pathname}`;
const FIELDS = "input[name]:not([type=hidden]):not([type=file]):not([type=password]), textarea[name]:not(#content)";

export function keepDrafts(root) {
  restore(root);
  root.addEventListener("input", () => keep(root));
  root.addEventListener("reset", () => setTimeout(() => keep(root)));
  addEventListener("pagehide", () => keep(root));
}

function keep(root) {
  const typed = [...root.querySelectorAll(FIELDS)]
    .filter((field) => field.form && field.value !== field.defaultValue)
    .map((field) => [name(field), field.value]);
  if (typed.length) sessionStorage.setItem(KEY, JSON.stringify(typed));
  else sessionStorage.removeItem(KEY);
}

function restore(root) {
  const typed = new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]"));
  for (const field of root.querySelectorAll(FIELDS)) {
    if (typed.has(name(field)) && field.value === field.defaultValue) field.value = typed.get(name(field));
  }
}

function name(field) {
  return `${field.form?.getAttribute("action")} ${field.name}`;
}
