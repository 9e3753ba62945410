// On a narrow page the list and the goal are drawers: one at a time, closed by Escape, the shade or their button.

export function drawers(app) {
  const buttons = [...app.querySelectorAll("[data-open]")];
  let opener = null;

  const show = (name) => {
    if (name) app.dataset.drawer = name;
    else delete app.dataset.drawer;
    for (const button of buttons) button.setAttribute("aria-expanded", String(button.dataset.open === name));
  };
  const close = () => {
    if (!app.dataset.drawer) return;
    show("");
    opener?.focus();
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      opener = button;
      if (app.dataset.drawer === button.dataset.open) return close();
      show(button.dataset.open);
      document.getElementById(button.dataset.open).querySelector("[data-close]").focus();
    });
  }
  for (const node of app.querySelectorAll("[data-close]")) node.addEventListener("click", close);
  addEventListener("keydown", (event) => event.key === "Escape" && close());
  document.getElementById("list").addEventListener("click", () => show(""));
}
