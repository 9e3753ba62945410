// Calls `load` soon after the first request, never twice at a time, and once more when asked meanwhile. What failed is
// tried again, unless the site has said that it is not to be had.

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
const FINAL = [401, 403, 404];

export function soon(load, delay = 60) {
  let timer = 0;
  let busy = false;
  let again = false;
  let failures = 0;
  const plan = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  };
  const ask = () => {
    if (busy) again = true;
    else if (!timer || failures) plan(delay);
  };
  const run = async () => {
    busy = true;
    again = false;
    try {
      await load();
      failures = 0;
    } catch (error) {
      failures = FINAL.includes(error.status) ? 0 : failures + 1;
      console.info("not refreshed:", error.message);
    }
    busy = false;
    timer = 0;
    if (failures) plan(Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE));
    else if (again) plan(delay);
  };
  return ask;
}
