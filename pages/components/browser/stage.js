// @ts-check
// The attention stage: all heads as small maps, and the weights of the chosen ones as lines between words. Hovering
// stays in the browser; choices are sent to the server.
import { brushOf, listenToRemote, make, rememberData, rootSize, say } from "./dom.js";
import { savePicture } from "./picture.js";
import { StageDrawing, drawWords } from "./stage_drawing.js";
import { describe, settle, stateOf, wordOf } from "./stage_heads.js";
import { fitted, planStage } from "./stage_layout.js";

/** @import { Choice, Look, Mount, Send, StageData } from "./types" */

const MAX_COMPARED = 4; // heads, one for each color
const PRESENTED_HEIGHT = "var(--figure-height)"; // on a projector, by presenting.css
const PAGE_AROUND = 15; // rem of the window above and below the stage otherwise
const SENTENCE_HEIGHT = 3; // of the sentence and the gap above it, in font sizes
const REST_MS = 300; // after which a choice is sent
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Draw the stage into `place`. @type {Mount<StageData>} */
export function mount(place, data, send) {
  return new Stage(place, data, send);
}

/** Return the element that an event is about. @param {Event} event @returns {HTMLElement | null} */
function targetOf(event) {
  return /** @type {Element} */ (event.target).closest("[data-head], [data-word]");
}

class Stage {
  /** @param {HTMLElement} place @param {StageData} data @param {Send} send */
  constructor(place, data, send) {
    this.place = place;
    this.send = send;
    this.scene = make("div", {}, place);
    this.bar = make("div", { class: "bar" }, this.scene);
    this.words = make("div", { class: "words" }, this.scene);
    this.sheet = make("div", { class: "drawing" }, this.scene);
    this.status = make("p", { class: "status", "aria-live": "polite" }, this.scene);
    this.pen = brushOf(document.createElement("canvas"));
    this.timer = 0;
    this.isUnchanged = rememberData();
    /** @type {StageDrawing | null} */
    this.drawing = null; // until the stage has a width and the server has sent the kind of attention
    this.state = stateOf(data, [], []);
    this.listen();
    this.update(data);
    this.resizing = new ResizeObserver(() => this.size !== this.sizeNow() && this.draw());
    for (const each of [place, document.documentElement]) this.resizing.observe(each);
    this.stopRemote = listenToRemote(place, (key) => this.pressRemote(key));
  }

  /** Draw other data; with the same, the choices made since then stay. @param {StageData} data */
  update(data) {
    const theme = getComputedStyle(this.place).colorScheme === "dark" ? "dark" : "light";
    if (this.isUnchanged({ ...data, state: 0 }, theme)) return;
    clearTimeout(this.timer);
    this.place.classList.toggle("presenting", data.presenting);
    this.state = stateOf(data, data.colors[theme], data.colors.shades[theme]);
    this.draw();
  }

  dispose() {
    this.resizing.disconnect();
    this.stopRemote();
    clearTimeout(this.timer);
  }

  sizeNow() {
    return [this.place.clientWidth, innerHeight, rootSize()].join();
  }

  // Choices.

  /** @param {Partial<Choice>} changes */
  choose(changes) {
    const { choice } = this.state;
    const before = [choice.attention, choice.look].join();
    Object.assign(choice, changes);
    settle(this.state);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send.state("choice", { ...choice }), REST_MS);
    if (before === [choice.attention, choice.look].join()) this.show();
    else this.draw();
  }

  /** Show a head large, or another one beside those that are. @param {string} head @param {boolean} adds */
  keepHead(head, adds) {
    const { kept, choice } = this.state;
    const look = adds ? "compare" : choice.look;
    const others = kept.filter((each) => each !== head);
    const together = others.length < kept.length ? others : [...others.slice(1 - MAX_COMPARED), head];
    this.choose({ look, heads: (look === "compare" ? together : [head]).join(" ") });
  }

  // Drawing.

  draw() {
    const { kind, data } = this.state;
    this.size = this.sizeNow();
    this.drawing = null;
    this.drawBar();
    const width = this.sheet.clientWidth;
    // Without a width, the stage is not on the page yet.
    if (!width) return;
    this.sheet.replaceChildren();
    this.sheet.style.height = "";
    this.words.replaceChildren();
    if (!kind?.rows.length || !kind.columns.length) {
      this.status.textContent = kind ? data.empty : "";
      return;
    }
    const root = rootSize();
    const unit = (data.presenting ? 1 : 0.82) * root;
    this.pen.font = `${unit}px ${getComputedStyle(this.place).fontFamily}`;
    const chips = drawWords(this.words, kind);
    this.sheet.style.height = PRESENTED_HEIGHT;
    const screen = data.presenting ? this.sheet.offsetHeight : innerHeight - PAGE_AROUND * root;
    const free = screen - this.bar.offsetHeight - this.words.offsetHeight - SENTENCE_HEIGHT * unit;
    const room = Math.max(free, (4 + 4 * kind.roles.length) * unit);
    const widthOf = (/** @type {string} */ text) => this.pen.measureText(text).width;
    const plan = planStage({ kind, unit, width, room, widthOf });
    this.drawing = new StageDrawing(plan, this.state, chips);
    this.sheet.append(this.drawing.svg);
    this.sheet.style.height = `${plan.size.height}px`;
    this.show();
  }

  drawBar() {
    const { choice, kept, data } = this.state;
    const root = /** @type {Document | ShadowRoot} */ (this.bar.getRootNode());
    const focused = /** @type {HTMLElement | null} */ (root.activeElement)?.dataset.choice;
    this.bar.replaceChildren();
    this.addChoices(say("Attention"), data.titles, choice.attention, (attention) => {
      this.choose({ attention, heads: "", word: "" });
    });
    const looks = { lines: say("Lines"), compare: say("Compare heads") };
    this.addChoices(say("Look"), looks, choice.look, (look) => {
      this.choose({ look: /** @type {Look} */ (look), heads: kept[kept.length - 1] });
    });
    this.addChoices(say("Save as a picture"), { png: "PNG", svg: "SVG" }, "", (ending) => this.save(ending));
    /** @type {HTMLElement | null} */ (this.bar.querySelector(`[data-choice="${focused}"]`))?.focus();
  }

  /**
   * @param {string} name @param {Record<string, string>} titles @param {string} chosen
   * @param {(value: string) => void} act
   */
  addChoices(name, titles, chosen, act) {
    const group = make("span", { role: "group", "aria-label": name }, this.bar);
    for (const [value, title] of Object.entries(titles)) {
      const button = make("button", { type: "button", "data-choice": value }, group, title);
      if (chosen) button.setAttribute("aria-pressed", String(value === chosen));
      button.onclick = () => act(value);
    }
  }

  show() {
    const { kind, preview, kept, pointed, choice } = this.state;
    // Without a drawing, another kind of attention is still on its way from the server.
    if (!this.drawing || !kind) return;
    const heads = preview ? [preview] : kept;
    const word = pointed ?? wordOf(kind, choice.word);
    this.drawing.show(heads, word);
    this.status.textContent = `${describe(this.state, heads, word)} ${word ? "" : kind.notes}`;
  }

  /** @param {string} ending */
  save(ending) {
    const { data } = this.state;
    if (!this.drawing) return;
    // On its way to the button, the mouse has crossed words.
    this.lookAt(null);
    const link = new URL(location.href);
    link.searchParams.delete("present");
    // The address of a page on a disk is of no use to others.
    const address = link.protocol === "file:" ? [] : [link.href];
    const lines = [this.status.textContent, `${data.source} → ${data.target}`, data.model, ...address];
    const { size, widthOf } = this.drawing.plan;
    const texts = lines.map((text) => fitted(text, size.width, widthOf));
    savePicture(this.drawing.svg, texts, link.href, `attention.${ending}`);
  }

  // Events.

  listen() {
    const { scene } = this;
    const lookAt = (/** @type {Event} */ event) => this.lookAt(targetOf(event));
    scene.onpointermove = (event) => event.pointerType === "mouse" && lookAt(event);
    scene.onpointerleave = () => this.lookAt(null);
    scene.addEventListener("focusin", (event) => targetOf(event)?.matches(":focus-visible") && lookAt(event));
    scene.addEventListener("focusout", () => this.lookAt(null));
    scene.onclick = (event) => {
      const { head, word } = targetOf(event)?.dataset ?? {};
      if (head) this.keepHead(head, event.shiftKey || event.ctrlKey || event.metaKey);
      else if (word) this.choose({ word: this.state.choice.word === word ? "" : word });
    };
    scene.onkeydown = (event) => this.handleKey(event);
  }

  /** Show what is under the mouse or has the focus. @param {HTMLElement | null} target */
  lookAt(target) {
    const { kind } = this.state;
    const { head, word } = target?.dataset ?? {};
    const pointed = kind && word ? wordOf(kind, word) : null;
    Object.assign(this.state, { preview: head ?? null, pointed });
    this.show();
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const target = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-grid]"));
    if (!target) return;
    const { choice, kept } = this.state;
    const isPinned = choice.word || kept.length > 1; // with nothing to let go of, Escape leaves presenter mode
    if (event.key === "Escape" && isPinned) this.choose({ word: "", heads: kept.slice(-1).join(" ") });
    else if (event.key === "Enter" || event.key === " ") target.dispatchEvent(new MouseEvent("click", event));
    else if (ARROWS[event.key]) this.goFrom(target, ARROWS[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** In presenter mode, go to the heads beside the large one. @param {string} key */
  pressRemote(key) {
    const head = this.drawing?.heads.get(this.state.kept[0])?.head;
    if (head && ARROWS[key]) this.goFrom(head, ARROWS[key]);
    return key in ARROWS;
  }

  /** Focus a neighbor in a grid. @param {HTMLElement | SVGElement} target @param {[number, number]} step */
  goFrom({ dataset }, [down, right]) {
    const [line, place] = [Number(dataset.line) + down, Number(dataset.place) + right];
    const next = `[data-grid=${dataset.grid}][data-line="${line}"][data-place="${place}"]`;
    /** @type {HTMLElement | null} */ (this.scene.querySelector(next))?.focus();
  }
}
