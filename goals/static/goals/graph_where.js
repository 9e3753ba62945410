// Says under which nodes one looks, where these have been scrolled out of sight; each leads back to itself.

import { element } from "./words.js";

export function where(bar, goTo) {
  bar.addEventListener("click", (event) => {
    const key = event.target.closest("button")?.dataset.key;
    if (key) goTo(key);
  });
  let told = "";
  // `top` is the height at which the visible part begins.
  return (boxes, top) => {
    const above = [];
    const first = [...boxes.values()].find((box) => box.y >= top);
    for (let row = first?.row.parent; row; row = row.parent) {
      const box = boxes.get(row.key);
      if (box.y + box.h / 2 < top) above.unshift(row);
    }
    const seen = above.map((row) => row.key).join(" ");
    if (seen === told) return;
    told = seen;
    bar.hidden = !above.length;
    bar.replaceChildren(...above.map(button));
  };
}

function button({ key, entry }) {
  const node = element("button", "", entry.number ? `${entry.number}. ${entry.title}` : entry.title);
  node.type = "button";
  node.dataset.key = key;
  return node;
}
