// @ts-check
// The living picture: a sentence runs through encoder and decoder with the model's own numbers. Strips and arcs are on
// a canvas, all else are elements placed by the style sheet.
import { bytesOf, isCalm, listenToRemote, make, percent, rootSize, say } from "./dom.js";
import { EDGE, LivingCanvas, paintStrips } from "./living_canvas.js";
import { nearness, placeWords, planSteps, sceneAt, sideOf, span, staggered } from "./living_plan.js";

/** @import { Detail, Frame, LivingBox, LivingData, LivingState, LivingWord, ModelSide } from "./types" */
/** @import { Mount, Picture, Send } from "./types" */

const REST_MS = 300; // after which a step is reported
const FIRST_LOOK_MS = 2500; // at the finished picture, before it plays from the start
const TYPED = "input:not([type=range]), textarea, select, [contenteditable=true]";

/** Draw the picture into `place`; the server sends it again to a browser that has lost it. @type {Mount<LivingData>} */
export function mount(place, data, send) {
  place.setAttribute("aria-label", say("A sentence running through the model"));
  /** @type {LivingPicture | null} */
  let picture = null;
  const update = (/** @type {LivingData} */ latest) => {
    place.classList.toggle("presenting", latest.presenting);
    place.classList.toggle("quiet", latest.quiet);
    if (picture?.id !== latest.id) {
      if (!latest.picture) return send.trigger("lost", true);
      picture?.dispose();
      picture = new LivingPicture(place, latest, latest.picture, send);
    }
    picture.detail = latest.detail;
    picture.fillPanel();
  };
  update(data);
  return { update, dispose: () => picture?.dispose() };
}

/** @param {string} text @param {string} label @param {Element} parent @param {() => void} act */
function makeButton(text, label, parent, act) {
  const button = make("button", { type: "button" }, parent, text);
  return Object.assign(button, { title: label, ariaLabel: label, onclick: act });
}

/** Make the caption, the canvas and the places of words. @param {Element} stage @param {Picture} picture */
function buildStage(stage, picture) {
  const caption = make("div", { class: "caption", "aria-live": "polite" }, stage);
  const [title, sentence] = [make("strong", {}, caption), make("p", {}, caption)];
  const { channels, width } = picture;
  const legend = say("Strips: {channels} of {width} numbers, blue below 0, orange above.", { channels, width });
  make("small", {}, caption, legend);
  const canvas = make("canvas", {}, stage);
  const places = {
    source: make("div", { class: "words source", style: "grid-area: source" }, stage),
    target: make("div", { class: "words target", style: "grid-area: target" }, stage),
  };
  const bars = make("div", { class: "bars target" }, stage);
  const rows = picture.candidates[0].map((_, rank) => {
    const row = make("div", { class: "row", style: `--rank: ${rank}` }, bars);
    return { row, bar: make("i", {}, row), token: make("span", {}, row), number: make("span", {}, row) };
  });
  const panel = Object.assign(make("div", { class: "panel" }, stage), { hidden: true });
  return { title, sentence, canvas, places, rows, panel };
}

class LivingPicture {
  /** @param {HTMLElement} root @param {LivingData} data @param {Picture} picture @param {Send} send */
  constructor(root, { id, texts, moment }, picture, send) {
    this.root = root;
    this.id = id;
    this.picture = picture;
    this.send = send;
    /** @type {Detail | null} */
    this.detail = null;
    /** @type {LivingState} */
    this.state = { step: 0, share: 1, head: 0, opened: "", openLayer: 0, pinned: null, pointed: null };
    this.playing = 0; // the id from requestAnimationFrame
    this.reporting = 0; // the id from setTimeout
    this.reported = "";
    this.counts = { source: picture.source.length, target: picture.target.length - 1 };
    const { encoder, decoder, cross } = picture.weights;
    this.weights = { encoder: bytesOf(encoder), decoder: bytesOf(decoder), cross: bytesOf(cross) };
    this.strips = paintStrips(picture, this.counts);
    this.steps = planSteps(texts.phase, picture.layers, this.counts.target);
    root.replaceChildren();
    root.onkeydown = (event) => this.handleKey(event);
    this.stage = make("div", { class: "stage" }, root);
    this.boxes = new Map(texts.box.map((box) => [box.name, this.makeBox(box)]));
    this.parts = buildStage(this.stage, picture);
    this.words = { source: this.makeWords("source"), target: this.makeWords("target") };
    this.controls = this.buildControls(make("div", { class: "controls" }, root));
    /** @type {{ canvas: LivingCanvas, lefts: Record<ModelSide, number[]>, drop: number } | null} */
    this.drawing = null; // until it is laid out
    this.replaying = 0; // the id from setTimeout, until the picture plays from the start
    this.restore(moment || String(this.steps.length));
    this.layOut();
    if (!moment && !isCalm()) this.replaying = setTimeout(() => this.toggle(), FIRST_LOOK_MS);
    this.resizing = new ResizeObserver(() => this.layOut());
    for (const element of [this.stage, ...Object.values(this.parts.places)]) this.resizing.observe(element);
    this.stopRemote = listenToRemote(root, (key) => this.press(key));
  }

  dispose() {
    cancelAnimationFrame(this.playing);
    clearTimeout(this.replaying);
    clearTimeout(this.reporting);
    this.resizing.disconnect();
    this.stopRemote();
  }

  // Elements.

  /** @param {LivingBox} box */
  makeBox({ name, title, color, label }) {
    const button = makeButton("", title, this.stage, () => this.open(name));
    button.className = `box ${sideOf(name)} ${name}`;
    button.disabled = name === "probabilities";
    button.style.setProperty("--color", color);
    button.style.gridArea = name;
    if (label) {
      button.removeAttribute("aria-label"); // its name is what it shows
      make("span", {}, button, label);
    }
    return button;
  }

  /** @param {ModelSide} side */
  makeWords(side) {
    return this.picture[side].map((token, index) => {
      const button = makeButton(token, token, this.parts.places[side], () => {
        this.state.pinned = this.state.pinned === word ? null : word;
        this.point(null);
      });
      const word = { side, index, token, button };
      button.className = "word";
      button.onpointerenter = (event) => event.pointerType === "mouse" && this.point(word);
      button.onfocus = () => button.matches(":focus-visible") && this.point(word);
      button.onpointerleave = button.onblur = () => this.point(null);
      return word;
    });
  }

  /** @param {Element} bar */
  buildControls(bar) {
    const { heads } = this.picture;
    makeButton("‹", say("Previous step"), bar, () => this.go(-1));
    const play = makeButton("▶", say("Play"), bar, () => this.toggle());
    makeButton("›", say("Next step"), bar, () => this.go(1));
    const slider = make("input", { type: "range", min: 1, max: this.steps.length, "aria-label": say("Step") }, bar);
    slider.oninput = () => this.show(Number(slider.value) - 1);
    const count = make("span", { class: "count" }, bar);
    const select = make("select", { "aria-label": say("Attention head") }, bar);
    select.hidden = heads === 1;
    for (const head of span(heads + 1)) make("option", {}, select, head ? say("Head {head}", { head }) : say("Mean of heads"));
    select.onchange = () => {
      this.state.head = select.selectedIndex;
      this.point(null);
    };
    return { play, slider, count, select };
  }

  // The moment.

  // What a link keeps: the step, and the open box with its layer, its head and the pinned word.
  get moment() {
    const { opened, openLayer, pinned, step, head } = this.state;
    const word = pinned ? `${pinned.side[0]}${pinned.index + 1}` : "";
    return [step + 1, ...(opened ? [opened, openLayer, head, word] : [])].join(".");
  }

  /** @param {string} moment */
  restore(moment) {
    const [step, name, layer, head, word] = moment.split(".");
    this.show(Math.max(1, Math.min(this.steps.length, Math.round(Number(step)) || 1)) - 1);
    if (!this.boxes.has(name)) return;
    this.open(name, Math.round(Number(layer)) || 1, Math.min(this.picture.heads, Math.round(Number(head)) || 1));
    const words = this.words[word?.[0] === "s" ? "source" : "target"];
    this.state.pinned = words[Number(word?.slice(1)) - 1] ?? null;
  }

  // Report the moment to the page when it has not changed for a while.
  reportSoon() {
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => {
      if (this.playing || this.replaying || this.moment === this.reported) return;
      this.reported = this.moment;
      this.send.trigger("moment", this.moment);
    }, REST_MS);
  }

  // Playing.

  toggle() {
    if (this.playing) return this.pause();
    this.close();
    if (this.state.step === this.steps.length - 1) this.show(0);
    this.play(this.steps.length - 1);
  }

  /** Play until the end of a step. @param {number} last */
  play(last) {
    const { state } = this;
    let before = performance.now();
    const frame = (/** @type {number} */ now) => {
      this.playing = requestAnimationFrame(frame);
      // After it was hidden, the picture continues where it was.
      state.share += Math.min(now - before, 100) / this.steps[state.step].ms;
      before = now;
      if (state.share >= 1 && state.step === last) return this.pause();
      if (state.share >= 1) this.turnTo(state.step + 1);
      this.draw();
    };
    state.share = 0;
    this.playing = requestAnimationFrame(frame);
    Object.assign(this.controls.play, { textContent: "❚❚", title: say("Pause"), ariaLabel: say("Pause") });
  }

  pause() {
    cancelAnimationFrame(this.playing);
    clearTimeout(this.replaying);
    this.playing = this.replaying = 0;
    this.state.share = 1;
    Object.assign(this.controls.play, { textContent: "▶", title: say("Play"), ariaLabel: say("Play") });
    this.point(this.state.pointed);
  }

  /** Animate one step forward; show one step back at once. @param {number} by */
  go(by) {
    const next = this.state.step + by;
    if (!this.steps[next]) return;
    this.show(next);
    if (by > 0 && !isCalm()) this.play(next);
  }

  /** @param {number} number */
  show(number) {
    this.turnTo(number);
    this.pause();
  }

  /** Show what is constant during a step; a phone shows its side alone. @param {number} number */
  turnTo(number) {
    const { layers, target } = this.picture;
    const { side, round, before: scene, title, sentence, lights } = this.steps[number];
    Object.assign(this.state, { step: number, share: 0 });
    const [before, word] = target.slice(round);
    /** @type {Record<string, string | number>} */
    const values = { before, word, layer: scene[side].layer + 1, layers };
    const filled = (/** @type {string} */ text) => text.replace(/\{(\w+)\}/g, (_, key) => String(values[key]));
    this.parts.title.textContent = filled(title);
    this.parts.sentence.textContent = filled(sentence);
    this.controls.count.textContent = say("{step} of {steps}", { step: number + 1, steps: this.steps.length });
    this.controls.slider.value = String(number + 1);
    const [encoder, decoder] = [scene.source.layer + 1, scene.target.layer + 1];
    this.nameLayer("encoder_feed_forward", say("Encoder · layer {layer} of {layers}", { layer: encoder, layers }));
    this.nameLayer("decoder_feed_forward", say("Decoder · layer {layer} of {layers}", { layer: decoder, layers }));
    for (const [name, box] of this.boxes) box.classList.toggle("lit", lights.includes(name));
    this.writeCandidates(round);
    this.root.dataset.side = side;
  }

  /** Write the side and the layer on a side's top box. @param {string} name @param {string} text */
  nameLayer(name, text) {
    const box = this.boxes.get(name);
    if (!box) return;
    (box.querySelector("em") ?? make("em", {}, box)).textContent = text;
  }

  /** @param {number} round */
  writeCandidates(round) {
    const written = this.picture.target[round + 1];
    this.picture.candidates[round].forEach(([name, chance], rank) => {
      const { row, bar, token, number } = this.parts.rows[rank];
      token.textContent = name;
      number.textContent = chance < 0.005 ? `< ${percent(0.01)}` : percent(chance);
      bar.style.width = `calc(${chance} * (100% - 3em))`; // ends before the number
      row.classList.toggle("chosen", name === written);
    });
  }

  // Drawing.

  // Read the positions that the style sheet gives.
  layOut() {
    const { parts } = this;
    const box = (/** @type {string} */ name) => /** @type {HTMLElement} */ (this.boxes.get(name));
    const top = (/** @type {string} */ name) => box(name).offsetTop + EDGE;
    const [source, target] = [this.layOutWords("source"), this.layOutWords("target")];
    const middle = top("encoder_output");
    const [strip, cross] = [box("encoder_output").offsetHeight, box("cross_attention").offsetHeight];
    const shown = { source: box("encoder_attention").offsetHeight > 0, target: cross > 0 };
    const leaves = shown.source ? top("encoder_feed_forward") : middle;
    const y = {
      source: { in: top("encoder_embedding"), middle, leaves },
      target: { in: top("decoder_embedding"), middle: top("decoder_attention"), out: top("decoder_output") },
    };
    const places = { y, shown, columns: { source, target }, size: { strip: strip - 2 * EDGE, cross } };
    this.drawing = {
      canvas: new LivingCanvas(parts.canvas, this.strips, places),
      lefts: { source: source.lefts, target: target.lefts },
      drop: parts.places.target.offsetTop,
    };
    this.draw();
  }

  /** @param {ModelSide} side */
  layOutWords(side) {
    const place = this.parts.places[side];
    const widths = this.words[side].map(({ button }) => button.offsetWidth);
    const { middles, lefts, tiers, strip } = placeWords(widths, place.offsetWidth, rootSize());
    place.style.setProperty("--tiers", String(tiers));
    this.words[side].forEach(({ button }, n) => button.style.setProperty("--tier", String(n % tiers)));
    return { x: middles.map((each) => place.offsetLeft + each), lefts, strip };
  }

  draw() {
    if (!this.drawing) return;
    const { counts, weights, picture, state } = this;
    const scene = sceneAt(this.steps[state.step], state.share);
    const frame = { counts, weights, picture, scene, head: state.head, focus: state.pointed ?? state.pinned };
    this.drawing.canvas.draw(frame);
    this.drawWords(frame, this.drawing.lefts, this.drawing.drop);
    const hasGrown = scene.hasBegun && scene.target.bars > 0;
    for (const { row } of this.parts.rows) row.classList.toggle("grown", hasGrown);
  }

  /** @param {Frame} frame @param {Record<ModelSide, number[]>} lefts @param {number} height that a new word falls */
  drawWords(frame, lefts, height) {
    const { scene, counts } = frame;
    const { round, isEnd, hasBegun } = scene;
    const { drop } = scene.target;
    const read = isEnd ? counts.target + 1 : hasBegun ? round + 1 : 0;
    for (const word of [...this.words.source, ...this.words.target]) {
      const { side, index, button } = word;
      const isSource = side === "source";
      const isFalling = !isSource && index === read && drop > 0 && drop < 1;
      const isWritten = Number(index < read + Math.ceil(drop));
      const isThere = isSource ? staggered(scene.source.words, index, counts.source) : isWritten;
      const opacity = isThere * nearness(frame, side, index);
      button.style.transform = `translate(${lefts[side][index]}px, ${isFalling ? (drop - 1) * height : 0}px)`;
      Object.assign(button.style, { opacity, visibility: opacity ? "" : "hidden" });
      button.classList.toggle("falling", isFalling);
      button.classList.toggle("pinned", word === this.state.pinned);
    }
  }

  /** @param {LivingWord | null} word */
  point(word) {
    this.state.pointed = word;
    this.fillPanel();
    if (this.playing) return;
    this.draw();
    this.reportSoon();
  }

  // The open box.

  /**
   * Open a box; for attention, with the numbers and the arcs of one head.
   * @param {string} name @param {number} [layer] from 1; without, the one that is shown @param {number} [head]
   */
  open(name, layer, head) {
    if (this.playing) this.pause();
    const { state } = this;
    const scene = sceneAt(this.steps[state.step], state.share);
    state.opened = name;
    state.openLayer = layer ?? scene[sideOf(name)].layer + 1;
    state.head = head ?? (state.head || 1);
    this.controls.select.selectedIndex = state.head;
    this.point(null);
  }

  close() {
    Object.assign(this.state, { opened: "", pinned: null });
    this.point(null);
  }

  // Show the numbers of the open box for the hovered or pinned word, else for the newest.
  fillPanel() {
    const { detail } = this;
    const { opened, pointed, pinned, step } = this.state;
    const { panel } = this.parts;
    panel.hidden = !opened || detail?.name !== opened;
    this.controls.select.options[0].disabled = !panel.hidden;
    if (!detail || panel.hidden) return;
    const side = sideOf(opened);
    const focus = [pointed, pinned].find((each) => each?.side === side);
    const row = Math.min(focus?.index ?? (side === "source" ? 0 : this.steps[step].round), detail.cells.length - 1);
    panel.classList.toggle("right", side === "source");
    panel.replaceChildren();
    makeButton("✕", say("Close"), panel, () => this.close()).className = "close";
    make("strong", {}, panel, say("{title}: “{word}”", { title: detail.title, word: this.words[side][row].token }));
    fillTable(panel, detail, row);
  }

  // Keys.

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (target.matches(TYPED)) return;
    if (event.defaultPrevented || (event.key === " " && target.matches("button"))) return;
    if (!this.press(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Do what a key means; return whether it means anything here. @param {string} key */
  press(key) {
    if (key === "ArrowLeft") this.go(-1);
    else if (key === "ArrowRight") this.go(1);
    else if (key === " ") this.toggle();
    else if (key === "Escape" && (this.state.opened || this.state.pinned)) this.close();
    else return false; // with nothing to close, Escape leaves presenter mode
    return true;
  }
}

/**
 * Write the numbers of one token; k and v of a key where its line is hovered or focused.
 * @param {Element} panel @param {Detail} detail @param {number} row
 */
function fillTable(panel, { heads, labels, cells, fixed, shares, above, below }, row) {
  const table = make("table", {}, panel);
  const vectors = make("p", { class: "vectors" }, panel);
  make("p", { class: "vectors" }, panel, `${above?.[row] ?? ""}\n${below?.[row] ?? ""}`.trim());
  const lines = [heads, ...cells[row]];
  ["", ...labels].forEach((label, n) => {
    const line = make("tr", {}, table);
    for (const cell of [label, ...lines[n]]) make(n ? "td" : "th", {}, line, cell);
    if (!n || !fixed || !shares) return;
    const share = shares[row][n - 1];
    const [k, v] = fixed[n - 1];
    const showVectors = () => (vectors.textContent = `${label}: k = ${k}\nv = ${v}`);
    line.style.setProperty("--share", `${100 * share}%`);
    line.tabIndex = 0;
    line.onpointerenter = line.onfocus = showVectors;
    if (share === Math.max(...shares[row])) showVectors();
  });
}
