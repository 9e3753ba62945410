// One thing inside a goal, as a page of its own: it stays as the site has it.

import { follow } from "./goal.js";
import { soon } from "./soon.js";
import { localTimes, reconcile } from "./pieces.js";
import { fragment } from "./send.js";

const inside = document.getElementById("inside");
const refresh = soon(async () => reconcile(inside, await fragment(location.pathname)), 300);

localTimes(inside);
follow(refresh);
