// A page that does not change: its times in the reader's zone.

import { localTimes } from "./pieces.js";

localTimes(document.body);
