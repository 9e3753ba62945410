// A reply while it is written: shown as far as it has come, in plain paragraphs and blocks of code, until the site's own
// rendering of the whole takes its place.

export class Writing {
  constructor(timeline) {
    this.timeline = timeline;
    this.text = "";
    this.next = 0;
  }

  // Takes a piece. Index 0 begins anew; whoever came in the middle sees that something is missing before it.
  take({ index, text }) {
    if (index === 0) this.text = "";
    else if (index !== this.next) this.text = `${this.text}… `;
    this.next = index + 1;
    this.text += text;
    this.node().replaceChildren(...blocks(this.text));
  }

  // The message is there: what was written of it goes when the timeline shows it.
  end() {
    document.getElementById("draft")?.setAttribute("data-done", "");
    this.text = "";
    this.next = 0;
  }

  // To be called when the timeline shows what the site has.
  clear() {
    document.querySelector("#draft[data-done]")?.remove();
  }

  node() {
    let node = document.getElementById("draft");
    if (node && "done" in node.dataset) {
      node.remove();
      node = null;
    }
    if (node) return node;
    node = document.createElement("div");
    node.id = "draft";
    node.className = "piece assistant draft prose";
    node.setAttribute("aria-hidden", "true");
    this.timeline.append(node);
    return node;
  }
}

function blocks(text) {
  return text.split(/^(```[^\n]*\n[\s\S]*?(?:^```[^\n]*$|$(?![\s\S])))/m).flatMap((part) => {
    if (part.startsWith("```")) return [code(part)];
    return part.split(/\n{2,}/).filter((words) => words.trim()).map(paragraph);
  });
}

function code(part) {
  const box = document.createElement("div");
  const pre = document.createElement("pre");
  box.className = "code";
  pre.textContent = part.replace(/^```[^\n]*\n/, "").replace(/\n?```[^\n]*$/, "");
  box.append(pre);
  return box;
}

function paragraph(words) {
  const node = document.createElement("p");
  node.dir = "auto";
  node.textContent = words.trim();
  return node;
}
