// @ts-check
// A phone's line to the server. News come through a WebSocket, or by asking again and again where a proxy lets none
// through. What a person does is a post, kept until the server has it, also through a reload.
import { say } from "./dom.js";
/** @import { PhoneAct, PhoneNews } from "./types" */

const WAITS = [300, 1000, 2000, 4000]; // ms before the next try
const ASKING = 2500; // ms between two questions without a WebSocket
const PATIENCE = 3; // WebSockets that never opened, before the phone asks instead
const OPENING = 5000; // ms in which one must have opened

export class Line {
  /**
   * @param {string} address of the room
   * @param {(news: PhoneNews) => void} tell
   * @param {(isOpen: boolean) => void} tellOpen
   */
  constructor(address, tell, tellOpen) {
    this.address = address;
    this.tell = tell;
    this.tellOpen = tellOpen;
    this.failures = 0;
    this.isAway = false; // another tab has the line, or the room has ended
    this.isPosting = false;
    this.storage = `transformer-classroom-${address}`;
    this.waiting = /** @type {PhoneAct[]} */ (this.recall());
    /** @type {WebSocket | null} */
    this.socket = null;
    this.timer = 0;
    addEventListener("online", () => this.renew());
    addEventListener("offline", () => this.tellOpen(false));
    document.addEventListener("visibilitychange", () => document.hidden || this.renew());
  }

  /** Open the line, or see that it is open. */
  open() {
    clearTimeout(this.timer);
    if (this.isAway || (this.socket && this.socket.readyState <= WebSocket.OPEN)) return;
    if (this.failures >= PATIENCE) void this.ask();
    const socket = new WebSocket(this.at("news").replace(/^http/, "ws"));
    let hasOpened = false;
    this.socket = socket;
    const opening = setTimeout(() => socket.close(), OPENING);
    socket.onopen = () => {
      hasOpened = true;
      clearTimeout(opening);
      this.failures = 0;
      this.begin();
    };
    socket.onmessage = ({ data }) => this.socket === socket && this.tell(JSON.parse(data));
    socket.onclose = ({ code }) => {
      clearTimeout(opening);
      if (this.socket !== socket || this.isAway) return;
      this.failures += hasOpened ? 0 : 1;
      if (code >= 4000) this.isAway = true; // the server has said why
      else this.retry(!hasOpened);
    };
  }

  /** Take the line back from another tab. */
  take() {
    this.isAway = false;
    this.renew();
  }

  /** Open another line: after a sleep, this one may be dead without having heard so. */
  renew() {
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.open();
  }

  /** Say and hear nothing more. */
  end() {
    this.isAway = true;
    this.waiting = [];
    clearTimeout(this.timer);
  }

  begin() {
    this.tellOpen(true);
    void this.flush();
  }

  /** @param {boolean} hasFailed */
  retry(hasFailed) {
    if (this.failures < PATIENCE) this.tellOpen(false);
    const wait = this.failures >= PATIENCE ? ASKING : WAITS[Math.min(this.failures, WAITS.length - 1)];
    this.timer = setTimeout(() => this.open(), hasFailed ? wait * (1 + Math.random() / 2) : WAITS[0] * Math.random());
  }

  /** Ask for the news without a WebSocket. */
  async ask() {
    const news = await this.fetch("news");
    this.tellOpen(news !== null);
    if (news === null) return;
    this.tell(news);
    void this.flush();
  }

  /** Do something: at once, or when the line is open again. @param {PhoneAct} act */
  act(act) {
    const isOther = (/** @type {PhoneAct} */ each) => each.act !== act.act || each.key !== act.key;
    if (act.key) this.waiting = this.waiting.filter(isOther); // the last answer counts
    this.waiting.push(act);
    this.keep();
    void this.flush();
  }

  /** Do something now or never: a key of the remote that is pressed a minute later would surprise a class. @param {PhoneAct} act */
  async press(act) {
    this.tell((await this.fetch("acts", act)) ?? { said: say("No connection. Press it again.") });
  }

  async flush() {
    if (this.isPosting) return;
    this.isPosting = true;
    while (this.waiting.length) {
      const [act] = this.waiting;
      const news = await this.fetch("acts", act);
      this.tellOpen(news !== null);
      if (news === null) {
        setTimeout(() => this.flush(), ASKING);
        break;
      }
      this.waiting = this.waiting.filter((each) => each !== act);
      this.keep();
      this.tell(news);
    }
    this.isPosting = false;
  }

  /** Return what the server answers, null without a line. @param {string} path @param {unknown} [body] */
  async fetch(path, body) {
    const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    try {
      const response = await fetch(this.at(path), body === undefined ? {} : post);
      return response.status >= 500 ? null : /** @type {PhoneNews} */ (await response.json());
    } catch {
      return null;
    }
  }

  /** Return the address of something, which is to speak the page's language. @param {string} path */
  at(path) {
    return `${this.address}/${path}?lang=${document.documentElement.lang}`;
  }

  recall() {
    try {
      return JSON.parse(sessionStorage.getItem(this.storage) ?? "[]");
    } catch {
      return [];
    }
  }

  keep() {
    try {
      sessionStorage.setItem(this.storage, JSON.stringify(this.waiting));
    } catch (error) {
      console.info("This browser keeps nothing for this tab.", error);
    }
  }
}
