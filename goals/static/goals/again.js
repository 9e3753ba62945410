// What a goal is doing changes without an event: while it is at work it is looked at again, the slower the less happens.

const FIRST = 1200;
const SLOWEST = 12000;

// Returns what is to be called with whatever each look has shown.
export function again(look, isBusy) {
  let timer = 0;
  let pause = FIRST;
  let last = "";
  document.addEventListener("visibilitychange", () => document.hidden || look());
  return (shown) => {
    clearTimeout(timer);
    pause = shown === last ? Math.min(pause * 1.6, SLOWEST) : FIRST;
    last = shown;
    if (isBusy() && !document.hidden) timer = setTimeout(look, pause);
  };
}
