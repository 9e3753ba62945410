// The fields of one step of a plan: what was touched, what it is as a value, and where it is shown.

export function fieldsOf(step) {
  return [...step.querySelectorAll("[data-field]")];
}

export function isTouched(field) {
  if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
  return ![...field.options].some((option) => option.defaultSelected && option.selected);
}

export function isEdited(step) {
  return !step.dataset.step || fieldsOf(step).some(isTouched);
}

// What is no JSON is sent as it was typed: the site says what is wrong with it.
export function valueOf(field) {
  if (!("json" in field.dataset)) return field.value;
  try {
    return JSON.parse(field.value);
  } catch {
    return field.value;
  }
}

export function show(field) {
  const step = field.closest(".planstep");
  const shown = [...step.querySelectorAll("[data-shows]")].find((one) => one.dataset.shows === field.dataset.field);
  if (shown) shown.textContent = field.value;
  if (field.dataset.field === "operation") step.querySelector("[data-does]").textContent = field.selectedOptions[0].dataset.does;
}
