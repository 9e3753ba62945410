// Where everything of the graph stands. Pure: rows in, boxes and lines out; lengths in pixels.
//
// Wide: a column for each level, a parent beside its first child. Narrow: an outline, a parent above its children.

const WIDE = { between: 52, height: 64, fold: 34, gap: 16, edge: 24, outline: false };
const NARROW = { column: 18, height: 64, fold: 34, gap: 10, edge: 14, outline: true };
const NARROWEST = { room: 700, card: 240, outline: 160 };
const WIDEST = 340;
// A title that may not fit into one line gets two; a letter's width is a guess that is rather too large.
const [LETTER, LINE, BESIDE] = [7.6, 18, 50];

// How the graph is laid out in a room of this width.
export function shapeOf(rows, room) {
  if (room < NARROWEST.room) return { ...NARROW, room };
  const levels = Math.max(1, ...rows.map((row) => row.level));
  const share = Math.floor((room - 2 * WIDE.edge + WIDE.between) / levels) - WIDE.between;
  const width = Math.min(WIDEST, Math.max(NARROWEST.card, share));
  return { ...WIDE, width, column: width + WIDE.between };
}

export function layout(rows, shape) {
  const boxes = new Map();
  let bottom = shape.edge;
  let right = 0;
  for (const row of rows) {
    const isFirst = row.place === 1 && row.parent && !shape.outline;
    const x = shape.edge + (row.level - 1) * shape.column;
    const y = isFirst ? boxes.get(row.parent.key).y : bottom;
    const w = shape.width ?? Math.max(NARROWEST.outline, shape.room - x - shape.edge - 8);
    const h = row.entry.fold ? shape.fold : shape.height + (row.entry.title.length * LETTER > w - BESIDE ? LINE : 0);
    boxes.set(row.key, { row, x, y, w, h });
    bottom = Math.max(bottom, y + h + shape.gap);
    right = Math.max(right, x + w);
  }
  return { boxes, width: right + shape.edge, height: bottom - shape.gap + shape.edge, shape };
}

// Lines as { kind, top, bottom, d, tip, ends }: "in order" between checkpoints, "part" and "either" from a parent to its
// children, "hand" on the path in hand, "needs" from what is waited for to what waits.
export function lines({ boxes, shape }) {
  const found = [];
  let earlier = null;
  for (const box of boxes.values()) {
    const { row } = box;
    if (row.parent) found.push(branch(boxes.get(row.parent.key), box, shape));
    else if (earlier) found.push(below(earlier, box, shape));
    if (row.level === 1) earlier = box;
    for (const needed of row.entry.needs ?? []) {
      const from = boxes.get(needed.id);
      if (from) found.push(arrow(from, box));
    }
  }
  return found;
}

function branch(parent, child, shape) {
  const inHand = parent.row.entry.inHand && child.row.entry.inHand;
  const kind = inHand ? "hand" : parent.row.entry.either ? "either" : "part";
  const y = middle(child);
  if (shape.outline) {
    const x = parent.x + 8;
    return line(kind, parent, child, `M${x} ${parent.y + parent.h}V${y - 6}q0 6 6 6H${child.x}`);
  }
  const x = parent.x + parent.w;
  const bend = x + 26;
  if (child.row.place === 1) return line(kind, parent, child, `M${x} ${y}H${child.x}`);
  const start = middle(parent);
  const from = inHand ? `M${x} ${start}H${bend}` : `M${bend} ${start}`; // the path in hand is drawn all along
  return line(kind, parent, child, `${from}V${y - 8}q0 8 8 8H${child.x}`);
}

function below(from, to, shape) {
  if (shape.outline) {
    const [start, end] = [middle(from), middle(to)];
    return line("in order", from, to, `M${from.x} ${start}q-7 0 -7 7V${end - 7}q0 7 7 7`);
  }
  const x = from.x + 18;
  return line("in order", from, to, `M${x} ${from.y + from.h}V${to.y}`);
}

function arrow(from, to) {
  const side = Math.max(from.x + from.w, to.x + to.w);
  const bow = side + 16;
  const [start, end] = [from.y + from.h - 12, to.y + 12];
  const at = to.x + to.w + 3;
  const d = `M${from.x + from.w} ${start}C${bow} ${start} ${bow} ${end} ${at} ${end}`;
  return line("needs", from, to, d, `M${at + 5} ${end - 4}L${at} ${end}l5 4`);
}

function line(kind, from, to, d, tip = "") {
  const top = Math.min(from.y, to.y);
  return { kind, d, tip, top, bottom: Math.max(from.y + from.h, to.y + to.h), ends: [from.row.key, to.row.key] };
}

function middle(box) {
  return box.y + (box.row.entry.fold ? box.h / 2 : 24);
}

// What stands between two heights, a little more on either side.
export function within(items, top, bottom) {
  return items.filter((item) => (item.bottom ?? item.y + item.h) >= top && (item.top ?? item.y) <= bottom);
}
