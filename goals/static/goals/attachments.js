// Files beside the message box: dropped, pasted or chosen; each is sent at once, shows how far it is, and what went
// wrong with it alone. They go with the next message by their ids.

import { holdFocus } from "./focus.js";
import { post } from "./send.js";
import { upload } from "./upload.js";

export class Attachments {
  constructor(list, { url, csrf, longest, most, onChange }) {
    Object.assign(this, { list, url, csrf, longest, most, onChange, items: [] });
  }

  get arrived() {
    return this.items.filter((item) => item.id);
  }

  // What a draft keeps of them.
  get kept() {
    return this.arrived.map(({ id, name, size }) => ({ id, name, size }));
  }

  get failed() {
    return this.items.find((item) => item.problem);
  }

  restore(kept) {
    for (const { id, name, size } of kept) this.show({ id, name, size });
  }

  add(files) {
    for (const file of files) {
      const item = this.show({ name: file.name, size: sizeInWords(file.size), file });
      if (this.items.length > this.most) this.fail(item, `At most ${this.most} files go with one message.`);
      else if (file.size > this.longest) this.fail(item, `It has ${item.size}; at most ${sizeInWords(this.longest)} are allowed.`);
      else this.send(item);
    }
  }

  async send(item) {
    item.problem = "";
    item.sending = upload(this.url, item.file, this.csrf, (part) => this.draw(item, part));
    this.draw(item, 0);
    try {
      const { id, name, size } = await item.sending.done;
      Object.assign(item, { id, name, size });
      this.draw(item);
    } catch (error) {
      this.fail(item, error.message);
    }
    this.onChange();
  }

  fail(item, problem) {
    item.problem = problem;
    this.draw(item);
  }

  // Waits until none is on its way; what failed is for the caller to look at.
  async settled() {
    await Promise.allSettled(this.items.map((item) => item.sending?.done));
  }

  remove(item) {
    item.sending?.abort();
    if (item.id) post(`${this.url}${item.id}/drop/`, new FormData(), this.csrf).catch(() => {});
    this.items = this.items.filter((one) => one !== item);
    item.node.remove();
    this.onChange();
  }

  // Those that went with a message; what came meanwhile stays.
  clear(gone) {
    for (const item of gone) item.node.remove();
    this.items = this.items.filter((item) => !gone.includes(item));
  }

  show(item) {
    item.node = document.createElement("li");
    this.items.push(item);
    this.list.append(item.node);
    this.draw(item);
    return item;
  }

  draw(item, part) {
    const name = document.createElement("bdi");
    const state = document.createElement("span");
    name.textContent = item.name;
    state.textContent = item.problem || (part === undefined ? item.size : part < 1 ? `${Math.round(part * 100)} %` : "Storing");
    if (item.problem) state.setAttribute("role", "alert");
    const nodes = [name, state];
    if (part !== undefined) {
      const bar = document.createElement("progress");
      Object.assign(bar, { max: 1, value: part, ariaLabel: `Sending ${item.name}` });
      nodes.push(bar);
    }
    if (item.problem && item.file && item.file.size <= this.longest) nodes.push(this.button("Try again", () => this.send(item)));
    nodes.push(this.button("Remove", () => this.remove(item), `Remove ${item.name}`));
    item.node.className = item.problem ? "failed" : part === undefined ? "" : "sending";
    const focusAgain = holdFocus(item.node);
    item.node.replaceChildren(...nodes);
    focusAgain();
  }

  button(text, act, label = text) {
    const node = document.createElement("button");
    Object.assign(node, { type: "button", className: "link", textContent: text, ariaLabel: label });
    node.addEventListener("click", act);
    return node;
  }
}

// Files from a drop or a paste, without folders: a folder has no content that could be sent.
export function filesOf(transfer) {
  const items = [...(transfer?.items ?? [])].filter((item) => item.kind === "file");
  return items.filter((item) => !item.webkitGetAsEntry?.()?.isDirectory).map((item) => item.getAsFile()).filter(Boolean);
}

function sizeInWords(size) {
  if (size < 1000) return size === 1 ? "1 byte" : `${size} bytes`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}
