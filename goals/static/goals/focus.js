// Keeps the keyboard, and the cursor, where they are while what is around them is replaced or moved: without it a person
// who goes by Tab falls back to the beginning of the page whenever the site has news.

import { keyOfControl } from "./keys.js";

const CONTROLS = "a[href], button, input, textarea, select, summary, [tabindex]";

// To be called before the change; what it returns is to be called after it.
export function holdFocus(container) {
  const held = document.activeElement;
  if (held === container || !container.contains(held)) return () => {};
  const key = keyOfControl(held);
  const alike = () => [...container.querySelectorAll(CONTROLS)].filter((node) => keyOfControl(node) === key);
  const place = alike().indexOf(held);
  const { selectionStart, selectionEnd } = held;
  return () => {
    if (document.activeElement !== document.body) return; // it was never lost, or has found its own way back
    const twin = alike()[place];
    twin?.focus({ preventScroll: true });
    if (Number.isInteger(selectionStart)) twin?.setSelectionRange(selectionStart, selectionEnd);
  };
}
