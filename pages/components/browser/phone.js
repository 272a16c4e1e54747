// @ts-check
// The page of a phone in a room: where the class is, the question with its answers, a sentence to send; and the
// teacher's remote. Text is set as text, never as HTML.
import { make } from "./dom.js";
import { Line } from "./phone_line.js";
import { drawQuestion, setText } from "./phone_question.js";
import { drawRemote } from "./phone_remote.js";
/** @import { PhoneNews } from "./types" */

/** The parts of the page; each is drawn anew only when what is in it has changed. */
class Phone {
  /** @param {string} address */
  constructor(address) {
    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    this.status = make("p", { class: "status", role: "status" }, main);
    this.place = make("section", { class: "place", "aria-live": "polite" }, main);
    this.remote = make("section", { class: "remote" }, main);
    this.questions = make("section", { class: "questions", "aria-live": "polite" }, main);
    this.sentences = make("section", { class: "sentences" }, main);
    this.more = make("nav", {}, main);
    /** @type {Map<Element, string>} */
    this.drawn = new Map();
    /** @type {PhoneNews} */
    this.news = {};
    this.line = new Line(address, (news) => this.tell(news), (isOpen) => this.tellOpen(isOpen));
  }

  /** @param {PhoneNews} news */
  tell(news) {
    if (news.go) return location.replace(news.go);
    if (news.enter !== undefined) return this.askCode(news.enter);
    Object.assign(this.news, { said: "", problem: "" }, news);
    this.draw();
  }

  /** @param {boolean} isOpen */
  tellOpen(isOpen) {
    if (isOpen === this.isOpen) return;
    this.isOpen = isOpen;
    this.draw();
  }

  isOpen = true;

  draw() {
    const { state, own, problem, elsewhere } = this.news;
    const offline = this.isOpen ? "" : "No connection. What you answer is kept and sent.";
    this.redraw(this.status, { text: problem || elsewhere || offline, elsewhere }, ({ text }) => {
      this.status.textContent = text;
      if (elsewhere) this.addButton(this.status, "Use it here", () => this.takeBack());
    });
    if (!state || !own) return;
    this.redraw(this.place, [state.step, state.title, state.task, state.model], () => {
      if (state.step) make("p", { class: "step" }, this.place, state.step);
      setText(make("h1", {}, this.place), state.title);
      if (state.task) setText(make("p", {}, this.place), state.task);
      if (state.model) make("p", { class: "note" }, this.place, `Your class has a model: ${state.model}.`);
    });
    this.redraw(this.remote, own.remote ?? null, (remote) => remote && drawRemote(this.remote, remote, this.line));
    this.redraw(this.questions, [state.asked, own.answers, own.remote?.counts], () => {
      for (const asked of state.asked) {
        const shown = { ...asked, ...own.remote?.counts[asked.key] }; // a remote sees more than the class
        drawQuestion(this.questions, shown, own.answers[asked.key], (answer) => this.answer(asked.key, answer));
      }
    });
    if (state.ended) return this.end();
    if (!own.remote) this.drawSentences();
    this.redraw(this.more, [state.open, own.remote !== undefined], () => {
      if (!own.remote) make("a", { href: state.open }, this.more, "Look for yourself →");
    });
  }

  /**
   * Draw a part anew if what is in it has changed.
   * @template Values @param {Element} part @param {Values} values @param {(values: Values) => void} draw
   */
  redraw(part, values, draw) {
    const text = JSON.stringify(values);
    if (this.drawn.get(part) === text) return;
    this.drawn.set(part, text);
    part.replaceChildren();
    draw(values);
  }

  /** @param {string} key @param {string | number} answer */
  answer(key, answer) {
    const { own } = this.news;
    if (own && typeof answer === "number") {
      own.answers = { ...own.answers, [key]: { ...own.answers[key], now: answer } };
      this.draw(); // at once; the server's word follows
    }
    this.line.act({ act: "answer", key, answer });
  }

  drawSentences() {
    const { own, state, said } = this.news;
    if (!own || !state) return;
    if (!this.form) this.form = this.makeForm();
    const { list, note } = this.form;
    note.textContent = said ?? "";
    const { sentences } = own;
    this.redraw(list, sentences, () => {
      for (const each of sentences) {
        const line = make("li", {}, list, `${each.source} → ${each.target}: ${each.fate}`);
        if (each.written) make("strong", {}, line, ` The model writes: ${each.written}`);
      }
    });
  }

  makeForm() {
    const folded = make("details", {}, this.sentences);
    make("summary", {}, folded, "Send a sentence");
    make("p", {}, folded, "Your teacher reads it first. Then the class trains a model that learns it.");
    const form = make("form", {}, folded);
    const boxes = ["French", "English"].map((label) => {
      const field = make("label", {}, form, label);
      return make("input", { maxlength: 200, required: true, autocomplete: "off" }, field);
    });
    make("button", {}, form, "Send");
    const note = make("p", { role: "status" }, folded);
    const list = make("ul", {}, folded);
    form.onsubmit = (event) => {
      event.preventDefault();
      const [source, target] = boxes.map((box) => box.value.trim());
      this.line.act({ act: "send", source, target });
      for (const box of boxes) box.value = "";
      note.textContent = "On its way.";
    };
    return { list, note };
  }

  /** Ask for the class code of the server. @param {string} problem */
  askCode(problem) {
    const [code] = /code=([^&]*)/.exec(location.search)?.slice(1) ?? [];
    history.replaceState(null, "", location.pathname); // people share addresses
    if (code && !problem) return void this.enter(decodeURIComponent(code));
    this.status.textContent = problem;
    this.place.replaceChildren();
    const form = make("form", {}, this.place);
    const box = make("input", { type: "password", autocomplete: "off" }, make("label", {}, form, "Class code"));
    make("button", {}, form, "Enter");
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.enter(box.value);
    };
  }

  /** Come into the room. @param {string} code */
  async enter(code = "") {
    const news = await this.line.fetch("enter", { code });
    if (news === null) {
      this.tellOpen(false);
      setTimeout(() => this.enter(code), 2000);
      return;
    }
    this.tellOpen(true);
    this.drawn.clear();
    this.tell(news);
    if (news.state && !news.state.ended) this.line.open();
  }

  takeBack() {
    this.news.elsewhere = "";
    this.draw();
    this.line.take();
  }

  end() {
    this.line.isAway = true;
    this.sentences.replaceChildren();
    this.more.replaceChildren();
  }

  /** @param {Element} part @param {string} label @param {() => void} onClick */
  addButton(part, label, onClick) {
    make("button", { type: "button" }, part, label).onclick = onClick;
  }
}

/** Show the room whose page this is. */
export function start() {
  void new Phone(location.origin + location.pathname.replace(/\/$/, "")).enter();
}
