// A plan that waits for its owner: looked over, edited and answered in its place. What was edited is kept for the tab
// until the question is answered, so that neither a refresh nor a reload of the page loses it.

import { showErrors, clearError, clearErrors } from "./plan_errors.js";
import { PlanSteps } from "./plan_steps.js";
import { post } from "./send.js";

const resumed = new Map(); // the field that a person was in when its card was replaced, by question
let cards = 0;

class PlanCard extends HTMLElement {
  connectedCallback() {
    if (this.fresh !== undefined) return;
    this.fresh = this.innerHTML;
    this.key = `plan:${this.dataset.question}`;
    this.number = cards += 1;
    this.begin();
    this.addEventListener("click", (event) => this.act(event.target.closest("[data-act]")));
    this.addEventListener("input", (event) => this.typed(event.target));
    this.addEventListener("keydown", (event) => this.pressed(event));
    this.addEventListener("focusin", (event) => (this.focused = this.placeOf(event.target)));
    this.addEventListener("focusout", () => setTimeout(() => this.isConnected && this.lostFocus()));
    this.onDraft = (event) => event.detail.key === this.key && event.detail.by !== this && this.begin();
    addEventListener("plan-draft", this.onDraft);
    this.resume();
    requestAnimationFrame(() => this.showTop());
  }

  // A plan that is longer than the view is read from its beginning.
  showTop() {
    const view = this.closest("#scroll");
    if (view && this.getBoundingClientRect().top < view.getBoundingClientRect().top) {
      this.closest(".piece").scrollIntoView({ block: "start" });
    }
  }

  disconnectedCallback() {
    if (this.focused) resumed.set(this.dataset.question, this.focused);
    setTimeout(() => this.isConnected || removeEventListener("plan-draft", this.onDraft)); // or it was only moved
  }

  // The card as the site sent it, with what was edited before.
  begin() {
    this.innerHTML = this.fresh;
    for (const radio of this.querySelectorAll("[data-pick]")) radio.name += `-${this.number}`;
    const blank = this.querySelector("template[data-new]");
    this.plans = [...this.querySelectorAll(".plansteps")].map((list) => new PlanSteps(list, blank, () => this.changed()));
    const draft = JSON.parse(sessionStorage.getItem(this.key) ?? "null");
    if (draft) {
      this.plans.forEach((plan, index) => plan.write(draft.plans[index] ?? []));
      this.querySelector("[data-again]").value = draft.again;
      this.querySelector(".planagain").open = Boolean(draft.again);
      this.pick(draft.pick);
    }
    this.tell();
  }

  get picked() {
    return Number(this.querySelector("[data-pick]:checked")?.value ?? 1);
  }

  get steps() {
    return this.plans[this.picked - 1];
  }

  pick(number) {
    const radio = this.querySelector(`[data-pick][value="${number}"]`);
    if (radio) radio.checked = true;
    for (const one of this.querySelectorAll(".proposal")) one.hidden = Number(one.dataset.proposal) !== this.picked;
  }

  // -- what a person does -----------------------------------------------------------------------------------------

  act(button) {
    if (!button || this.hasAttribute("aria-busy")) return;
    const step = button.closest(".planstep");
    if (step) return this.say(this.steps.act(button.dataset.act, step));
    if (button.dataset.act === "add") this.steps.add();
    else if (button.dataset.act === "undo") this.undo();
    else if (button.dataset.act === "approve") this.approve();
    else if (button.dataset.act === "again") this.askAgain();
  }

  typed(field) {
    if (field.matches("[data-pick]")) this.pick(field.value);
    clearError(field);
    if (field.dataset.field) this.steps.typed(field);
    this.changed();
  }

  pressed(event) {
    const step = event.target.closest(".planstep");
    const by = { ArrowUp: "up", ArrowDown: "down" }[event.key];
    if (!step || !by || !event.altKey || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    this.say(this.steps.act(by, step));
  }

  undo() {
    sessionStorage.removeItem(this.key);
    this.begin();
    this.share();
    this.say("Your changes are undone");
    this.querySelector("[data-act=approve]").focus();
  }

  approve() {
    if (!this.steps.isChanged) return this.send({ approve: this.picked });
    const sent = this.steps.kept;
    if (!sent.length) return this.refuse("Nothing is left of the plan. Put a step back, add one, or ask for another plan.");
    return this.send({ plan: sent.map((step) => this.steps.stepOf(step)), of: this.picked }, sent);
  }

  askAgain() {
    const remark = this.querySelector("[data-again]");
    if (remark.value.trim()) return this.send({ again: remark.value });
    this.refuse("Say what should be different: the planner is told.");
    remark.focus();
  }

  async send(answer, sent = []) {
    this.setAttribute("aria-busy", "true");
    this.clear();
    const data = new FormData();
    data.append("value", JSON.stringify(answer));
    try {
      await post(this.dataset.answer, data, document.querySelector("[data-csrf]").dataset.csrf);
      sessionStorage.removeItem(this.key);
      this.say("Answered");
    } catch (error) {
      const rest = showErrors(error, sent, (step) => this.steps.open(step));
      if (rest) this.refuse(rest);
    } finally {
      this.removeAttribute("aria-busy");
      this.dispatchEvent(new CustomEvent("answered", { bubbles: true }));
    }
  }

  // -- what is shown and kept -------------------------------------------------------------------------------------

  changed() {
    const draft = {
      pick: this.picked,
      again: this.querySelector("[data-again]").value,
      plans: this.plans.map((plan) => (plan.isChanged ? plan.read() : [])),
    };
    const isEmpty = draft.pick === 1 && !draft.again && draft.plans.every((plan) => !plan.length);
    if (isEmpty) sessionStorage.removeItem(this.key);
    else sessionStorage.setItem(this.key, JSON.stringify(draft));
    this.tell();
    this.share();
  }

  share() {
    dispatchEvent(new CustomEvent("plan-draft", { detail: { key: this.key, by: this } }));
  }

  tell() {
    const words = this.steps.inWords;
    this.querySelector(".planchanges").textContent = words && `Your version: ${words}.`;
    this.querySelector("[data-act=undo]").hidden = !words;
    const plain = this.plans.length > 1 ? `Approve plan ${this.picked}` : "Approve";
    this.querySelector("[data-act=approve]").textContent = words ? "Approve my version" : plain;
  }

  say(text) {
    if (text) this.querySelector("[data-said]").textContent = text;
  }

  refuse(text) {
    const place = this.querySelector(":scope > .planerror");
    place.textContent = text;
    place.hidden = false;
  }

  clear() {
    clearErrors(this);
    this.querySelector(":scope > .planerror").hidden = true;
  }

  // -- where the keyboard is --------------------------------------------------------------------------------------

  placeOf(field) {
    const steps = [...this.querySelectorAll(".planstep")];
    const { selectionStart = null, selectionEnd = null } = field;
    const name = field.dataset.field ?? field.dataset.act ?? "";
    return { step: steps.indexOf(field.closest(".planstep")), name, again: "again" in field.dataset, selectionStart, selectionEnd };
  }

  lostFocus() {
    if (!this.contains(document.activeElement)) this.focused = null;
  }

  resume() {
    const place = resumed.get(this.dataset.question);
    resumed.delete(this.dataset.question);
    if (!place || document.activeElement !== document.body) return;
    const root = place.step >= 0 ? this.querySelectorAll(".planstep")[place.step] : this;
    const named = `[data-field="${place.name}"], [data-act="${place.name}"]`;
    const field = place.again ? this.querySelector("[data-again]") : place.name && root?.querySelector(named);
    if (!field) return;
    field.focus({ preventScroll: true });
    if (place.selectionStart !== null) field.setSelectionRange(place.selectionStart, place.selectionEnd);
  }
}

customElements.define("plan-card", PlanCard);
