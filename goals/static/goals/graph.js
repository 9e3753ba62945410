// The graph tab: loads the tree, keeps what is unfolded, listens to the keyboard, and follows the goal as it changes.

import { follow } from "./goal.js";
import { Drawing } from "./graph_draw.js";
import { layout, shapeOf } from "./graph_layout.js";
import { filters } from "./graph_search.js";
import { grow, opensByItself, rows, search } from "./graph_tree.js";
import { where } from "./graph_where.js";
import { soon } from "./soon.js";
import { fragment } from "./send.js";
import { refreshSheet, see, sheets } from "./sheet.js";

const graph = document.getElementById("graph");
const isStill = "still" in document.getElementById("goal").dataset; // a shared goal: nothing moves, nothing opens
const view = document.getElementById("view");
const memory = `goalsite-graph-${document.getElementById("goal").dataset.goal}`;
const FOLDS = "folds"; // what is folded by state is unfolded, unless somebody has folded it again
const tellWhere = where(document.getElementById("where"), (key) => drawing.point(key, true));
const drawing = new Drawing(view, document.getElementById("canvas"), tellWhere);
const unfolded = new Map(JSON.parse(sessionStorage.getItem(memory) ?? "[]"));
let tree = null;
let shown = [];

// -- what is seen ---------------------------------------------------------------------------------------------------

// What opened by itself stays open when its state changes: nothing closes under a reader's eyes.
function isOpen(key, node) {
  if (!unfolded.has(key) && node && opensByItself(node, tree.nodes.size)) unfolded.set(key, true);
  return unfolded.get(key) ?? (!node && unfolded.has(FOLDS));
}

function draw() {
  if (!tree) return;
  const found = search(tree.nodes, filter.words(), filter.states());
  shown = rows(tree, isOpen, found);
  if (!shown.some((row) => row.key === drawing.current)) drawing.current = first()?.key ?? "";
  drawing.show(layout(shown, shapeOf(shown, view.clientWidth)), found?.hits);
  filter.tell(tree.nodes, found?.hits);
  document.getElementById("nothing").hidden = shown.length > 0;
  document.getElementById("inhand").hidden = !inHand();
  for (const id of ["fold", "unfold"]) document.getElementById(id).hidden = !shown.some((row) => !row.leaf);
}

function first() {
  return shown.findLast((row) => row.entry.inHand) ?? shown[0];
}

function inHand() {
  return [...tree.nodes.values()].findLast((node) => node.inHand);
}

function turn(row, open) {
  if (row.leaf || filter.isOn()) return;
  unfolded.set(row.key, open);
  keep();
  draw();
}

function keep() {
  sessionStorage.setItem(memory, JSON.stringify([...unfolded].slice(-2000)));
}

function turnAll(open) {
  unfolded.clear();
  if (open) unfolded.set(FOLDS, true);
  for (const node of tree.nodes.values()) if (node.children.length) unfolded.set(node.id, open);
  keep();
  draw();
}

// Unfolds the way to a node, and brings it into sight.
function goTo(id, focus = true) {
  const node = tree.nodes.get(id);
  if (!node) return;
  for (let above = node.up; above?.id; above = above.up) unfolded.set(above.id, true);
  draw();
  for (let row = fold(id); row; row = fold(id)) {
    unfolded.set(row.key, true);
    draw();
  }
  drawing.point(id, focus);
}

function fold(id) {
  return shown.find((row) => row.entry.fold && !row.open && row.entry.fold.some((node) => node.id === id));
}

const load = soon(async () => {
  const began = performance.now();
  tree = grow(JSON.parse(await fragment(graph.dataset.url)));
  const isFirst = !shown.length;
  draw();
  graph.dataset.ready = tree.nodes.size;
  if (isFirst) start();
  pause = Math.min(5000, Math.max(250, 4 * (performance.now() - began)));
}, 20);

function start() {
  const seen = new URLSearchParams(location.search).get("see")?.split("/")[1];
  if (seen && tree.nodes.has(seen)) goTo(seen, false);
  else if (first()) drawing.reveal(drawing.laid.boxes.get(first().key));
  drawing.draw();
}

// A large graph is read again less often.
let pause = 250;
let timer = 0;
function changed() {
  timer ||= setTimeout(() => {
    timer = 0;
    load();
    refreshSheet();
  }, pause);
}

// -- what a person does -----------------------------------------------------------------------------------------------

function open(row) {
  if (row.entry.fold) return turn(row, !row.open);
  if (!isStill) see(`${row.entry.kind}s/${row.entry.id}`, drawing.cards.get(row.key));
}

function rowOf(target) {
  const key = target.closest?.(".card")?.dataset.key;
  return shown.find((row) => row.key === key);
}

const KEYS = {
  ArrowDown: (row) => shown[shown.indexOf(row) + 1],
  ArrowUp: (row) => shown[shown.indexOf(row) - 1],
  Home: () => shown[0],
  End: () => shown.at(-1),
  ArrowRight(row) {
    if (row.leaf) return null;
    if (row.open) return shown[shown.indexOf(row) + 1];
    turn(row, true);
    return row;
  },
  ArrowLeft(row) {
    if (!row.open || row.leaf || filter.isOn()) return row.parent;
    turn(row, false);
    return row;
  },
  "*"(row) {
    for (const one of shown.filter((other) => other.parent?.key === row.parent?.key)) turn(one, true);
    return row;
  },
  " ": (row) => turn(row, !row.open),
  Enter: (row) => open(row),
};

graph.addEventListener("keydown", (event) => {
  const row = rowOf(event.target);
  const act = row && !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  const to = act(row);
  if (to) drawing.point(to.key, true);
});

graph.addEventListener("click", (event) => {
  const row = rowOf(event.target);
  if (!row) return;
  drawing.point(row.key);
  if (event.target.closest("[data-toggle]")) turn(row, !row.open);
  else open(row);
});

document.getElementById("goal").addEventListener("see", ({ detail }) => drawing.look(detail.split("/")[1] ?? ""));
const warm = (event) => drawing.heat(rowOf(event.target)?.key ?? "");
graph.addEventListener("pointerover", warm);
graph.addEventListener("focusin", warm);
graph.addEventListener("pointerleave", () => drawing.heat(""));
document.getElementById("unfold").addEventListener("click", () => turnAll(true));
document.getElementById("fold").addEventListener("click", () => turnAll(false));
document.getElementById("inhand").addEventListener("click", () => {
  const node = inHand();
  if (node) goTo(node.id);
});
new ResizeObserver(draw).observe(view);

const filter = filters(document.getElementById("filter"), draw);
load();
if (!isStill) {
  sheets();
  follow(changed);
}
