// The steps of one proposed plan as an editable list: moved, edited, dropped, put back, added.
// The list itself holds the edition; `read` and `write` turn it into a draft and back.

import { draggable } from "./plan_drag.js";
import { fieldsOf, isEdited, isTouched, show, valueOf } from "./plan_fields.js";

const WORDS = ["instructions", "prompt", "question", "text"];

export class PlanSteps {
  constructor(list, blank, onChange) {
    this.list = list;
    this.blank = blank;
    this.onChange = onChange;
    this.order = this.all.map((step) => step.dataset.step).join();
    this.number();
    draggable(list, () => this.changed());
  }

  get all() {
    return [...this.list.children];
  }

  get kept() {
    return this.all.filter((step) => !("dropped" in step.dataset));
  }

  get isChanged() {
    return this.inWords !== "";
  }

  get inWords() {
    const added = this.kept.filter((step) => !step.dataset.step).length;
    const edited = this.kept.filter((step) => step.dataset.step && isEdited(step)).length;
    const dropped = this.all.length - this.kept.length;
    const order = this.all.map((step) => step.dataset.step).filter(Boolean).join();
    const parts = [edited && `${edited} edited`, added && `${added} added`, dropped && `${dropped} dropped`];
    return [...parts, order !== this.order && "in another order"].filter(Boolean).join(", ");
  }

  // -- what a person does -----------------------------------------------------------------------------------------

  // Returns what was done, for whoever does not see it.
  act(name, step) {
    const acts = {
      up: () => this.move(step, step.previousElementSibling, "before"),
      down: () => this.move(step, step.nextElementSibling, "after"),
      edit: () => (step.querySelector(".planfields").hidden ? this.open(step, true) : this.close(step)),
      close: () => this.close(step),
      drop: () => this.drop(step),
      restore: () => this.restore(step),
    };
    return acts[name]?.() ?? "";
  }

  move(step, other, where) {
    if (!other) return "";
    const held = document.activeElement;
    other[where](step);
    if (step.contains(held)) held.focus();
    this.changed();
    step.scrollIntoView({ block: "nearest" });
    return `${title(step)} is now step ${this.kept.indexOf(step) + 1} of ${this.kept.length}`;
  }

  open(step, focus = false) {
    step.querySelector(".planfields").hidden = false;
    step.querySelector("[data-act=edit]").setAttribute("aria-expanded", "true");
    if (focus) step.querySelector("[data-field]").focus();
  }

  close(step) {
    step.querySelector(".planfields").hidden = true;
    const button = step.querySelector("[data-act=edit]");
    button.setAttribute("aria-expanded", "false");
    button.focus();
  }

  drop(step) {
    const name = title(step);
    if (!step.dataset.step) {
      const next = step.nextElementSibling ?? step.previousElementSibling;
      step.remove();
      next?.querySelector("[data-act=edit]").focus();
    } else {
      setDropped(step, true);
      step.querySelector("[data-act=restore]").focus();
    }
    this.changed();
    return `${name} is dropped`;
  }

  restore(step) {
    setDropped(step, false);
    step.querySelector("[data-act=drop]").focus();
    this.changed();
    return `${title(step)} is back`;
  }

  add() {
    const step = this.fresh();
    this.changed();
    this.open(step, true);
    step.scrollIntoView({ block: "nearest" });
  }

  typed(field) {
    show(field);
    const step = field.closest(".planstep");
    step.querySelector("[data-mine]").hidden = !isEdited(step);
  }

  changed() {
    this.number();
    this.onChange();
  }

  // -- the plan ---------------------------------------------------------------------------------------------------

  // The step as it is sent: as it was proposed, with what was edited.
  stepOf(step) {
    const plain = JSON.parse(step.dataset.raw);
    const twin = WORDS.find((name) => plain.args[name] === plain.description);
    for (const field of fieldsOf(step).filter(isTouched)) {
      const [name, inner] = field.dataset.field.split(".");
      if (inner) plain[name][inner] = valueOf(field);
      else plain[name] = valueOf(field);
      if (name === "description" && twin) plain.args[twin] = field.value;
    }
    return plain;
  }

  read() {
    return this.all.map((step) => ({
      from: step.dataset.step ?? "",
      dropped: "dropped" in step.dataset,
      open: !step.querySelector(".planfields").hidden,
      fields: Object.fromEntries(fieldsOf(step).filter(isTouched).map((field) => [field.dataset.field, field.value])),
    }));
  }

  write(draft) {
    for (const { from, dropped, open, fields } of draft) {
      const step = from ? this.all.find((one) => one.dataset.step === from) : this.fresh();
      if (!step) continue;
      this.list.append(step);
      for (const field of fieldsOf(step).filter((one) => one.dataset.field in fields)) {
        field.value = fields[field.dataset.field];
        this.typed(field);
      }
      if (dropped) setDropped(step, true);
      if (open) this.open(step);
    }
    this.number();
  }

  fresh() {
    const step = this.blank.content.firstElementChild.cloneNode(true);
    const mine = step.querySelector("[data-mine]");
    mine.textContent = "added by you";
    mine.hidden = false;
    this.list.append(step);
    return step;
  }

  number() {
    let number = 0;
    for (const step of this.all) {
      const place = step.querySelector(".plannumber");
      place.textContent = "dropped" in step.dataset ? "–" : (number += 1);
      step.querySelector("[data-act=up]").disabled = !step.previousElementSibling;
      step.querySelector("[data-act=down]").disabled = !step.nextElementSibling;
      step.setAttribute("aria-label", `Step ${place.textContent}: ${title(step)}`);
    }
  }
}

function title(step) {
  return step.querySelector('[data-shows="title"]').textContent.trim() || "A new step";
}

function setDropped(step, dropped) {
  if (dropped) step.dataset.dropped = "";
  else delete step.dataset.dropped;
  for (const name of ["up", "down", "edit", "drop"]) step.querySelector(`[data-act=${name}]`).hidden = dropped;
  step.querySelector("[data-act=restore]").hidden = !dropped;
  if (dropped) step.querySelector(".planfields").hidden = true;
}
