// The graph of a goal.

import { follow } from "./goal.js";

follow();
