// Steps of a plan are dragged by their grip: an extra beside the buttons and the keyboard.

export function draggable(list, onMoved) {
  let dragged = null;
  list.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".grip")?.closest(".planstep") ?? null;
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
    event.dataTransfer.setDragImage(dragged, 20, 20);
    dragged.classList.add("dragged");
  });
  list.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    const over = event.target.closest(".planstep");
    if (!over || over === dragged) return;
    const { top, height } = over.getBoundingClientRect();
    over[event.clientY < top + height / 2 ? "before" : "after"](dragged);
  });
  list.addEventListener("drop", (event) => dragged && event.preventDefault());
  list.addEventListener("dragend", () => {
    dragged?.classList.remove("dragged");
    dragged = null;
    onMoved();
  });
}
