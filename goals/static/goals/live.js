// The live socket. It only announces: what was missed while it was away is asked for again from the last seq of each
// goal, so that every event is handed on once and in order, whatever is killed, closed or frozen meanwhile.

import { connected, disconnected } from "./connection.js";
import { Heartbeat } from "./heartbeat.js";
import { askToSignIn } from "./signedout.js";
import { whenSignedIn } from "./signin.js";
export { soon } from "./soon.js";

const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8000;
const SIGNED_OUT = 4401;
const NOT_HERE = 4404;

export class Live {
  // `onOpen` is called at each beginning, for what no event tells of; `seqs` is where the goals stood on the page as it
  // came, {goal: seq}. Without it the first `hello` says where to begin, and `onOpen` shows what was before.
  constructor(path, { onFrame, onOpen, onDown, seqs }) {
    this.url = new URL(path, location.href);
    this.url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.handlers = { onFrame, onOpen, onDown };
    this.seqs = seqs ? new Map(Object.entries(seqs)) : null;
    this.pause = FIRST_PAUSE;
    this.heart = new Heartbeat({ ask: () => this.send({ type: "ping" }), late: () => this.lost("silent") });
    const look = () => this.look();
    for (const name of ["online", "offline", "focus"]) addEventListener(name, look);
    for (const name of ["visibilitychange", "resume"]) document.addEventListener(name, look);
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", (event) => event.persisted && this.look());
    whenSignedIn(() => this.connect());
    this.connect();
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    this.close();
    this.asked = new Map();
    this.heart.begin();
    const socket = (this.socket = new WebSocket(this.url));
    socket.onmessage = (event) => {
      if (socket === this.socket) this.hear(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.closed(event.code);
    };
  }

  // Forget the socket; what it still says is not heard.
  close() {
    clearTimeout(this.timer);
    this.heart.stop();
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  // Something happened that sockets seldom survive, or that says they may live again.
  look() {
    if (document.visibilityState === "hidden" || this.ended) return;
    if (this.open) this.heart.doubt();
    else if (this.socket?.readyState !== WebSocket.CONNECTING) this.connect();
  }

  closed(code) {
    if (code === SIGNED_OUT) this.end("out", askToSignIn, "Sign in");
    else if (code === NOT_HERE) this.end("gone");
    else this.lost("down");
  }

  end(why, act, label) {
    this.close();
    this.ended = true;
    this.handlers.onDown?.();
    disconnected(why, act, label);
  }

  lost(why) {
    this.close();
    this.handlers.onDown?.();
    disconnected(why, () => this.connect());
    this.timer = setTimeout(() => this.connect(), this.pause * (0.7 + 0.6 * Math.random()));
    this.pause = Math.min(this.pause * 1.7, LONGEST_PAUSE);
  }

  hear(frame) {
    this.heart.beat();
    connected(frame.type === "hello");
    if (frame.type === "hello") this.begin(frame.goals);
    else if (frame.type === "event") this.take(frame);
    else if (frame.type !== "pong") this.handlers.onFrame(frame);
  }

  begin(goals) {
    this.pause = FIRST_PAUSE;
    this.ended = false;
    this.seqs ??= new Map(Object.entries(goals));
    for (const [goal, seq] of Object.entries(goals)) if (seq > this.seen(goal)) this.replay(goal);
    this.handlers.onOpen?.();
  }

  // The last seq that was handed on. A goal that was not there at the beginning is told from its first event.
  seen(goal) {
    return this.seqs.get(goal) ?? 0;
  }

  take(frame) {
    const seen = this.seen(frame.goal);
    if (frame.seq <= seen) return;
    if (frame.seq > seen + 1) return this.replay(frame.goal);
    this.seqs.set(frame.goal, frame.seq);
    this.handlers.onFrame(frame);
  }

  // Ask for what is missing, once: the frames that come before the answer are in it, too.
  replay(goal) {
    const after = this.seen(goal);
    if (this.asked.get(goal) === after) return;
    this.asked.set(goal, after);
    this.send({ type: "replay", goal, after });
  }

  send(frame) {
    if (this.open) this.socket.send(JSON.stringify(frame));
  }
}
