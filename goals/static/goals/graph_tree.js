// The tree of a goal's work as it is looked at: grown from the site's data, pruned to what is searched, folded by state.
// Pure: no page, no clock.

const LONG = 10; // siblings; beyond it, runs of one settled state are folded
const RUN = 3; // the shortest run that is folded
const SMALL = 40; // nodes; a goal of no more is shown whole
const SETTLED = new Set(["achieved", "completed", "skipped", "abandoned", "failed"]);
const IN_HAND = new Set(["active", "waiting"]);

export function grow(data) {
  const nodes = new Map();
  const root = { id: "", children: [] };
  for (const row of data.nodes) nodes.set(row.id, { attempts: 0, ...row, children: [], needs: [], neededBy: [] });
  for (const node of nodes.values()) {
    node.up = nodes.get(node.parent) ?? root;
    node.up.children.push(node);
    node.inHand = IN_HAND.has(node.status);
  }
  for (const [from, to] of data.needs) {
    nodes.get(from).needs.push(nodes.get(to));
    nodes.get(to).neededBy.push(nodes.get(from));
  }
  return { root, nodes };
}

export function counts(nodes) {
  const found = new Map();
  for (const node of nodes.values()) found.set(node.status, (found.get(node.status) ?? 0) + 1);
  return found;
}

// Whether a node is open before anybody has said otherwise: what is in hand, and all of a small goal.
export function opensByItself(node, size) {
  return node.inHand || size <= SMALL;
}

// The nodes that a search keeps, with all above them; null when nothing is searched.
export function search(nodes, words, states) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (!wanted.length && !states.size) return null;
  const hits = [...nodes.values()].filter((node) => {
    if (states.size && !states.has(node.status)) return false;
    const text = `${node.title} ${node.deed} ${node.tools ?? ""} ${node.origin ?? ""}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const kept = new Set();
  for (const hit of hits) for (let node = hit; node?.id; node = node.up) kept.add(node);
  return { hits: new Set(hits), kept };
}

// What is shown, in reading order: [{ key, node | fold, level, place, size, parent, open }]. `isOpen(key, node)` says
// what is unfolded; a search unfolds all that it keeps.
export function rows({ root }, isOpen, found = null) {
  const shown = [];
  const walk = (above, level, parent) => {
    const entries = found ? above.children.filter((node) => found.kept.has(node)) : folded(above, isOpen);
    entries.forEach((entry, index) => {
      const key = entry.key ?? entry.id;
      const row = { key, entry, level, place: index + 1, size: entries.length, parent, ...unfolding(entry, isOpen, found) };
      shown.push(row);
      if (row.open && !entry.fold) walk(entry, level + 1, row);
    });
  };
  walk(root, 1, null);
  return shown;
}

function unfolding(entry, isOpen, found) {
  if (entry.fold) return { open: entry.open, leaf: false };
  const leaf = !entry.children.length;
  return { leaf, open: !leaf && (found ? entry.children.some((node) => found.kept.has(node)) : isOpen(entry.id, entry)) };
}

// The children of a node, with what nobody needs to see put together: earlier plans, and long runs of one settled state.
function folded(above, isOpen) {
  const out = [];
  for (const run of runs(above.children)) {
    const [first] = run;
    const key = `fold ${first.old ? `plan ${first.old} of ${above.id}` : `${first.status} ${first.id}`}`;
    const folds = first.old || (above.children.length > LONG && run.length >= RUN && SETTLED.has(first.status));
    const open = !folds || isOpen(key, null);
    if (folds) out.push({ key, fold: run, status: first.status, old: first.old, open });
    if (open) out.push(...run);
  }
  return out;
}

function runs(children) {
  const found = [];
  for (const node of children) {
    const last = found.at(-1);
    const same = last && last[0].old === node.old && (node.old || last[0].status === node.status);
    if (same) last.push(node);
    else found.push([node]);
  }
  return found;
}
