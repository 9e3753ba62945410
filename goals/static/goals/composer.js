// The message box: Enter sends, "/" shows the commands, and what was refused is said beside it.

export function composer(form, send) {
  const box = form.elements.content;
  const problem = form.querySelector(".problem");
  const menu = commands(box, form.querySelector("#commands"));

  const submit = async () => {
    if (!box.value.trim() || form.dataset.busy) return;
    form.dataset.busy = "";
    problem.hidden = true;
    try {
      await send(new FormData(form));
      form.reset();
      menu.update();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    } finally {
      delete form.dataset.busy;
      box.focus();
    }
  };
  menu.update();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  box.addEventListener("input", () => menu.update());
  box.addEventListener("keydown", (event) => {
    if (menu.key(event)) return event.preventDefault();
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    }
  });
  box.addEventListener("blur", () => setTimeout(() => menu.hide(), 150));
}

function commands(box, list) {
  const options = [...list.children];
  let chosen = 0;
  const shown = () => options.filter((option) => !option.hidden);
  const mark = () => {
    const open = shown();
    for (const option of options) option.setAttribute("aria-selected", String(option === open[chosen]));
    if (list.hidden || !open[chosen]) box.removeAttribute("aria-activedescendant");
    else box.setAttribute("aria-activedescendant", open[chosen].id);
  };
  const hide = () => {
    list.hidden = true;
    mark();
  };
  const update = () => {
    const typed = box.value;
    for (const option of options) option.hidden = !option.dataset.insert.startsWith(typed.split(" ")[0]);
    list.hidden = !/^\/[a-z]*$/.test(typed) || !shown().length;
    chosen = 0;
    mark();
  };
  const take = (option) => {
    box.value = option.dataset.insert;
    hide();
    box.focus();
  };
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const option = event.target.closest("li");
    if (option) take(option);
  });
  const key = (event) => {
    if (list.hidden) return false;
    const open = shown();
    if (event.key === "ArrowDown") chosen = (chosen + 1) % open.length;
    else if (event.key === "ArrowUp") chosen = (chosen + open.length - 1) % open.length;
    else if (event.key === "Escape") hide();
    else if (event.key === "Tab" || (event.key === "Enter" && box.value !== open[chosen].dataset.insert.trim())) {
      take(open[chosen]);
    } else return false;
    mark();
    return true;
  };
  return { update, hide, key };
}
