// Whether the other side is still there: after a silence it is asked, and it has some seconds to say a word. Clocks that
// stood still (a frozen tab, a closed lid) are found out at the first tick after.

const TICK = 2000;
const QUIET = 15_000;
const PATIENCE = 8000;
const SHORT_PATIENCE = 3000; // when there is a reason to doubt

export class Heartbeat {
  constructor({ ask, late }) {
    this.ask = ask;
    this.late = late;
    this.stop();
    setInterval(() => this.tick(), TICK);
  }

  // Something is expected from now on.
  begin() {
    this.due = Date.now() + PATIENCE;
    this.going = true;
  }

  // Something came.
  beat() {
    this.due = 0;
    this.quiet = Date.now() + QUIET;
  }

  stop() {
    this.due = 0;
    this.going = false;
  }

  // There is a reason to doubt: ask now.
  doubt() {
    if (!this.going) return;
    this.due = Math.min(this.due || Infinity, Date.now() + SHORT_PATIENCE);
    this.ask();
  }

  tick() {
    if (!this.going) return;
    const now = Date.now();
    if (this.due && now > this.due) this.late();
    else if (!this.due && now > this.quiet) {
      this.due = now + PATIENCE;
      this.ask();
    }
  }
}
