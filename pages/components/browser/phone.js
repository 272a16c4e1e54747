// @ts-check
// The page of a phone in a room: where the class is, the question with its answers, a sentence to send; and the
// teacher's remote. Text is set as text, never as HTML.
import { make, say, speakTo } from "./dom.js";
import { Line } from "./phone_line.js";
import { drawQuestion, setText } from "./phone_question.js";
import { drawRemote } from "./phone_remote.js";
/** @import { PhoneAnswer, PhoneNews, PhoneQuestion } from "./types" */

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
    /** @type {Map<string, string>} by the questions' keys */
    this.typed = new Map();
    this.line = new Line(address, (news) => this.tell(news), (isOpen) => this.tellOpen(isOpen));
  }

  /** @param {PhoneNews} news */
  tell(news) {
    if (news.go) return location.replace(news.go + location.search);
    if (news.enter !== undefined) return this.askCode(news.enter);
    const { at = 0, boot, said, state } = this.news;
    if (news.boot === boot && (news.at ?? at) < at) news = { said: news.said ?? said }; // sent before what is shown
    const hasChanged = news.state && JSON.stringify(news.state) !== JSON.stringify(state);
    if (hasChanged && state) this.news.said = ""; // it was about what has gone
    Object.assign(this.news, { problem: "" }, news);
    this.draw();
  }

  /** @param {boolean} isOpen */
  tellOpen(isOpen) {
    if (isOpen === this.isOpen) return;
    this.isOpen = isOpen;
    this.draw();
  }

  isOpen = true;
  title = "";
  /** @type {HTMLElement | undefined} where one's sentences are */
  list;
  /** @type {HTMLElement[]} what the boxes of a sentence and its translation are called */
  titles = [];

  draw() {
    const { state, own, problem, elsewhere, said } = this.news;
    const lost = own?.remote ? say("No connection.") : say("No connection. What you answer is kept and sent.");
    const offline = this.isOpen ? "" : lost;
    this.redraw(this.status, { text: problem || elsewhere || offline || said || "", elsewhere }, ({ text }) => {
      this.status.textContent = text;
      if (elsewhere) make("button", { type: "button", id: "here" }, this.status, say("Use it here")).onclick = () => this.takeBack();
    });
    if (!state || !own) return;
    const task = own.remote?.task ?? state.task; // a teacher does it
    this.redraw(this.place, [state.step, state.title, task, state.model], () => {
      if (this.title !== state.title) this.place.scrollIntoView?.(); // a new step begins at its top
      this.title = state.title;
      if (state.step) make("p", { class: "step" }, this.place, state.step);
      make("h1", {}, this.place, state.title);
      if (task.length) setText(make("p", {}, this.place), task);
      const model = say("Your class has a model: {model}.", { model: state.model });
      if (state.model) make("p", { class: "note" }, this.place, model);
    });
    this.redraw(this.remote, own.remote ?? null, (remote) => remote && drawRemote(this.remote, remote, this.line));
    const given = Object.fromEntries(state.asked.map(({ key }) => [key, this.given(key, own.answers[key])]));
    this.redraw(this.questions, [state.asked, given, own.remote?.counts], () => {
      for (const asked of state.asked) {
        const shown = { ...asked, ...own.remote?.counts[asked.key] }; // a remote sees more than the class
        drawQuestion(this.questions, shown, given[asked.key], (answer) => this.answer(asked, answer));
      }
    });
    if (state.ended) return this.end();
    this.sentences.hidden = this.more.hidden = state.is_out;
    if (!own.remote) this.drawSentences();
    this.redraw(this.more, [state.open, state.is_at_end, state.translate, own.remote !== undefined], () => {
      if (own.remote) return;
      if (state.translate) make("a", { href: state.translate, target: "_blank" }, this.more, `${say("Translate on this phone")} →`);
      if (state.is_at_end) make("a", { href: state.answers }, this.more, `${say("My answers")} →`);
      make("a", { href: state.open }, this.more, `${say("Look for yourself")} →`);
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
    const focused = document.activeElement?.id;
    part.replaceChildren();
    draw(values);
    if (focused) document.getElementById(focused)?.focus();
  }

  /** @param {PhoneQuestion} asked @param {string | number} answer */
  answer({ key, vote }, answer) {
    if (typeof answer === "string") this.typed.set(key, answer);
    this.line.act({ act: "answer", key, vote, answer });
    this.draw(); // at once; the server's word follows
  }

  /** Return an answer with what the server does not have yet. @param {string} key @param {PhoneAnswer} [own] */
  given(key, own) {
    const waiting = this.line.waiting.find((each) => each.key === key)?.answer;
    if (typeof waiting === "number") return { ...own, now: waiting };
    const typed = { ...own, typed: waiting ?? this.typed.get(key) };
    return waiting === undefined ? typed : { now: 0, ...typed };
  }

  drawSentences() {
    const { own, state } = this.news;
    if (!own) return;
    const list = (this.list ??= this.makeForm());
    this.titles.forEach((title, side) => (title.textContent = state?.languages[side] ?? ""));
    const { sentences } = own;
    this.redraw(list, sentences, () => {
      for (const { source, target, fate, written } of sentences) {
        const line = make("li", {}, list);
        make("bdi", {}, line, source); // it may be written from right to left
        line.append(" → ");
        make("bdi", {}, line, target);
        line.append(say(": {fate}", { fate }));
        if (written) make("strong", {}, line, ` ${say("The model writes: {text}", { text: written })}`);
      }
    });
  }

  makeForm() {
    const folded = make("details", {}, this.sentences);
    make("summary", {}, folded, say("Send a sentence"));
    make("p", {}, folded, say("Your teacher reads it first. Then the class trains a model that learns it."));
    const form = make("form", {}, folded);
    const boxes = [0, 1].map((side) => {
      const field = make("label", {}, form);
      this.titles[side] = make("span", {}, field);
      return make("input", { maxlength: 200, required: true, autocomplete: "off" }, field);
    });
    make("button", {}, form, say("Send"));
    const list = make("ul", {}, folded);
    form.onsubmit = (event) => {
      event.preventDefault();
      const [source, target] = boxes.map((box) => box.value.trim());
      this.line.act({ act: "send", source, target });
      for (const box of boxes) box.value = "";
    };
    return list;
  }

  /** Ask for the class code of the server. @param {string} problem */
  askCode(problem) {
    const asked = new URLSearchParams(location.search);
    const code = asked.get("code");
    asked.delete("code"); // people share addresses
    history.replaceState(null, "", `${location.pathname}${asked.size ? "?" : ""}${asked}`);
    if (code && !problem) return void this.enter(code);
    this.status.textContent = problem;
    this.place.replaceChildren();
    const form = make("form", {}, this.place);
    const box = make("input", { type: "password", autocomplete: "off" }, make("label", {}, form, say("Class code")));
    make("button", {}, form, say("Enter"));
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.enter(box.value);
    };
  }

  /** Come into the room. @param {string} code */
  async enter(code = "") {
    const news = await this.line.fetch("enter", { code });
    if (news === null) this.tellOpen(false);
    if (news === null || news.again) setTimeout(() => this.enter(code), 1500 + 1500 * Math.random());
    if (news === null) return;
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
    this.line.end();
    this.sentences.replaceChildren();
    this.more.replaceChildren();
  }
}

/** Show the room whose page this is, in the page's language. */
export function start() {
  speakTo(JSON.parse(/** @type {HTMLElement} */ (document.querySelector("#reader")).textContent ?? ""));
  void new Phone(location.origin + location.pathname.replace(/\/$/, "")).enter();
}
