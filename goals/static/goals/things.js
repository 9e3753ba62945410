// The artifacts tab: a list that is filtered as one types, and grows as the goal makes more.

import { follow } from "./goal.js";
import { localTimes, reconcile } from "./pieces.js";
import { fragment } from "./send.js";
import { sheets } from "./sheet.js";
import { soon } from "./soon.js";

const things = document.getElementById("things");
const form = document.getElementById("filter");
const told = form.querySelector(".told");
const nothing = document.getElementById("nothing");

function filter() {
  const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const thing of things.children) {
    thing.hidden = !words.every((word) => thing.dataset.words.includes(word));
    count += !thing.hidden;
  }
  told.textContent = words.length ? `${count} of ${things.children.length} found` : `${count} in all`;
  nothing.hidden = count > 0;
  const url = new URL(location.href);
  if (words.length) url.searchParams.set("q", form.elements.q.value.trim());
  else url.searchParams.delete("q");
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}

const load = soon(async () => {
  reconcile(things, await fragment(things.dataset.url));
  filter();
}, 300);

form.elements.q.value = new URLSearchParams(location.search).get("q") ?? "";
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
localTimes(things);
filter();
sheets();
follow((frame) => (!frame || frame.kind === "artifact.created") && load());
