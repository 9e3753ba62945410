// Questions on the goal's page: what waits for this person is counted in the bell, and this goal's are answered in a sheet
// over the page.

import "./clock.js";
import "./tray.js";
import { forms } from "./forms.js";

const changed = () => document.dispatchEvent(new Event("goalsite:changed"));

forms({ csrf: document.getElementById("goal").dataset.csrf, onDone: changed, onRefused: (text) => console.info(text) });
document.addEventListener("answered", changed);
