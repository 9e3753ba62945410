// Hears, on whatever page, that something else waits for this person. It says nothing of a lost connection: the page's
// own socket does; what was missed meanwhile is looked at as soon as this one is back, or the page is seen again.

import { whenSignedIn } from "./signin.js";

const PAUSE = 4000;
const SLOWLY = 60000;
const SIGNED_OUT = 4401;

export function onNeeds(look) {
  const address = new URL("/ws/needs/", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";

  const connect = () => {
    const socket = new WebSocket(address);
    socket.onmessage = () => look();
    socket.onclose = (event) => {
      if (event.code !== SIGNED_OUT) setTimeout(connect, PAUSE * (1 + Math.random()));
    };
  };
  whenSignedIn(connect);
  document.addEventListener("visibilitychange", () => document.hidden || look());
  setInterval(() => document.hidden || look(), SLOWLY);
  connect();
}
