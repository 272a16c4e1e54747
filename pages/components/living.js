// The living picture: a sentence runs through encoder and decoder with the model's own numbers. `plan` lists the steps,
// `sceneAt` says how far each thing is at a moment of one, `LivingPicture` draws that: what moves (strips of cells,
// arcs) on a canvas; words, boxes and the ten likeliest tokens as elements, which have text, focus and presses.

const [NEGATIVE, POSITIVE, GLOW, REST] = ["#0072B2", "#D55E00", "#009E73", "#808080"];
// Of each kind of attention on a light page and on a dark one: at a weight of 0.5 they stand out 3:1.
const ARC_COLORS = {
  encoder: ["#0072B2", "#2E9BDF"], decoder: ["#0072B2", "#2E9BDF"], cross: ["#A03C78", "#CC79A7"],
};
const SUM = 2; // the level where words and positions are added; then come those of each layer's sublayers
const SUBLAYERS = { source: 2, target: 3 };
const PART_FOR_READING = 0.3; // of a phase of the first round, at its end
const FASTEST = 0.45; // of the second round's time, in the last ones
const QUIET_SPEED = 1.8; // on Home, where it only shows
const REST_MS = 300; // after which a step counts as chosen
const FAINTEST = 0.03; // weight of an arc that is drawn
// Widths and heights in rem. With less width only boxes at work have labels, and then one side is shown at a time.
const LABELLED = 48;
const TWO_SIDES = 27;
const HEIGHTS = { most: 46, quiet: 34, least: 24, phone: 38 };

const clamp = (value) => Math.max(0, Math.min(1, value));
const ease = (value) => clamp(value) ** 2 * (3 - 2 * clamp(value));
const between = (value, from, to) => ease((value - from) / Math.max(to - from, 1e-6));
const staggered = (value, index, count) => ease(value * 1.6 - (0.6 * index) / Math.max(1, count - 1));
const pulse = (value) => 4 * value * (1 - value);
const span = (count) => [...Array(Math.max(0, count)).keys()];
const sum = (values) => values.reduce((total, value) => total + value, 0);
const decoded = (text, Type) => new Type(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

function make(tag, className, parent, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

function makeButton(text, label, parent, action) {
  const button = make("button", "", parent, text);
  return Object.assign(button, { type: "button", title: label, ariaLabel: label, onclick: action });
}

function change(element, text, opacity = 1) {
  if (text !== null && element.textContent !== text) element.textContent = text;
  const shown = opacity.toFixed(2);
  if (element.style.opacity !== shown) element.style.opacity = shown;
}

function place(element, left, top, width, height) {
  Object.assign(element.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}

// The first round explains each phase once, and further layers in one step each; later rounds have two steps.
function plan(phases, layers, rounds) {
  const again = { next_layer: layers - 1, decoder_next_layer: layers - 1, again: 0, writes: 0 };
  const steps = phases.flatMap((phase) => {
    return span(again[phase.name] ?? 1).map((n) => ({ ...phase, layer: phase.name in again ? n + 1 : 0, round: 0 }));
  });
  const [reads, writes] = ["again", "writes"].map((name) => phases.find((phase) => phase.name === name));
  const later = span(rounds - 1).flatMap((n) => {
    const pace = Math.max(FASTEST, 1 - 0.15 * n);
    return [reads, writes].map((phase) => ({ ...phase, ms: phase.ms * pace, layer: 0, round: n + 1 }));
  });
  return [...steps.slice(0, -1), ...later, { ...steps.at(-1), round: rounds - 1 }];
}

// How far each thing is, 0 to 1, when `share` of a step has passed; `order` has the names of all phases.
function sceneAt({ name, layer, round }, share, layers, order) {
  const moved = clamp(share / (round ? 0.92 : 1 - PART_FOR_READING));
  const isAfter = (other) => order.indexOf(name) > order.indexOf(other);
  const passed = (other) => (name === other ? moved : Number(isAfter(other)));
  const source = {
    words: passed("words"), vectors: passed("vectors"), positions: passed("positions"), loop: 1,
    attention: passed("self_attention"), forward: passed("feed_forward"), crosses: passed("crosses"),
    layer: name === "next_layer" ? layer : isAfter("next_layer") ? layers - 1 : 0,
  };
  const target = {
    begun: isAfter("crosses"), all: name === "end", round, vectors: 1, positions: 1, loop: 1,
    attention: passed("causal"), cross: passed("cross_attention"), forward: passed("decoder_feed_forward"),
    bars: passed("probabilities"), drop: passed("drops"), layer: isAfter("decoder_next_layer") ? layers - 1 : layer,
  };
  const pass = (side, value, start) => {
    if (start) side.loop = between(value, 0, start);
    side.attention = between(value, start, 0.55);
    side.cross = between(value, 0.4, 0.85);
    side.forward = between(value, side === target ? 0.8 : 0.6, 1);
  };
  if (name === "next_layer") pass(source, moved, 0.25);
  if (name === "decoder_next_layer") pass(target, moved, 0.2);
  if (name === "start") Object.assign(target, { vectors: between(moved, 0, 0.5), positions: between(moved, 0.5, 1) });
  if (name === "again") {
    const depth = clamp((moved - 0.15) / 0.85) * layers;
    Object.assign(target, { layer: Math.min(layers - 1, Math.floor(depth)), bars: 0, drop: 0 });
    Object.assign(target, { vectors: between(moved, 0, 0.1), positions: between(moved, 0.05, 0.15) });
    pass(target, depth - target.layer, target.layer ? 0.15 : 0);
  }
  if (name === "writes") Object.assign(target, { bars: between(moved, 0, 0.5), drop: between(moved, 0.45, 1) });
  return { source, target };
}

// A small bitmap for each level, with a column for each position, so that a strip is drawn by one copy. Zero is
// transparent: what is pale on a light page is dark on a dark one.
function paintLevels(text, count, channels) {
  const cells = decoded(text, Int8Array);
  const colors = [NEGATIVE, POSITIVE].map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  return span(cells.length / count / channels).map((level) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: count, height: channels });
    const image = new ImageData(count, channels);
    for (const cell of span(count * channels)) {
      const value = cells[level * count * channels + cell] / 127;
      const pixel = (cell % channels) * count + Math.floor(cell / channels);
      image.data.set([...colors[Number(value > 0)], 255 * Math.abs(value) ** 0.65], 4 * pixel);
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  });
}

class LivingPicture {
  constructor(root, { id, picture, texts }, moment) {
    Object.assign(this, { root, id, picture, texts, step: 0, share: 1, head: 0, side: "source" });
    this.tokens = { source: picture.source, target: picture.target };
    this.counts = { source: picture.source.length, target: picture.target.length - 1 };
    this.weights = {};
    for (const kind of Object.keys(ARC_COLORS)) this.weights[kind] = decoded(picture.weights[kind], Uint8Array);
    this.levels = {
      source: paintLevels(picture.levels.encoder, this.counts.source, picture.channels),
      target: paintLevels(picture.levels.decoder, this.counts.target, picture.channels),
    };
    this.order = texts.phase.map((phase) => phase.name);
    this.steps = plan(texts.phase, picture.layers, this.counts.target);
    this.isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.build();
    this.restore(moment || (this.isCalm ? String(this.steps.length) : "1"));
    this.lay();
    if (!moment && !this.isCalm) this.play();
    // What stands above it may change too, and with it the room that is left.
    this.resizing = new ResizeObserver(() => this.lay());
    this.resizing.observe(root);
    this.resizing.observe(document.querySelector("[data-testid=stMainBlockContainer]") ?? root);
    // While somebody presents, keys count wherever the focus is.
    this.hear = (event) => root.isPresenting && root.isConnected && this.hearKey(event);
    addEventListener("keydown", this.hear);
    // The text's color has a transition, so that a change of theme is heard of.
    root.ontransitionend = (event) => event.target === root && this.lay();
  }

  // ------------------------------------------------------------------------------------------------ elements
  build() {
    const { root, texts, picture } = this;
    root.replaceChildren();
    root.onkeydown = (event) => this.hearKey(event);
    this.caption = make("div", "caption", root);
    this.caption.setAttribute("aria-live", "polite");
    [this.title, this.sentence] = [make("strong", "", this.caption), make("p", "", this.caption)];
    const legend = `Strips: ${picture.channels} of ${picture.width} numbers; blue negative, orange positive.`;
    make("small", "", this.caption, legend);
    this.stage = make("div", "stage", root);
    this.boxes = texts.box.map((box) => {
      const button = makeButton("", box.name.replaceAll("_", " "), this.stage, () => this.open(box));
      Object.assign(button, { className: `box ${box.side} ${box.row}`, disabled: box.row === "bars" || root.isQuiet });
      button.style.setProperty("--color", box.color);
      make("span", "", button, box.label);
      return { ...box, button };
    });
    // At the lid of a side stands which one it is, and its layer.
    const lids = this.boxes.filter((box) => box.row === "lid");
    this.names = Object.fromEntries(lids.map(({ side, button }) => [side, make("em", "", button)]));
    this.canvas = make("canvas", "", this.stage);
    this.paint = this.canvas.getContext("2d");
    const words = (side) => this.tokens[side].map((token, index) => this.makeWord(side, token, index));
    this.words = { source: words("source"), target: words("target") };
    this.bars = make("div", "bars", this.stage);
    this.rows = picture.candidates[0].map(() => {
      const row = make("div", "row", this.bars);
      const [token, track, number] = ["token", "track", "number"].map((name) => make("span", name, row));
      return { row, token, fill: make("i", "", track), number };
    });
    this.falling = make("div", "word falling", this.stage);
    this.panel = Object.assign(make("div", "panel", this.stage), { hidden: true });
    this.buildControls(make("div", "controls", root));
  }

  makeWord(side, token, index) {
    const focus = { side, index };
    const word = makeButton(token, token, this.stage, () => {
      this.pinned = this.isFocus(this.pinned, side, index) ? null : focus;
      this.point(null);
      this.settle();
    });
    word.className = /^\[[A-Z]+\]$/.test(token) ? "word special" : "word";
    word.onpointerenter = (event) => event.pointerType === "mouse" && this.point(focus);
    word.onfocus = () => word.matches(":focus-visible") && this.point(focus);
    word.onpointerleave = word.onblur = () => this.point(null);
    return word;
  }

  buildControls(bar) {
    const { heads } = this.picture;
    makeButton("‹", "Previous step", bar, () => this.go(-1));
    this.playing = makeButton("▶", "Play", bar, () => this.toggle());
    makeButton("›", "Next step", bar, () => this.go(1));
    this.slider = make("input", "", bar);
    Object.assign(this.slider, { type: "range", min: 1, max: this.steps.length, ariaLabel: "Step" });
    this.slider.oninput = () => this.show(this.slider.value - 1);
    this.count = make("span", "count", bar);
    this.select = Object.assign(make("select", "", bar), { ariaLabel: "Attention head", hidden: heads === 1 });
    for (const head of span(heads + 1)) make("option", "", this.select, head ? `Head ${head}` : "Mean of heads");
    this.select.onchange = () => {
      this.head = this.select.selectedIndex;
      this.draw();
      this.settle();
    };
  }

  // ------------------------------------------------------------------------------------------------ time
  // What a link keeps: the step; then which box is open, at which layer and head, and the word that is pinned.
  get moment() {
    const { opened, pinned, step, head } = this;
    const word = pinned ? `${pinned.side[0]}${pinned.index + 1}` : "";
    return [step + 1, ...(opened ? [opened.name, opened.layer, head, word] : [])].join(".");
  }

  restore(moment) {
    const [step, name, layer, head, word] = moment.split(".");
    const box = this.boxes.find((each) => each.name === name);
    if (box) {
      this.opened = { ...box, layer: Math.round(layer) || 1 };
      this.head = this.select.selectedIndex = Math.max(0, Math.min(this.picture.heads, Math.round(head) || 0));
      const [side, index] = [word?.[0] === "s" ? "source" : "target", Number(word?.slice(1)) - 1];
      if (this.words[side][index]) this.pinned = { side, index };
    }
    this.show(Math.max(1, Math.min(this.steps.length, Math.round(step) || 1)) - 1);
  }

  toggle() {
    if (this.timer) this.pause();
    else this.play();
  }

  play() {
    this.letGo();
    if (this.step === this.steps.length - 1) this.show(0);
    this.share = 0;
    this.run(this.root.isQuiet ? QUIET_SPEED : 1, () => {
      if (this.step === this.steps.length - 1) return this.pause();
      this.show(this.step + 1, true);
      this.share = 0;
    });
    Object.assign(this.playing, { textContent: "❚❚", title: "Pause", ariaLabel: "Pause" });
  }

  // Let time pass, so many times as fast as usual, and call `arrived` at the end of each step.
  run(speed, arrived) {
    let before = performance.now();
    const frame = (now) => {
      if (!this.root.isConnected) return this.stop();
      this.timer = requestAnimationFrame(frame);
      // What was hidden goes on where it was.
      this.share += (speed * Math.min(now - before, 100)) / this.steps[this.step].ms;
      before = now;
      if (this.share >= 1) arrived();
      this.draw();
    };
    this.timer = requestAnimationFrame(frame);
  }

  pause() {
    cancelAnimationFrame(this.timer);
    Object.assign(this, { timer: null, share: 1 });
    Object.assign(this.playing, { textContent: "▶", title: "Play", ariaLabel: "Play" });
    this.draw();
    this.settle();
  }

  // One step further is seen moving; one back is there at once.
  go(by) {
    const next = Math.max(0, Math.min(this.steps.length - 1, this.step + by));
    if (next === this.step) return;
    this.show(next);
    if (by < 0 || this.isCalm) return;
    this.share = 0;
    this.run(1.6, () => this.pause());
  }

  show(number, goesOn = false) {
    this.step = number;
    const { name, layer, round, title, sentence, lights } = this.steps[number];
    const [before, word] = this.picture.target.slice(round);
    const values = { word, before, layer: layer + 1, layers: this.picture.layers };
    change(this.title, title.replace(/\{(\w+)\}/g, (_, key) => values[key]));
    change(this.sentence, sentence, 0.85);
    change(this.count, `${number + 1} of ${this.steps.length}`);
    this.slider.value = number + 1;
    for (const box of this.boxes) box.button.classList.toggle("lit", lights.includes(box.name));
    const side = this.order.indexOf(name) > this.order.indexOf("crosses") ? "target" : "source";
    const turns = this.side !== side && this.isNarrow;
    this.side = side;
    if (turns) this.lay();
    if (!goesOn) this.pause();
  }

  stop() {
    cancelAnimationFrame(this.timer);
    clearTimeout(this.settling);
    this.resizing?.disconnect();
    removeEventListener("keydown", this.hear);
  }

  // Tell the page where the visitor has come to rest.
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      if (!this.timer && this.moment !== this.told) this.report((this.told = this.moment));
    }, REST_MS);
  }

  hearKey(event) {
    const target = event.composedPath()[0];
    if (target.matches?.("input:not([type=range]), textarea, select, [contenteditable=true]")) return;
    const keys = { ArrowLeft: () => this.go(-1), ArrowRight: () => this.go(1) };
    // With nothing to let go, Escape leaves presenter mode.
    if (this.opened || this.pinned) keys.Escape = () => this.letGo();
    if (!target.matches?.("button")) keys[" "] = () => this.toggle();
    if (event.defaultPrevented || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  // ------------------------------------------------------------------------------------------------ places, in px
  lay() {
    const { root, stage, side } = this;
    if (!root.isConnected) return this.stop();
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const scrolled = document.querySelector("[data-testid=stMain]")?.scrollTop ?? 0;
    const room = (innerHeight - root.getBoundingClientRect().top - scrolled) / rem - 0.8;
    const isNarrow = root.clientWidth < TWO_SIDES * rem;
    const isLabelled = root.clientWidth > LABELLED * rem;
    const most = Math.min(room, HEIGHTS[root.isQuiet ? "quiet" : "most"]);
    root.style.height = `${Math.max(HEIGHTS[isNarrow ? "phone" : "least"], most)}rem`;
    root.classList.toggle("narrow", isNarrow);
    root.classList.toggle("compact", !isLabelled);
    const [width, height] = [stage.clientWidth, stage.clientHeight];
    if (!width || !height) return;
    const middle = isLabelled ? 7 * rem : 1.2 * rem; // between both sides
    const wide = isNarrow ? width : (width - middle) / 2;
    for (const word of Object.values(this.words).flat()) word.hidden = false; // or it has no width
    this.columns = {
      source: this.layWords("source", 0, wide, rem),
      target: this.layWords("target", width - wide, wide, rem),
    };
    this.isNarrow = isNarrow;
    this.size = { rem, width, height, gap: 0.45 * rem, line: 1.75 * rem, lid: 1.6 * rem, bars: 5.9 * rem };
    this.layRows(isNarrow && side === "target", isNarrow && side === "source");
    const scale = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    this.paint.setTransform(scale, 0, 0, scale, 0, 0);
    this.isDark = sum(getComputedStyle(root).color.match(/\d+/g).slice(0, 3).map(Number)) > 380;
    root.style.setProperty("--middle", `${middle}px`);
    this.placeElements();
    this.draw();
  }

  // As in a line of text where that fits; else evenly spread, with words in two tiers or more.
  layWords(side, from, width, rem) {
    const widths = this.words[side].map((word) => word.offsetWidth);
    const gap = 0.35 * rem;
    const room = width - 2 * gap;
    const spare = (room - sum(widths)) / widths.length;
    const step = (n) => (spare < 1 ? room / widths.length : widths[n] + Math.min(spare, 2.2 * rem));
    const steps = widths.map((_, n) => step(n));
    const start = from + (width - sum(steps)) / 2;
    const x = steps.map((each, n) => start + sum(steps.slice(0, n)) + each / 2);
    const lefts = x.map((each, n) => Math.max(from, Math.min(from + width - widths[n], each - widths[n] / 2)));
    const touches = (tiers) => lefts.some((each, n) => n >= tiers && lefts[n - tiers] + widths[n - tiers] + 3 > each);
    const tiers = [1, 2, 3, 4, 5].find((each) => !touches(each)) ?? 6;
    const pitch = Math.min(...x.slice(1).map((each, n) => each - x[n]), 3 * rem);
    return { from, width, x, lefts, tiers, strip: Math.min(pitch * 0.66, 1.6 * rem) };
  }

  // Upper ends of all rows. A decoder that is alone on a phone shows the encoder's output too, with its words; an
  // encoder that is alone has more room.
  layRows(isDecoderAlone, isEncoderAlone) {
    const { columns, size } = this;
    const { gap, line, lid, bars, rem, height } = size;
    const shown = isDecoderAlone ? [columns.target] : isEncoderAlone ? [columns.source] : Object.values(columns);
    const words = Math.max(...shown.map((column) => column.tiers)) * line;
    const sources = isDecoderAlone ? columns.source.tiers * line : 0;
    const free = height - words - sources - lid - (isEncoderAlone ? 0 : bars) - 6.5 * gap;
    const strip = Math.min(4.2 * rem, free * (isDecoderAlone ? 0.14 : 0.18));
    const bands = free - (isDecoderAlone ? 4 : 3) * strip;
    const band = { self: Math.min((isEncoderAlone ? 0.9 : 0.42) * bands, 14 * rem), cross: 0.58 * bands };
    const y = { words: height - words + gap, in: height - words - gap - strip };
    y.middle = y.in - 2 * gap - band.self - strip;
    y.memory = isDecoderAlone ? y.middle - gap - sources - strip : y.middle;
    y.out = y.memory - 2 * gap - band.cross - strip;
    y.lid = { source: y.middle - gap - lid, target: y.out - gap - lid };
    Object.assign(size, { strip, band, hasMemory: isDecoderAlone });
    this.y = y;
  }

  placeElements() {
    const { y, size, columns, isNarrow } = this;
    const { strip, band, gap, lid, line, bars, hasMemory } = size;
    const rows = {
      in: [y.in - gap / 2, strip + gap],
      self: [y.in - gap - band.self, band.self],
      middle: [y.middle - gap / 2, strip + gap],
      cross: [y.memory - gap - band.cross, band.cross],
      out: [y.out - gap / 2, strip + gap],
      bars: [0, bars],
    };
    for (const { side, row, button } of this.boxes) {
      const [top, height] = rows[row] ?? [y.lid[side], lid];
      place(button, columns[side].from, top, columns[side].width, height);
      button.hidden = isNarrow && side !== this.side;
    }
    for (const side of ["source", "target"]) {
      const { lefts, tiers } = columns[side];
      const isHidden = isNarrow && side !== this.side;
      const top = isHidden ? y.memory + strip + gap / 2 : y.words;
      this.words[side].forEach((word, index) => {
        word.hidden = isHidden && !(hasMemory && side === "source");
        word.style.transform = `translate(${lefts[index]}px, ${top + (index % tiers) * line}px)`;
      });
    }
    this.bars.hidden = isNarrow && this.side === "source";
    place(this.bars, columns.target.from, 0, columns.target.width, bars);
    const { from, width } = columns[this.opened?.side === "source" ? "target" : "source"];
    place(this.panel, from, 0, width, size.height);
    this.caption.style.width = isNarrow ? "" : `${columns.source.width}px`;
  }

  // ------------------------------------------------------------------------------------------------ drawing
  draw() {
    if (!this.y) return;
    const { paint, size, y, isNarrow, picture } = this;
    const scene = sceneAt(this.steps[this.step], this.share, picture.layers, this.order);
    this.scene = scene;
    paint.clearRect(0, 0, size.width, size.height);
    for (const side of isNarrow ? [this.side] : ["source", "target"]) this.drawStack(side, scene[side]);
    if (size.hasMemory) this.drawStrips("source", -1, y.memory, () => ({ alpha: 1 }));
    this.drawArcs(scene);
    this.drawWords(scene);
    this.drawBars(scene.target);
  }

  // A row of one level's strips; `look(position)` gives opacity, distance from the place (px) and glow.
  drawStrips(side, level, top, look) {
    const { paint, columns } = this;
    const { x, strip } = columns[side];
    const bitmap = this.levels[side].at(level);
    paint.imageSmoothingEnabled = false;
    for (const position of span(bitmap.width)) {
      const { alpha, dy = 0, glow = 0 } = look(position);
      if (alpha < 0.01) continue;
      const [left, upper, near] = [x[position] - strip / 2, top + dy, alpha * this.nearness(side, position)];
      const edge = 2 + 2 * glow;
      paint.globalAlpha = near * (0.1 + 0.35 * glow);
      paint.fillStyle = glow ? GLOW : REST;
      paint.beginPath();
      paint.roundRect(left - edge, upper - edge, strip + 2 * edge, this.size.strip + 2 * edge, 4);
      paint.fill();
      paint.globalAlpha = near;
      paint.drawImage(bitmap, position, 0, 1, bitmap.height, left, upper, strip, this.size.strip);
    }
    paint.globalAlpha = 1;
  }

  // The strips of one side: what enters the layer, and what its sublayers leave.
  drawStack(side, at) {
    const { y, size, scene } = this;
    const isSource = side === "source";
    if (!isSource && !at.begun) return;
    const [count, base] = [this.counts[side], SUM + SUBLAYERS[side] * at.layer];
    const rest = isSource && scene.target.begun ? 0.6 : 1;
    // The encoder's tokens come one after the other; of the decoder's all but the newest are there already.
    const known = (progress) => (n) => {
      if (isSource) return staggered(progress, n, count) * rest;
      return at.all ? 1 : n < at.round ? 0.5 : Number(n === at.round) * progress;
    };
    const here = (n) => Number(isSource ? !scene.target.begun : !at.all && n === at.round);
    const tops = isSource ? [y.in, y.middle] : [y.in, y.middle, y.out];
    if (at.layer === 0) {
      const mixed = between(at.positions, 0.4, 1);
      const [rises, falls] = [(1 - at.vectors) * size.strip, (1 - mixed) * (size.strip + size.gap)];
      this.drawStrips(side, 0, y.in, (n) => ({ alpha: here(n) * known(at.vectors)(n) * (1 - mixed), dy: rises }));
      const comes = (n) => here(n) * known(at.positions * 2)(n) * (1 - mixed);
      this.drawStrips(side, 1, y.in, (n) => ({ alpha: comes(n), dy: -falls }));
      const added = (n) => (isSource ? mixed * rest : known(mixed)(n));
      this.drawStrips(side, SUM, y.in, (n) => ({ alpha: added(n), glow: here(n) * pulse(mixed) }));
    } else {
      const falls = (1 - at.loop) * (tops.at(-1) - y.in);
      this.drawStrips(side, base, y.in, (n) => ({ alpha: known(1)(n), dy: (isSource ? 1 : here(n)) * falls }));
    }
    const open = Number(at.loop === 1);
    const gained = [at.attention, at.cross].map((progress) => known(open * between(progress, 0.5, 1)));
    const forward = (n) => (isSource ? staggered(at.forward, n, count) : here(n) ? at.forward : 1);
    tops.slice(1).forEach((top, sublayer) => {
      const isLast = sublayer === tops.length - 2;
      const alpha = (n) => gained[sublayer](n) * (isLast ? 1 - forward(n) : 1);
      this.drawStrips(side, base + 1 + sublayer, top, (n) => ({ alpha: alpha(n) }));
    });
    const left = isSource && at.crosses > 0.5 ? -1 : base + SUBLAYERS[side];
    const glow = (n) => here(n) * Math.max(pulse(forward(n)), pulse(at.crosses ?? 0));
    const last = gained[tops.length - 2];
    this.drawStrips(side, left, tops.at(-1), (n) => ({ alpha: last(n) * forward(n), glow: glow(n) }));
  }

  drawArcs({ source, target }) {
    const { paint, y, size, columns, counts, isNarrow, side } = this;
    const focus = this.focus ?? this.pinned;
    paint.globalCompositeOperation = this.isDark ? "lighter" : "multiply";
    const fan = (kind, layer, [from, top], [to, bottom], progress, strength) => {
      for (const query of span(counts[to])) {
        const moved = progress(query);
        for (const key of moved > 0 ? span(counts[from]) : []) {
          const isAbout = this.isFocus(focus, from, key) || this.isFocus(focus, to, query);
          const alpha = focus ? Number(isAbout) : strength(query);
          const weight = alpha && this.weight(kind, layer, query, key);
          if (weight < FAINTEST) continue;
          this.drawArc(kind, [columns[from].x[key], top], [columns[to].x[query], bottom], moved, weight, alpha);
        }
      }
    };
    const [below, above] = [y.in - 3, y.middle + size.strip + 3];
    if (!isNarrow || side === "source") {
      const swings = (n) => staggered(source.attention, n, counts.source);
      fan("encoder", source.layer, ["source", below], ["source", above], swings, () => (target.begun ? 0.15 : 1));
    }
    if (target.begun && (!isNarrow || side === "target")) {
      const swings = (progress) => (n) => (n > target.round ? 0 : n < target.round ? 1 : progress);
      const strength = (n) => (target.all ? Math.min(0.5, 5 / counts.target) : Number(n === target.round));
      fan("decoder", target.layer, ["target", below], ["target", above], swings(target.attention), strength);
      const [leaves, arrives] = [size.hasMemory ? y.memory - 3 : y.lid.source, y.out + size.strip + 3];
      fan("cross", target.layer, ["source", leaves], ["target", arrives], swings(target.cross), strength);
    }
    paint.globalCompositeOperation = "source-over";
    paint.globalAlpha = 1;
  }

  // From a key below to a query above, as far as it has come.
  drawArc(kind, [x0, y0], [x3, y3], moved, weight, alpha) {
    const { paint, size, columns } = this;
    const crosses = kind === "cross" && !size.hasMemory;
    const rise = crosses ? size.band.cross * 0.7 + Math.abs(x3 - x0) * 0.1 : (y0 - y3) * 0.55;
    const points = [[x0, y0], [x0, y0 - rise], [x3, y3 + (crosses ? size.band.cross * 1.7 : rise)], [x3, y3]];
    // De Casteljau: the first part of the curve is a curve of the same kind.
    const first = [points[0]];
    for (let row = points; row.length > 1; first.push(row[0])) {
      row = row.slice(1).map((end, n) => end.map((value, axis) => row[n][axis] + (value - row[n][axis]) * moved));
    }
    const color = ARC_COLORS[kind][Number(this.isDark)];
    Object.assign(paint, { strokeStyle: color, fillStyle: color, lineCap: "round" });
    paint.globalAlpha = alpha * (0.2 + 0.78 * weight ** 0.6);
    paint.lineWidth = 0.7 + weight * Math.min(0.5 * size.rem, columns.source.strip * 0.6);
    paint.beginPath();
    paint.moveTo(...first[0]);
    paint.bezierCurveTo(...first[1], ...first[2], ...first[3]);
    paint.stroke();
    if (moved === 1 || weight < 0.1) return;
    paint.beginPath();
    paint.arc(...first[3], 2 + paint.lineWidth * 0.7, 0, 7);
    paint.fill();
  }

  drawWords({ source, target }) {
    const { words, names, counts, columns, paint, y, size, picture } = this;
    const isThere = (n) => target.all || (target.begun && n < target.round + 1 + Number(target.drop === 1));
    const shown = {
      source: (n) => staggered(source.words, n, counts.source), target: (n) => Number(isThere(n)),
    };
    paint.fillStyle = REST;
    for (const side of ["source", "target"]) {
      const { tiers, x } = columns[side];
      words[side].forEach((word, n) => {
        const opacity = shown[side](n) * this.nearness(side, n);
        change(word, null, opacity);
        word.style.visibility = opacity ? "" : "hidden";
        // What stands in a lower tier is led to its strip.
        paint.globalAlpha = word.hidden ? 0 : opacity * 0.4;
        const isHere = !this.isNarrow || side === this.side;
        if (n % tiers && isHere) paint.fillRect(x[n], y.in + size.strip + 3, 1, (n % tiers) * size.line + size.gap);
      });
    }
    paint.globalAlpha = 1;
    change(names.source, `Encoder · layer ${source.layer + 1} of ${picture.layers}`);
    change(names.target, `Decoder · layer ${target.layer + 1} of ${picture.layers}`);
  }

  drawBars({ begun, round, bars, drop }) {
    const [candidates, chosen] = [this.picture.candidates[round], this.picture.target[round + 1]];
    this.rows.forEach(({ row, token, fill, number }, rank) => {
      const [name, chance] = candidates[rank];
      const share = begun ? staggered(bars, rank, this.rows.length) : 0;
      change(token, name);
      change(number, chance < 0.005 ? "<1 %" : `${Math.round(100 * chance)} %`);
      change(row, null, share);
      row.classList.toggle("chosen", name === chosen);
      fill.style.transform = `scaleX(${share * chance})`;
    });
    this.falling.hidden = drop <= 0 || drop >= 1 || this.bars.hidden;
    if (this.falling.hidden) return;
    change(this.falling, chosen);
    const { lefts, tiers } = this.columns.target;
    const { row, token } = this.rows[Math.max(0, candidates.findIndex(([name]) => name === chosen))];
    const from = [this.bars.offsetLeft + row.offsetLeft + token.offsetLeft, row.offsetTop];
    const to = [lefts[round + 1], this.y.words + ((round + 1) % tiers) * this.size.line];
    const [x, y] = [ease(drop * 1.2), ease(drop) ** 1.5].map((share, n) => from[n] + (to[n] - from[n]) * share);
    this.falling.style.transform = `translate(${x}px, ${y}px)`;
  }

  // An attention weight, 0 to 1, of the chosen head or the mean of all.
  weight(kind, layer, query, key) {
    const keys = this.counts[kind === "decoder" ? "target" : "source"];
    const size = this.counts[kind === "encoder" ? "source" : "target"] * keys;
    const { heads } = this.picture;
    const [first, last] = this.head ? [this.head - 1, this.head] : [0, heads];
    let total = 0;
    for (let head = first; head < last; head += 1) {
      total += this.weights[kind][(layer * heads + head) * size + query * keys + key];
    }
    return total / (last - first) / 255;
  }

  // ------------------------------------------------------------------------------------------------ looking closer
  isFocus(focus, side, index) {
    return focus?.side === side && focus.index === index;
  }

  // How much is left of a position while a word is pointed at: what shares attention with it stays.
  nearness(side, index) {
    const focus = this.focus ?? this.pinned;
    if (!focus || this.isFocus(focus, side, index)) return 1;
    const { source, target } = this.scene;
    const pairs = [[index, focus.index], [focus.index, index]];
    const kind = focus.side !== side ? "cross" : side === "source" ? "encoder" : "decoder";
    const layer = (kind === "encoder" ? source : target).layer;
    const asked = kind === "cross" ? [pairs[Number(side === "source")]] : pairs;
    const queries = this.counts[kind === "encoder" ? "source" : "target"];
    const keys = this.counts[kind === "decoder" ? "target" : "source"];
    const there = asked.filter(([query, key]) => query < queries && key < keys);
    const weight = Math.max(0, ...there.map((pair) => this.weight(kind, layer, ...pair)));
    return 0.15 + 0.85 * clamp(weight * 2.5) ** 0.7;
  }

  point(focus) {
    this.focus = focus;
    for (const side of ["source", "target"]) {
      this.words[side].forEach((word, n) => word.classList.toggle("pinned", this.isFocus(this.pinned, side, n)));
    }
    this.fillPanel();
    if (!this.timer) this.draw();
  }

  open(box) {
    if (this.timer) this.pause();
    this.opened = { ...box, layer: this.scene[box.side].layer + 1 };
    this.settle();
  }

  letGo() {
    Object.assign(this, { opened: null, pinned: null });
    this.panel.hidden = true;
    this.point(null);
    this.settle();
  }

  // The numbers of the opened box, for the word that is pointed at or pinned, else the newest.
  fillPanel() {
    const { detail, panel, opened } = this;
    if (!opened || detail?.name !== opened.name) return;
    const { side } = opened;
    const newest = side === "source" ? 0 : this.scene.target.round;
    const focus = [this.focus, this.pinned].find((each) => each?.side === side);
    const row = Math.min(focus?.index ?? newest, detail.cells.length - 1);
    panel.hidden = false;
    panel.replaceChildren();
    makeButton("✕", "Close", panel, () => this.letGo()).className = "close";
    make("strong", "", panel, `${detail.title}: “${this.tokens[side][row]}”`);
    make("p", "", panel, detail.above?.[row]);
    const table = make("table", "", panel);
    const addRow = (tag, cells) => {
      const line = make("tr", "", table);
      for (const cell of cells) make(tag, "", line, cell);
      return line;
    };
    addRow("th", ["", ...detail.heads]);
    detail.labels.forEach((label, n) => {
      const line = addRow("td", [label, ...detail.cells[row][n], ...(detail.fixed?.[n] ?? [])]);
      line.style.setProperty("--share", `${100 * (detail.shares?.[row][n] ?? 0)}%`);
    });
    make("p", "", panel, detail.below?.[row]);
    this.placeElements();
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".living");
  Object.assign(root, { isPresenting: data.presenting, isQuiet: data.quiet });
  root.classList.toggle("presenting", data.presenting);
  root.classList.toggle("quiet", data.quiet);
  const before = root.picture;
  if (before?.id !== data.id && !data.picture) return setTriggerValue("lost", true);
  if (before?.id !== data.id) {
    before?.stop();
    // Another sentence begins at its first step.
    root.picture = new LivingPicture(root, data, before ? "" : data.moment);
  }
  Object.assign(root.picture, { detail: data.detail, report: (moment) => setTriggerValue("moment", moment) });
  root.picture.fillPanel();
}
