// Notifications of the browser: only for a person who asked for them by the button, only while the page is not looked at.

const KEY = "goalsite.notify";

export class Notices {
  constructor(box) {
    this.button = box.querySelector("[data-notify]");
    this.hint = box.querySelector("[data-notified]");
    if (!("Notification" in window)) return;
    this.button.addEventListener("click", () => this.change());
    this.say();
  }

  get isOn() {
    return "Notification" in window && Notification.permission === "granted" && localStorage.getItem(KEY) === "on";
  }

  async change() {
    const wanted = !this.isOn;
    if (wanted && Notification.permission !== "granted") await Notification.requestPermission();
    localStorage.setItem(KEY, wanted ? "on" : "off");
    this.say();
  }

  say() {
    const isDenied = Notification.permission === "denied";
    this.button.hidden = isDenied;
    this.button.textContent = this.isOn ? "Do not tell me in this browser" : "Tell me in this browser";
    this.hint.hidden = !isDenied;
    this.hint.textContent = "This browser keeps the site from telling you; its settings allow it.";
  }

  show(line) {
    if (!this.isOn || (document.visibilityState === "visible" && document.hasFocus())) return;
    const link = line.querySelector("a");
    const about = { body: line.querySelector(".of").textContent, tag: line.dataset.question };
    const notice = new Notification(line.querySelector(".prompt").textContent, about);
    notice.onclick = () => {
      window.focus();
      location.assign(link.href);
    };
  }
}
