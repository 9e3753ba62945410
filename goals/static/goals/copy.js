// Copies a block of code, whatever part of the page it stands in.

const DONE_FOR = 1600;

export function copies(page) {
  page.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button || "done" in button.dataset) return;
    const told = await copy(button.closest(".code").querySelector("code"));
    const label = button.textContent;
    button.dataset.done = "";
    button.textContent = told;
    setTimeout(() => {
      delete button.dataset.done;
      button.textContent = label;
    }, DONE_FOR);
  });
}

// Without the clipboard (a page that came without TLS, or a refusal) the code is selected, to be copied by hand.
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    return "Selected";
  }
}
