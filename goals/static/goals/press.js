// A press becomes a click only if what it began on is still there when it ends, so what is new waits for its end; though
// not for ever, since a browser may keep the end to itself.

const LONGEST = 10_000;
let press = null;

addEventListener("pointerdown", (event) => event.isPrimary && event.button === 0 && begin(), { capture: true });

function begin() {
  const here = new Promise((over) => {
    const heard = new AbortController();
    const end = () => {
      heard.abort();
      setTimeout(over); // the click comes first
    };
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end, { capture: true, signal: heard.signal });
    setTimeout(over, LONGEST);
  });
  press = here;
  here.then(() => press === here && (press = null));
}

// The end of a press that lasts, or null.
export const released = () => press;
