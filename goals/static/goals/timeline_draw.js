// Draws the timeline: one path a kind, however many bars there are. What stands where is found by its place.

import { holdFocus } from "./focus.js";
import { marks, ROW } from "./timeline_layout.js";
import { duration, element } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const AXIS = 26;

export function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

// Each kind has a form of its own: full bars, low bars, frames, and stripes for what waits.
function form({ bar, x, y, w }) {
  const [top, height] = bar.kind === "tool" ? [y + 4, ROW - 8] : [y, ROW];
  return `M${x.toFixed(1)} ${top}h${w.toFixed(1)}v${height}h${(-w).toFixed(1)}z`;
}

export function tone(bar) {
  if (["failed", "not met", "broken"].includes(bar.state)) return "bad";
  return ["intended", "open", "unknown"].includes(bar.state) ? "open" : "good";
}

export function drawBars(svg, lanes, scaled, data, end) {
  const height = AXIS + lanes.reduce((sum, lane) => sum + lane.height, 0);
  svg.setAttribute("width", Math.ceil(scaled.width) + 8);
  svg.setAttribute("height", height);
  const parts = [...restBands(data.rests, scaled, end, height), ...breaks(scaled, height), ...axis(scaled, end, height)];
  for (const lane of lanes) parts.push(shape("path", { class: "lane", d: `M0 ${AXIS + lane.top + lane.height}H${scaled.width}` }));
  const forms = new Map();
  for (const box of lanes.flatMap((lane) => lane.bars)) {
    const kind = `${box.bar.kind} ${tone(box.bar)}`;
    forms.set(kind, (forms.get(kind) ?? "") + form({ ...box, y: box.y + AXIS }));
  }
  for (const [kind, d] of forms) parts.push(shape("path", { class: `bar ${kind}`, d }));
  parts.push(shape("rect", { id: "cursor", rx: 3, width: 0, height: ROW + 6 }));
  svg.querySelector("g").replaceChildren(...parts);
}

function restBands(rests, { x }, end, height) {
  return rests.map((rest) => {
    const [from, to] = [x(rest.from), x(rest.to ?? end)];
    return shape("rect", { class: `rest ${rest.why}`, x: from, y: AXIS, width: Math.max(1, to - from), height: height - AXIS });
  });
}

// A label that would run into the one before is left out: the bar's own words and the table have the times.
function breaks({ x, skipped }, height) {
  let free = 0;
  return skipped.flatMap((gap) => {
    const middle = (x(gap.from) + x(gap.to)) / 2;
    const line = shape("path", { class: "break", d: `M${middle} 14V${height}` });
    const text = duration(gap.to - gap.from);
    const half = 3 * text.length;
    if (middle - half < free) return [line];
    free = middle + half + 4;
    const label = shape("text", { class: "skipped", x: middle, y: 10 });
    label.textContent = text;
    return [line, label];
  });
}

function axis(scaled, end, height) {
  return marks(scaled, end).flatMap((time) => {
    const x = scaled.x(time);
    const text = time ? `+${duration(time)}` : "0";
    const isLast = x + 4 + 7 * text.length > scaled.width;
    const label = shape("text", { class: isLast ? "mark last" : "mark", x: isLast ? x - 4 : x + 4, y: 22 });
    label.textContent = text;
    return [shape("path", { class: "tick", d: `M${x.toFixed(1)} 14V${height}` }), label];
  });
}

export function drawLabels(list, lanes) {
  const labels = lanes.map((lane) => {
    const node = element("div", "label");
    node.style.height = `${lane.height}px`;
    const inner = element(lane.id ? "a" : "span", "", lane.title);
    if (lane.id) {
      inner.dataset.see = `checkpoints/${lane.id}`;
      inner.href = `${document.getElementById("goal").dataset.inside}checkpoints/${lane.id}/`;
    }
    node.append(inner);
    return node;
  });
  const focusAgain = holdFocus(list);
  list.replaceChildren(...labels);
  focusAgain();
}

export function boxAt(lanes, x, y) {
  const lane = lanes.find((one) => y - AXIS >= one.top && y - AXIS < one.top + one.height);
  const near = (box) => x >= box.x - 2 && x <= box.x + box.w + 2 && y - AXIS >= box.y - 2 && y - AXIS <= box.y + ROW + 2;
  return lane?.bars.findLast(near);
}

export function pointAt(svg, box) {
  const cursor = svg.querySelector("#cursor");
  const place = box ? { x: box.x - 3, y: box.y + AXIS - 3, width: box.w + 6 } : { width: 0 };
  for (const [key, value] of Object.entries(place)) cursor.setAttribute(key, value);
}
