// The goal page: keeps what stands above the tabs as the site has it, and tells the open tab what has changed.

import { Live, soon } from "./live.js";
import { reconcile } from "./pieces.js";
import { fragment } from "./send.js";

const root = document.getElementById("goal");

// Follows the goal from where it stood as the page was made: `changed(frame)` is called for each event since, and
// without a frame when anything may have happened.
export function follow(changed = () => {}) {
  const refreshHead = soon(async () => reconcile(document.getElementById("head"), await fragment(root.dataset.head)), 150);
  return new Live(`/ws/goals/${root.dataset.goal}/`, {
    seqs: { [root.dataset.goal]: Number(root.dataset.seq) },
    onFrame(frame) {
      if (frame.type === "error") return;
      if (frame.type === "resync" || /^(goal|checkpoint|question)\./.test(frame.kind)) refreshHead();
      if (frame.type === "resync" || /^question\./.test(frame.kind)) document.dispatchEvent(new Event("goalsite:changed"));
      changed(frame.type === "event" ? frame : null);
    },
    onOpen() {
      root.dataset.live = "up";
    },
    onDown() {
      root.dataset.live = "down";
    },
  });
}
