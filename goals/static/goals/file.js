// The page of one file.

import { copies } from "./copy.js";

copies(document);
