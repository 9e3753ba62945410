// The timeline as a table, for who reads rather than looks; rows are made when it is opened, a page at a time.

import { holdFocus } from "./focus.js";
import { duration, element } from "./words.js";

const PAGE = 200;

export function table(details, data, words) {
  const body = details.querySelector("tbody");
  const more = details.querySelector("button");
  let shown = PAGE;

  const row = (bar, lanes, base) => {
    const line = element("tr");
    const link = element("a", "", words(bar).split(", ").slice(0, -2).join(", "));
    link.dataset.see = bar.see;
    link.href = `${base}${bar.see}/`;
    const first = element("th");
    first.scope = "row";
    first.append(link);
    const took = bar.to === null ? "not ended" : duration(Math.max(0, bar.to - bar.from));
    const cells = [lanes.get(bar.lane) ?? "", `+${duration(bar.from)}`, took, bar.state];
    line.append(first, ...cells.map((text) => element("td", "", text)));
    return line;
  };
  const list = () => {
    const found = data();
    if (!details.open || !found) return;
    const lanes = new Map(found.lanes.map((lane) => [lane.id, lane.title]));
    const base = document.getElementById("goal").dataset.inside;
    const focusAgain = holdFocus(body);
    body.replaceChildren(...found.bars.slice(0, shown).map((bar) => row(bar, lanes, base)));
    focusAgain();
    more.hidden = found.bars.length <= shown;
  };
  details.addEventListener("toggle", list);
  more.addEventListener("click", () => {
    shown += PAGE;
    list();
  });
  return list;
}
