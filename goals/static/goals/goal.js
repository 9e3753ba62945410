// The goal page: keeps what stands above the tabs as the site has it, and tells the open tab what has changed.

import { Live, soon } from "./live.js";
import { reconcile } from "./pieces.js";
import { fragment } from "./send.js";

const root = document.getElementById("goal");
const offline = document.getElementById("offline");

// Follows the goal: `changed(frame)` is called for each event, and without a frame when anything may have happened.
export function follow(changed = () => {}) {
  const refreshHead = soon(async () => reconcile(document.getElementById("head"), await fragment(root.dataset.head)), 150);
  let timer = 0;
  return new Live(`/ws/goals/${root.dataset.goal}/`, {
    onFrame(frame) {
      if (frame.type === "error") return;
      if (frame.type === "resync" || /^(goal|checkpoint)\./.test(frame.kind)) refreshHead();
      changed(frame.type === "event" ? frame : null);
    },
    onOpen() {
      clearTimeout(timer);
      timer = 0;
      offline.hidden = true;
      root.dataset.live = "up";
      refreshHead();
      changed(null);
    },
    onDown() {
      root.dataset.live = "down";
      timer ||= setTimeout(() => (offline.hidden = false), 600);
    },
  });
}
