// What was said before: it comes a page at a time as one scrolls up, or by the button, and what one reads stays in place.

import { holdFocus } from "./focus.js";
import { paged, reconcile } from "./pieces.js";
import { fragment } from "./send.js";

const NEAR = 500; // pixels from the top at which the page before is fetched
const MAY_CHANGE = ".asks.open, .retry, .taken";

export class Earlier {
  constructor(scroll, timeline, address) {
    Object.assign(this, { scroll, timeline, address, first: null, busy: false });
    scroll.addEventListener("scroll", () => scroll.scrollTop < NEAR && this.load(), { passive: true });
    timeline.addEventListener("click", (event) => event.target.closest("[data-earlier]") && this.load());
  }

  // Where the latest part is: once a page before it is shown, all from that page's end on, so that no hole opens.
  get latest() {
    return this.first ? `${this.address}?from=${this.first}` : this.address;
  }

  get pages() {
    return [...this.timeline.querySelectorAll(":scope > .page")];
  }

  async load() {
    const button = this.timeline.querySelector("[data-earlier]");
    if (!button || this.busy) return;
    this.busy = true;
    try {
      const before = button.dataset.earlier;
      const html = await fragment(`${this.address}?before=${before}`);
      if (button.isConnected) this.show(before, html, button.closest(".piece"));
    } catch (error) {
      console.info("no earlier messages:", error.message);
    } finally {
      this.busy = false;
    }
  }

  show(before, html, placeholder) {
    const reading = placeholder.nextElementSibling;
    const top = reading.getBoundingClientRect().top;
    this.first ??= before;
    this.scroll.style.overflowAnchor = "none"; // the browser would keep the place, too, and both were too much
    const focusAgain = holdFocus(this.timeline); // of the button: the page before has one, too
    placeholder.remove();
    this.timeline.prepend(paged(html, before));
    focusAgain();
    this.scroll.scrollTop += reading.getBoundingClientRect().top - top;
    requestAnimationFrame(() => requestAnimationFrame(() => (this.scroll.style.overflowAnchor = "")));
  }

  // After the latest part is shown anew: look again at earlier pages with something in them that may have changed, and
  // begin anew when there is too much between them and the latest part.
  async refresh() {
    if (this.first && this.timeline.querySelector(":scope > #earlier")) {
      for (const page of this.pages) page.remove();
      this.first = null;
    }
    for (const page of this.pages.filter((one) => one.querySelector(MAY_CHANGE))) {
      reconcile(page, await fragment(`${this.address}?before=${page.dataset.before}`));
    }
  }
}
