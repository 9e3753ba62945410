// A menu over the message box that completes the word before the cursor. A source has a `pattern`, whose group `word` is
// what is being typed, and `find`, which gives the items for it: what each inserts, its label and its detail.

let menus = 0;

export class Completion {
  constructor(box, list, status, sources) {
    Object.assign(this, { box, list, status, sources, items: [], chosen: 0, turn: 0 });
    list.id ||= `menu-${++menus}`;
    box.addEventListener("input", () => this.update());
    box.addEventListener("click", () => this.update());
    box.addEventListener("blur", () => setTimeout(() => document.activeElement === box || this.hide(), 150));
    list.addEventListener("pointerdown", (event) => event.preventDefault()); // the box keeps the focus
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.take(this.items[[...list.children].indexOf(option)]);
    });
  }

  get isOpen() {
    return !this.list.hidden;
  }

  async update() {
    const turn = ++this.turn;
    const { box } = this;
    const before = box.value.slice(0, box.selectionStart);
    for (const source of box.selectionStart === box.selectionEnd ? this.sources : []) {
      const word = source.pattern.exec(before)?.groups.word;
      if (word === undefined) continue;
      const items = await source.find(word).catch(() => []);
      if (turn !== this.turn) return;
      this.start = before.length - word.length;
      return items.length ? this.show(items) : this.hide();
    }
    this.hide();
  }

  show(items) {
    this.items = items;
    this.list.replaceChildren(...items.map((item, index) => option(item, `${this.list.id}-${index}`)));
    this.list.hidden = false;
    const { box } = this;
    box.setAttribute("role", "combobox");
    box.setAttribute("aria-haspopup", "listbox");
    box.setAttribute("aria-autocomplete", "list");
    box.setAttribute("aria-controls", this.list.id);
    box.setAttribute("aria-expanded", "true");
    this.status.textContent = items.length === 1 ? "1 suggestion" : `${items.length} suggestions`;
    this.choose(0);
  }

  hide() {
    this.turn++;
    if (!this.isOpen) return;
    this.list.hidden = true;
    this.status.textContent = "";
    for (const name of ["role", "aria-haspopup", "aria-autocomplete", "aria-controls", "aria-expanded", "aria-activedescendant"])
      this.box.removeAttribute(name);
  }

  choose(index) {
    const { children } = this.list;
    this.chosen = (index + children.length) % children.length;
    [...children].forEach((node, at) => node.setAttribute("aria-selected", String(at === this.chosen)));
    const chosen = children[this.chosen];
    this.box.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  }

  take(item) {
    const { box } = this;
    this.hide();
    box.focus();
    box.setRangeText(item.insert, this.start, box.selectionStart, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
    this.hide();
  }

  // Whether the key was the menu's. Enter on what is written out already is the message box's.
  key(event) {
    if (!this.isOpen || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    const item = this.items[this.chosen];
    if (event.key === "ArrowDown") this.choose(this.chosen + 1);
    else if (event.key === "ArrowUp") this.choose(this.chosen - 1);
    else if (event.key === "Escape") this.hide();
    else if (event.key === "Tab" && !event.shiftKey) this.take(item);
    else if (event.key === "Enter" && !event.shiftKey && !this.isWritten(item)) this.take(item);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  isWritten(item) {
    return this.box.value.slice(this.start, this.box.selectionStart) === item.insert.trim();
  }
}

function option(item, id) {
  const node = document.createElement("li");
  node.id = id;
  node.setAttribute("role", "option");
  const label = document.createElement("code");
  const detail = document.createElement("span");
  label.textContent = item.label;
  detail.textContent = item.detail;
  label.dir = "ltr";
  detail.dir = "auto";
  node.append(label, detail);
  return node;
}
