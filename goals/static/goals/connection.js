// Says above the page when what it shows may be old, why, and of when it is.

const DELAY = 600; // a connection that is back sooner is not worth a word
const WORDS = {
  offline: ["You are offline.", "Your goals go on; this page catches up by itself."],
  down: ["The connection is lost.", "Your goals go on; this page catches up by itself."],
  silent: ["The site does not answer.", "Your goals may still go on; this page keeps trying."],
  out: ["You are signed out.", "What you have written is kept."],
  gone: ["This is not here any more.", "It was removed, or it is not yours."],
};

const banner = document.getElementById("offline");
let heard = new Date();
let timer = 0;
let isOut = false;

// Something came: what is shown is of now. That one is signed out stays said until a new beginning.
export function connected(anew = false) {
  heard = new Date();
  if (isOut && !anew) return;
  isOut = false;
  clearTimeout(timer);
  timer = 0;
  if (banner) banner.hidden = true;
}

// `why` is a key of WORDS; `act` is what its button does, named by `label`.
export function disconnected(why, act, label = "Try now") {
  if (!banner) return;
  clearTimeout(timer);
  isOut = why === "out";
  const wait = banner.hidden && why === "down" ? DELAY : 0;
  timer = setTimeout(() => show(navigator.onLine || why === "out" ? why : "offline", act, label), wait);
}

function show(why, act, label) {
  const [words, more] = WORDS[why];
  banner.dataset.why = why;
  banner.querySelector("strong").textContent = words;
  banner.querySelector(".more").textContent = more;
  const time = banner.querySelector("time");
  time.dateTime = heard.toISOString();
  time.textContent = heard.toLocaleTimeString();
  time.title = heard.toLocaleString();
  const button = banner.querySelector("button");
  button.hidden = !act;
  button.textContent = label;
  button.onclick = act;
  banner.hidden = false;
}
