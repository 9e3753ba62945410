// The live socket: reconnects with growing pauses, and catches up by the seq of each goal. The socket only announces;
// what it missed is asked for again, so that nothing is lost.

const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8000;

export class Live {
  constructor(path, { onFrame, onOpen, onDown }) {
    this.url = new URL(path, location.href);
    this.url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.handlers = { onFrame, onOpen, onDown };
    this.seqs = new Map();
    this.pause = FIRST_PAUSE;
    addEventListener("online", () => this.connect());
    addEventListener("pageshow", (event) => event.persisted && this.connect());
    this.connect();
  }

  connect() {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    clearTimeout(this.timer);
    const socket = (this.socket = new WebSocket(this.url));
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      for (const goal of this.seqs.keys()) this.replay(goal);
      this.handlers.onOpen();
    };
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = () => {
      this.handlers.onDown();
      this.timer = setTimeout(() => this.connect(), this.pause * (0.7 + 0.6 * Math.random()));
      this.pause = Math.min(this.pause * 1.7, LONGEST_PAUSE);
    };
  }

  take(frame) {
    if (frame.type === "event") {
      const seen = this.seqs.get(frame.goal) ?? frame.seq - 1;
      if (frame.seq <= seen) return;
      if (frame.seq > seen + 1) return this.replay(frame.goal);
      this.seqs.set(frame.goal, frame.seq);
    }
    this.handlers.onFrame(frame);
  }

  replay(goal) {
    this.socket.send(JSON.stringify({ type: "replay", goal, after: this.seqs.get(goal) }));
  }
}

// Calls `load` soon after the first request, never twice at a time, and once more when asked meanwhile.
export function soon(load, delay = 60) {
  let timer = 0;
  let busy = false;
  let again = false;
  const ask = () => {
    if (busy) again = true;
    else timer ||= setTimeout(run, delay);
  };
  const run = async () => {
    timer = 0;
    busy = true;
    again = false;
    try {
      await load();
    } catch (error) {
      console.info("not refreshed:", error.message);
    } finally {
      busy = false;
      if (again) ask();
    }
  };
  return ask;
}
