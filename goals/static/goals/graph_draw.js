// Draws the graph: cards over lines, only what is in sight. A card keeps its element, and so its focus, as it changes.

import { lines, within } from "./graph_layout.js";
import { duration, element, icon, STATES, word } from "./words.js";

const MARGIN = 500;
const KINDS = ["in order", "part", "either", "hand", "needs", "hot", "tips"];
const SVG = "http://www.w3.org/2000/svg";

export class Drawing {
  constructor(scroller, canvas, tellWhere) {
    this.tellWhere = tellWhere;
    this.scroller = scroller;
    this.canvas = canvas;
    this.tree = canvas.querySelector("[role=tree]");
    this.svg = canvas.querySelector("svg");
    this.cards = new Map();
    this.paths = new Map(KINDS.map((kind) => [kind, this.path(kind)]));
    this.current = "";
    this.hot = "";
    this.looked = "";
    this.hits = null;
    scroller.addEventListener("scroll", () => this.soon(), { passive: true });
  }

  path(kind) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", kind.replace(" ", "-"));
    this.svg.append(path);
    return path;
  }

  soon() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  // Takes a new layout; what a person looks at stays where it is.
  show(laid, hits) {
    const anchor = this.anchor();
    this.laid = laid;
    this.lines = lines(laid);
    this.hits = hits;
    this.canvas.style.width = `${laid.width}px`;
    this.canvas.style.height = `${laid.height}px`;
    this.svg.setAttribute("width", laid.width);
    this.svg.setAttribute("height", laid.height);
    const moved = anchor && laid.boxes.get(anchor.key);
    if (moved && moved.y !== anchor.y) this.scroller.scrollTop += moved.y - anchor.y;
    this.draw();
  }

  anchor() {
    if (!this.laid) return null;
    const seen = this.sight();
    const isSeen = (box) => box && box.y + box.h > seen.top && box.y < seen.bottom;
    const current = this.laid.boxes.get(this.current);
    const box = isSeen(current) ? current : [...this.laid.boxes.values()].find((one) => one.y >= seen.top);
    return box && seen.top > 0 ? { key: box.row.key, y: box.y } : null;
  }

  sight() {
    const top = this.scroller.scrollTop - this.canvas.offsetTop;
    return { top, bottom: top + this.scroller.clientHeight };
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const seen = this.sight();
    const near = new Set(within([...this.laid.boxes.values()], seen.top - MARGIN, seen.bottom + MARGIN));
    const boxes = [...this.laid.boxes.values()].filter((box) => near.has(box) || box.row.key === this.current);
    const wanted = new Set(boxes.map((box) => box.row.key));
    for (const [key, card] of this.cards) {
      if (wanted.has(key)) continue;
      card.remove();
      this.cards.delete(key);
    }
    let next = this.tree.firstChild;
    for (const box of boxes) {
      const card = this.place(box);
      if (card === next) next = next.nextSibling;
      else this.tree.insertBefore(card, next);
    }
    this.tellWhere(this.laid.boxes, seen.top);
    this.drawLines(within(this.lines, seen.top - MARGIN, seen.bottom + MARGIN));
  }

  place(box) {
    let card = this.cards.get(box.row.key);
    if (!card) {
      card = element("div");
      this.cards.set(box.row.key, card);
    }
    card.style.transform = `translate(${box.x}px, ${box.y}px)`;
    card.style.width = `${box.w}px`;
    card.style.height = `${box.h}px`;
    fill(card, box.row, this.hits);
    card.tabIndex = box.row.key === this.current ? 0 : -1;
    card.setAttribute("aria-selected", String(box.row.key === this.looked));
    return card;
  }

  drawLines(shown) {
    const parts = new Map(KINDS.map((kind) => [kind, ""]));
    for (const line of shown) {
      const kind = this.hot && line.kind === "needs" && line.ends.includes(this.hot) ? "hot" : line.kind;
      parts.set(kind, parts.get(kind) + line.d);
      parts.set("tips", parts.get("tips") + line.tip);
    }
    for (const [kind, d] of parts) this.paths.get(kind).setAttribute("d", d);
  }

  // Makes one node the current one: the one that Tab reaches.
  point(key, focus = false) {
    const before = this.cards.get(this.current);
    if (before) before.tabIndex = -1;
    this.current = key;
    const box = this.laid.boxes.get(key);
    if (!box) return;
    if (focus) this.reveal(box);
    this.draw();
    if (focus) this.cards.get(key).focus({ preventScroll: true });
  }

  reveal(box) {
    const [view, edge] = [this.scroller, 48];
    const seen = this.sight();
    if (box.y < seen.top + edge) view.scrollTop -= seen.top + edge - box.y;
    else if (box.y + box.h > seen.bottom - edge) view.scrollTop += box.y + box.h + edge - seen.bottom;
    const left = view.scrollLeft;
    if (box.x < left + edge) view.scrollLeft = box.x - edge;
    else if (box.x + box.w > left + view.clientWidth - edge) view.scrollLeft = box.x + box.w + edge - view.clientWidth;
  }

  // Marks the node that is shown in the sheet.
  look(key) {
    this.looked = key;
    if (this.laid) this.soon();
  }

  heat(key) {
    if (this.hot === key) return;
    this.hot = key;
    this.soon();
  }
}

function fill(card, row, hits) {
  const { entry } = row;
  const told = entry.fold ? foldWords(entry) : nodeWords(entry);
  const seen = JSON.stringify([told, entry.status, row.open, row.leaf, row.level, row.place, row.size, entry.either, hits?.has(entry)]);
  if (card.dataset.seen === seen) return;
  card.dataset.seen = seen;
  card.dataset.key = row.key;
  card.id = `n ${row.key}`.replaceAll(" ", "-");
  card.className = ["card", entry.status, entry.fold && "fold", entry.old && "old", hits && !hits.has(entry) && "dim"].filter(Boolean).join(" ");
  const attributes = { role: "treeitem", "aria-level": row.level, "aria-posinset": row.place, "aria-setsize": row.size, "aria-label": told.join(". ") };
  for (const [name, value] of Object.entries(attributes)) card.setAttribute(name, value);
  if (row.leaf) card.removeAttribute("aria-expanded");
  else card.setAttribute("aria-expanded", String(row.open));
  card.replaceChildren(...(entry.fold ? foldBody(row, told) : body(row, told)));
}

function body(row, [title, state, ...rest]) {
  const origin = row.entry.origin ? rest.pop() : "";
  const { entry } = row;
  const mark = element("span", "mark");
  mark.append(icon(STATES[entry.status]?.[1] ?? "ring"));
  const facts = element("span", "facts");
  facts.append(element("b", "", state), ...rest.map((text) => element("span", "", text)));
  const parts = [mark, element("span", "title", title), facts, element("span", "origin", origin)];
  if (!row.leaf) parts.push(toggle(row, howMany(entry)));
  return parts;
}

function howMany(node) {
  const count = node.children.filter((child) => !child.old).length;
  return count === 1 ? "1 part" : `${node.either ? "one of" : "all of"} ${count}`;
}

function foldBody(row, told) {
  const mark = element("span", "mark");
  mark.append(icon(STATES[row.entry.status]?.[1] ?? "ring"));
  return [mark, element("span", "title", told.join(" ")), toggle(row, "")];
}

function toggle(row, text) {
  const node = element("span", `toggle${row.entry.either ? " either" : ""}`, text);
  node.dataset.toggle = "";
  node.append(icon("more"));
  return node;
}

function nodeWords(node) {
  const found = [node.number ? `${node.number}. ${node.title}` : node.title, word(node.status), node.deed];
  if (node.tools) found.push(node.tools);
  if (node.attempts > 1) found.push(`try ${node.attempts}`);
  if (node.began && node.ended) found.push(duration(Math.max(0.1, (Date.parse(node.ended) - Date.parse(node.began)) / 1000)));
  if (node.iteration) found.push(`round ${node.iteration}`);
  if (node.origin) found.push(node.origin);
  return found;
}

function foldWords(entry) {
  const what = entry.old ? `of an earlier plan (${entry.old})` : word(entry.status).toLowerCase();
  return [`${entry.fold.length} ${what}`];
}
