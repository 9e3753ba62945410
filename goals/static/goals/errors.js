// What was refused is said at its field; what was typed there stays.

let count = 0;

// Returns false when an error belongs to no field of the form, so that it must be said elsewhere. In a sheet over the
// page there is no elsewhere: it is said below the form.
export function showErrors(form, errors, message) {
  const entries = Object.entries(errors ?? {});
  const places = entries.map(([name]) => fieldOf(form, name));
  if (!entries.length || places.some((field) => !field)) {
    if (form.closest("dialog")) tell(form.querySelector("button"), message);
    return Boolean(form.closest("dialog"));
  }
  entries.forEach(([, text], index) => tell(places[index], text));
  places[0].focus();
  return true;
}

export function clearErrors(form) {
  for (const told of form.querySelectorAll(".fielderror")) told.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

// The field of that name, or of its last part; or the form's only one.
function fieldOf(form, name) {
  const fields = [...form.elements].filter((field) => field.matches("input:not([type=hidden]), select, textarea"));
  const named = fields.find((field) => field.name === name || field.name === name.split(".").at(-1));
  const names = new Set(fields.map((field) => field.name));
  return named ?? (names.size === 1 ? fields[0] : null);
}

function tell(field, text) {
  const told = document.createElement("p");
  told.className = "fielderror";
  told.id = `error-${(count += 1)}`;
  told.setAttribute("role", "alert");
  told.textContent = text[0].toUpperCase() + text.slice(1);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", told.id);
  (field.closest(".field, fieldset") ?? field).after(told);
}
