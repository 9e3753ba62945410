// How long something has been going on: an element with `data-since` says it, second by second.

function tick() {
  const now = Date.now();
  for (const node of document.querySelectorAll("[data-since]")) {
    const words = elapsed((now - new Date(node.dataset.since)) / 1000);
    const text = "ago" in node.dataset ? `${words} ago` : words;
    if (node.textContent !== text) node.textContent = text;
  }
}

function elapsed(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  if (whole < 60) return `${whole} s`;
  if (minutes < 10) return `${minutes} min ${whole % 60} s`;
  if (hours < 1) return `${minutes} min`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

setInterval(tick, 1000);
new MutationObserver(tick).observe(document.body, { childList: true, subtree: true });
tick();
