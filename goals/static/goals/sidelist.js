// The list of conversations: searched while one types, shown by pages, and the one that is open marked.

import { soon } from "./live.js";
import { reconcile } from "./pieces.js";
import { fragment } from "./send.js";

const TYPING = 200;

export function sidelist(list, search, { url, conversation }) {
  let most = "";
  const address = () => {
    const query = new URLSearchParams();
    if (search.value.trim()) query.set("q", search.value.trim());
    if (most) query.set("most", most);
    return query.size ? `${url}?${query}` : url;
  };
  const mark = () => {
    for (const link of list.querySelectorAll("a")) {
      if (link.parentElement.id === `c-${conversation}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };
  const load = async () => {
    reconcile(list, await fragment(address()));
    mark();
  };
  const refresh = soon(load, 400);
  const find = soon(load, TYPING);
  search.addEventListener("input", () => {
    most = "";
    find();
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && search.value) {
      event.stopPropagation();
      search.value = "";
      find();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      list.querySelector("a")?.focus();
    }
  });
  list.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-most]");
    if (!button) return;
    most = button.dataset.most;
    const shown = list.querySelectorAll("a").length;
    await load();
    list.querySelectorAll("a")[shown]?.focus();
  });
  mark();
  return refresh;
}
