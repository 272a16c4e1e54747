// @ts-check
// A page without a server: a sentence, its translation, the candidates of each step, and the attention of every head. A
// model in the page computes them; without one, they are those of one sentence, as the server has sent them.
import { make, percent, say, speakTo } from "./dom.js";
import { PageModel } from "./page_model.js";
import { drawTask } from "./page_task.js";
import { mount } from "./stage.js";

/** @import { PageData, Shown } from "./types" */

const BEAMS = 4; // as in the paper (6.1)

class Page {
  /** @param {PageData} data @param {string} weights */
  constructor(data, weights) {
    this.data = data;
    this.model = data.model ? new PageModel(data.model, weights) : null;
    this.choice = data.choice;
    /** @type {number[]} ids that the translation begins with */
    this.prefix = [];
    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    make("h1", {}, main, data.name);
    if (data.task) drawTask(make("section", { class: "task" }, main), data.task);
    const section = make("section", { class: "try" }, main);
    if (this.model) this.makeForm(section);
    else make("p", { class: "source" }, section, data.sentence?.source);
    const result = make("div", { "aria-live": "polite" }, section);
    this.target = make("p", { class: "target" }, result);
    this.note = make("p", { class: "note" }, result);
    this.candidates = make("div", {}, section);
    if (this.model) make("p", { class: "note" }, this.candidates, say("Press another candidate: the translation goes on from there."));
    this.steps = make("ol", { class: "steps", "aria-label": say("Candidates of each step") }, this.candidates);
    this.stagePlace = make("div", { class: "stage" }, main);
    drawAbout(make("section", { class: "about" }, main), data);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawStage());
    this.show();
  }

  /** @type {ReturnType<typeof mount> | null} */
  stage = null;
  /** @type {Shown | null} */
  shown = null;

  /** @param {HTMLElement} section */
  makeForm(section) {
    const { first, examples } = this.data;
    const form = make("div", { class: "asked" }, section); // a frame without `allow-forms` blocks a form
    const box = make("input", { id: "sentence", autocomplete: "off", spellcheck: false, maxlength: 10_000 },
      make("label", {}, form, `${say("Sentence")} `));
    const begin = () => {
      this.prefix = [];
      this.show();
    };
    box.value = first;
    box.oninput = begin;
    this.box = box;
    if (examples.length) {
      const menu = make("select", {}, make("label", {}, form, `${say("Examples")} `));
      for (const example of ["", ...examples]) make("option", {}, menu, example);
      menu.onchange = () => {
        if (menu.value) box.value = menu.value;
        menu.value = "";
        begin();
      };
    }
    const search = make("select", {}, make("label", {}, form, `${say("Search")} `));
    make("option", { value: 1 }, search, say("greedy"));
    make("option", { value: BEAMS }, search, say("beam {size}", { size: BEAMS }));
    search.onchange = begin;
    this.search = search;
  }

  show() {
    const problem = this.problem();
    this.note.textContent = problem;
    this.candidates.hidden = this.stagePlace.hidden = problem !== "";
    if (problem) this.target.textContent = "";
    if (problem) return;
    const sentence = this.box?.value ?? "";
    this.shown = this.model ? this.model.explain(sentence, Number(this.search?.value), this.prefix) : this.data.sentence;
    if (!this.shown) return;
    const { target, unknown, is_finished } = this.shown;
    this.target.textContent = target || say("(an empty translation: the model ends immediately)");
    const notes = [
      unknown.length ? say("The model does not know: {words}. It reads [UNK] instead.", { words: unknown.join(", ") }) : "",
      is_finished ? "" : say("Cut off: the translation has reached its longest length."),
    ];
    this.note.textContent = notes.filter(Boolean).join(" ");
    if (this.prefix.length) {
      make("button", { type: "button" }, this.note, say("Begin again")).onclick = () => {
        this.prefix = [];
        this.show();
        this.box?.focus();
      };
    }
    this.drawSteps(this.shown);
    // The translation is on the screen first.
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => setTimeout(() => this.drawStage()));
  }

  frame = 0;

  /** Return what is wrong with the sentence; empty for nothing. */
  problem() {
    if (!this.model || !this.box) return "";
    const count = this.model.source.tokens(this.box.value).length;
    if (!count) return say("Type a sentence.");
    if (count <= this.model.most) return "";
    return say("The sentence has {count} tokens; this model reads at most {most}. Shorten it or split it.", { count, most: this.model.most });
  }

  /** Draw each step's likeliest tokens; another one than that which was written can be pressed. @param {Shown} shown */
  drawSteps({ steps, written }) {
    this.steps.replaceChildren();
    steps.forEach((candidates, step) => {
      const place = make("li", {}, this.steps);
      make("b", {}, place, written[step]);
      candidates.forEach(([token, probability], rank) => {
        const line = this.model ? make("button", { type: "button", id: `step_${step}_${rank}` }, place) : make("p", {}, place);
        line.style.setProperty("--share", String(probability));
        make("bdi", {}, line, token);
        make("span", {}, line, percent(probability));
        if (!this.model) return;
        line.setAttribute("aria-pressed", String(token === written[step]));
        line.title = say("Go on from here");
        line.onclick = () => this.goOnFrom([...written.slice(0, step), token], line.id);
      });
    });
  }

  /** @param {string[]} tokens @param {string} pressed the id of the button, which has the focus again */
  goOnFrom(tokens, pressed) {
    this.prefix = this.model?.idsOf(tokens) ?? [];
    this.show();
    document.getElementById(pressed)?.focus();
  }

  drawStage() {
    if (!this.shown) return;
    const { source, target, kinds } = this.shown;
    const { titles, colors, name } = this.data;
    const data = { source, target, kinds, titles, colors, model: name, roles: this.data.roles, empty: "", presenting: false,
      state: this.choice };
    /** @param {string} _name @param {any} choice */
    const keep = (_name, choice) => { this.choice = choice; };
    if (this.stage) this.stage.update(data);
    else this.stage = mount(this.stagePlace, data, { state: keep, trigger: () => {} });
  }
}

/** Say what the model is and from which pairs. @param {HTMLElement} place @param {PageData} data */
function drawAbout(place, { about, pairs }) {
  for (const line of about) make("p", {}, place, line);
  if (!pairs.length) return;
  const folded = make("details", {}, place);
  make("summary", {}, folded, say("Its pairs"));
  const table = make("table", {}, folded);
  for (const pair of pairs) {
    const row = make("tr", {}, table);
    for (const text of pair) make("bdi", {}, make("td", {}, row), text);
  }
}

/** Show what is in the page. */
export function start() {
  const textOf = (/** @type {string} */ id) => document.getElementById(id)?.textContent ?? "";
  const data = JSON.parse(textOf("data"));
  speakTo(data.reader);
  new Page(data, textOf("weights"));
}
