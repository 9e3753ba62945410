// The timeline tab: what ran when. Bars are pointed at, walked through by arrow keys, and listed as a table.

import { follow } from "./goal.js";
import { fragment } from "./send.js";
import { refreshSheet, see, sheets } from "./sheet.js";
import { soon } from "./soon.js";
import { boxAt, drawBars, drawLabels, pointAt } from "./timeline_draw.js";
import { pack, scale } from "./timeline_layout.js";
import { table } from "./timeline_table.js";
import { duration } from "./words.js";

const KINDS = { model: "Model call", tool: "Tool call", check: "Verification", question: "Question" };
const HINT = "Point at a bar or tap it, or go through them by the arrow keys.";
const moments = document.getElementById("moments");
const svg = document.getElementById("bars");
const chart = document.getElementById("chart");
const told = document.getElementById("told");
const skip = document.getElementById("skip");
let data = null;
let lanes = [];
let order = [];
let at = null;
let zoom = 1;

// What is shown is in the address, so that it can be linked to.
function fromAddress() {
  const asked = new URLSearchParams(location.search);
  for (const kind of Object.keys(KINDS)) document.getElementById(`show-${kind}`).checked = !asked.getAll("hide").includes(kind);
  skip.checked = !asked.has("waits");
}

function toAddress() {
  const url = new URL(location.href);
  for (const name of ["hide", "waits"]) url.searchParams.delete(name);
  const hidden = Object.keys(KINDS).filter((kind) => !document.getElementById(`show-${kind}`).checked);
  for (const kind of hidden) url.searchParams.append("hide", kind);
  if (!skip.checked) url.searchParams.set("waits", "whole");
  history.replaceState(history.state, "", url);
}

function end() {
  const now = (Date.now() - Date.parse(data.began)) / 1000;
  return Math.max(1, data.ended ?? now);
}

function draw() {
  if (!data) return;
  const bars = data.bars.filter((bar) => document.getElementById(`show-${bar.kind}`).checked);
  const scaled = scale(bars, end(), Math.max(200, chart.clientWidth - 9) * zoom, skip.checked);
  lanes = pack(data.lanes, bars, end(), scaled.x);
  order = lanes.flatMap((lane) => lane.bars).sort((a, b) => a.bar.from - b.bar.from);
  drawLabels(document.getElementById("labels"), lanes);
  drawBars(svg, lanes, scaled, data, end());
  point(order.find((box) => box.bar.see === at?.bar.see));
  document.getElementById("nothing").hidden = bars.length > 0;
  moments.dataset.ready = bars.length;
}

export function words(bar) {
  const took = bar.to === null ? "not ended" : duration(Math.max(0, bar.to - bar.from));
  return `${KINDS[bar.kind]}: ${bar.title}, ${bar.state === "intended" ? "in flight" : bar.state}, ${took}`;
}

function point(box, move = false) {
  at = box ?? null;
  pointAt(svg, at);
  told.textContent = at ? words(at.bar) : HINT;
  if (!at || !move) return;
  chart.scrollLeft = Math.max(0, Math.min(at.x - 40, Math.max(chart.scrollLeft, at.x + at.w + 40 - chart.clientWidth)));
  svg.querySelector("#cursor").scrollIntoView?.({ block: "nearest", inline: "nearest" });
}

const load = soon(async () => {
  data = JSON.parse(await fragment(moments.dataset.url));
  draw();
  list();
}, 20);

const list = table(document.getElementById("astable"), () => data, words);

function zoomTo(factor) {
  const middle = (chart.scrollLeft + chart.clientWidth / 2) / Math.max(1, chart.scrollWidth);
  zoom = Math.min(400, Math.max(1, factor));
  draw();
  chart.scrollLeft = middle * chart.scrollWidth - chart.clientWidth / 2;
}

const KEYS = {
  ArrowRight: () => point(order[order.indexOf(at) + 1] ?? at, true),
  ArrowLeft: () => point(order[order.indexOf(at) - 1] ?? at ?? order[0], true),
  Home: () => point(order[0], true),
  End: () => point(order.at(-1), true),
  Enter: () => at && see(at.bar.see, chart),
  "+": () => zoomTo(zoom * 2),
  "=": () => zoomTo(zoom * 2),
  "-": () => zoomTo(zoom / 2),
  0: () => zoomTo(1),
};
chart.addEventListener("keydown", (event) => {
  const act = !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
const under = (event) => {
  const { left, top } = svg.getBoundingClientRect();
  return boxAt(lanes, event.clientX - left, event.clientY - top);
};
chart.addEventListener("pointermove", (event) => {
  const box = under(event);
  svg.classList.toggle("over", Boolean(box));
  if (box && box !== at) point(box);
});
chart.addEventListener("click", (event) => {
  const box = under(event);
  if (!box) return;
  point(box);
  see(box.bar.see, chart);
});
document.getElementById("nearer").addEventListener("click", () => zoomTo(zoom * 2));
document.getElementById("farther").addEventListener("click", () => zoomTo(zoom / 2));
document.getElementById("fit").addEventListener("click", () => zoomTo(1));
document.getElementById("filter").addEventListener("change", () => {
  toAddress();
  draw();
});
new ResizeObserver(draw).observe(chart);

let timer = 0;
fromAddress();
sheets();
load();
follow(() => {
  timer ||= setTimeout(() => {
    timer = 0;
    load();
    refreshSheet();
  }, 700);
});
