// States, kinds and amounts as the page says them, each with its mark: no colour alone.

export const STATES = {
  pending: ["Not begun", "ring"],
  active: ["At work", "dot"],
  waiting: ["Waiting", "ask"],
  blocked: ["Blocked", "cross"],
  achieved: ["Achieved", "check"],
  completed: ["Done", "check"],
  abandoned: ["Given up", "cross"],
  failed: ["Failed", "cross"],
  skipped: ["Left out", "skip"],
};

export function word(status) {
  return STATES[status]?.[0] ?? status;
}

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

export function element(name, className = "", text = "") {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

// A length of time: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min, 3 d 4 h.
export function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1).replace(".0", "")} s`;
  const steps = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const whole = Math.round(seconds);
  const at = steps.findIndex(([, size]) => whole >= size);
  const [[unit, size], next] = [steps[at], steps[at + 1]];
  const rest = next ? Math.floor((whole % size) / next[1]) : 0;
  return `${Math.floor(whole / size)} ${unit}${rest ? ` ${rest} ${next[0]}` : ""}`;
}
