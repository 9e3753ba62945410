// By what a part of the page is known again when the site sends it anew. Forms with the same address are told apart by
// `data-key`.

export function keyOfFold(fold) {
  return fold.dataset.key ?? fold.querySelector("summary").textContent;
}

export function keyOfForm(form) {
  return form.dataset.key ?? form.getAttribute("action");
}

export function keyOfField(field) {
  const place = field.form && keyOfForm(field.form);
  const choice = field.type === "checkbox" || field.type === "radio" ? field.value : "";
  return JSON.stringify([place, field.name, choice]);
}

// Anything that can have the focus: by what it leads to or does, else by what it says, since that may change.
export function keyOfControl(node) {
  const piece = node.closest(".piece")?.id;
  const { key, dialog, question, act } = node.dataset;
  const fold = node.tagName === "SUMMARY" ? keyOfFold(node.parentElement) : null;
  const place = node.form && keyOfForm(node.form);
  const value = node.tagName === "BUTTON" || ["checkbox", "radio"].includes(node.type) ? node.value : "";
  const does = [node.id, node.getAttribute("href"), node.name, key, dialog, question, act, fold, place, value];
  const says = does.some(Boolean) ? "" : (node.getAttribute("aria-label") ?? node.textContent);
  return JSON.stringify([piece, node.tagName, ...does, says]);
}
