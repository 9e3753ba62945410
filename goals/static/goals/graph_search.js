// Searching the graph by words and by state. The states double as its legend; what is searched is in the address.

import { counts } from "./graph_tree.js";
import { element, icon, STATES, word } from "./words.js";

export function filters(form, changed) {
  const box = form.elements.q;
  const legend = form.querySelector(".legend");
  const told = form.querySelector(".told");
  const asked = new URLSearchParams(location.search);
  const states = new Set(asked.getAll("state").filter((state) => state in STATES));
  let timer = 0;
  box.value = asked.get("q") ?? "";

  const apply = () => {
    const url = new URL(location.href);
    url.searchParams.delete("q");
    url.searchParams.delete("state");
    if (box.value.trim()) url.searchParams.set("q", box.value.trim());
    for (const state of states) url.searchParams.append("state", state);
    history.replaceState(history.state, "", url);
    changed();
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 120);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  legend.addEventListener("click", (event) => {
    const state = event.target.closest("button")?.dataset.state;
    if (!state) return;
    if (!states.delete(state)) states.add(state);
    apply();
  });

  // Says how many nodes are in each state, and how many were found.
  const tell = (nodes, hits) => {
    const found = counts(nodes);
    for (const state of Object.keys(STATES)) {
      const button = legend.querySelector(`[data-state=${state}]`) ?? made(state);
      button.hidden = !found.has(state) && !states.has(state);
      button.setAttribute("aria-pressed", String(states.has(state)));
      button.querySelector("b").textContent = found.get(state) ?? 0;
    }
    told.textContent = hits ? `${hits.size} of ${nodes.size} found` : `${nodes.size} parts`;
  };
  const made = (state) => {
    const button = element("button", state);
    button.type = "button";
    button.dataset.state = state;
    button.append(icon(STATES[state][1]), element("span", "", word(state)), element("b"));
    legend.append(button);
    return button;
  };
  return { tell, words: () => box.value, states: () => states, isOn: () => Boolean(box.value.trim() || states.size) };
}
