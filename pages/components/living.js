// The living picture: a sentence runs through encoder and decoder with the model's own numbers. `plan` lists the steps,
// `sceneAt` says how far each thing is at a moment of one, `LivingPicture` draws that: what moves (strips of cells,
// arcs) on a canvas; words, boxes and the ten likeliest tokens as elements, which have text, focus and presses.

const [BLUE, VERMILLION, GREEN, PURPLE] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"];
const ARC_COLORS = { encoder: BLUE, decoder: BLUE, cross: PURPLE };
const BOXES = [
  // name in the link, side, color, label; labels of the encoder stand between both sides, for both
  ["encoder_embedding", "source", GREEN, "Embedding + position"],
  ["encoder_attention", "source", BLUE, "Self-attention"],
  ["encoder_output", "source", GREEN, ""],
  ["encoder_feed_forward", "source", VERMILLION, "Feed-forward"],
  ["decoder_embedding", "target", GREEN, ""],
  ["decoder_attention", "target", BLUE, "masked"],
  ["cross_attention", "target", PURPLE, "Cross-attention"],
  ["decoder_output", "target", GREEN, ""],
  ["decoder_feed_forward", "target", VERMILLION, "Feed-forward"],
  ["output", "target", GREEN, "Linear, softmax"],
];
// How long each phase lasts, ms, in their order. The first round explains, the later ones show.
const MS = {
  words: 1400, vectors: 1900, positions: 2400, self_attention: 3400, feed_forward: 1900, next_layer: 2200,
  crosses: 2200, start: 2200, causal: 2200, cross_attention: 3400, decoder_feed_forward: 1600,
  decoder_next_layer: 2200, probabilities: 2600, drops: 1600, again: 1300, writes: 850, end: 400,
};
const ORDER = Object.keys(MS);
const SHARE_AT_REST = 0.3; // of a phase of the first round, at its end, for reading
const FASTEST = 0.45; // of the second round's time
const REST_MS = 300; // after which a step counts as chosen
const SUM = 2; // the level where words and positions are added; then come those of the layers
const SUBLAYERS = { source: 2, target: 3 };
const FAINTEST = 0.03; // weight of an arc that is drawn
const TWO_SIDES = 27; // rem; with less room one side is shown at a time
const LABELLED = 48; // rem; with less room only boxes at work have their labels
const HEIGHTS = { most: 46, quiet: 34, least: 24, phone: 38 }; // rem; between them what is left of the screen

const clamp = (value) => Math.max(0, Math.min(1, value));
const ease = (value) => clamp(value) ** 2 * (3 - 2 * clamp(value));
const between = (value, from, to) => ease((value - from) / Math.max(to - from, 1e-6));
const staggered = (value, index, count) => ease(value * 1.6 - (0.6 * index) / Math.max(1, count - 1));
const pulse = (value) => 4 * value * (1 - value);
const span = (count) => [...Array(Math.max(0, count)).keys()];

function make(tag, className, parent, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

function change(element, text, opacity = 1) {
  if (text !== null && element.textContent !== text) element.textContent = text;
  const shown = opacity.toFixed(2);
  if (element.style.opacity !== shown) element.style.opacity = shown;
}

function plan(layers, rounds) {
  const phases = (...names) => names.map((phase) => ({ phase }));
  const later = (phase) => span(layers - 1).map((layer) => ({ phase, layer: layer + 1 }));
  const steps = [
    ...phases("words", "vectors", "positions", "self_attention", "feed_forward"), ...later("next_layer"),
    ...phases("crosses", "start", "causal", "cross_attention", "decoder_feed_forward"),
    ...later("decoder_next_layer"), ...phases("probabilities", "drops"),
    ...span(rounds - 1).flatMap((n) => [{ phase: "again", round: n + 1 }, { phase: "writes", round: n + 1 }]),
    { phase: "end", round: rounds - 1 },
  ];
  const pace = (round) => (round < 2 ? 1 : Math.max(FASTEST, 1 - 0.15 * (round - 1)));
  return steps.map((step) => ({ layer: 0, round: 0, ...step, ms: MS[step.phase] * pace(step.round ?? 0) }));
}

// How far each thing is, 0 to 1, when `share` of a step has passed.
function sceneAt({ phase, layer, round }, share, layers) {
  const moved = clamp(share / (round ? 0.92 : 1 - SHARE_AT_REST));
  const at = ORDER.indexOf(phase);
  const passed = (name) => (phase === name ? moved : Number(at > ORDER.indexOf(name)));
  const encoder = {
    words: passed("words"), vectors: passed("vectors"), positions: passed("positions"), loop: 1,
    attention: passed("self_attention"), forward: passed("feed_forward"), crosses: passed("crosses"),
    layer: phase === "next_layer" ? layer : at > ORDER.indexOf("next_layer") ? layers - 1 : 0,
  };
  const decoder = {
    begun: at >= ORDER.indexOf("start"), vectors: 1, positions: 1, loop: 1, round, all: phase === "end",
    attention: passed("causal"), cross: passed("cross_attention"), forward: passed("decoder_feed_forward"),
    bars: passed("probabilities"), drop: passed("drops"),
    layer: at > ORDER.indexOf("decoder_next_layer") ? layers - 1 : layer,
  };
  const pass = (side, value, start) => {
    if (start) side.loop = between(value, 0, start);
    side.attention = between(value, start, 0.55);
    side.cross = between(value, 0.4, 0.85);
    side.forward = between(value, side.begun ? 0.8 : 0.6, 1);
  };
  if (phase === "next_layer") pass(encoder, moved, 0.25);
  if (phase === "start") Object.assign(decoder, { vectors: between(moved, 0, 0.5), positions: between(moved, 0.5, 1) });
  if (phase === "decoder_next_layer") pass(decoder, moved, 0.2);
  if (phase === "again") {
    const depth = clamp((moved - 0.15) / 0.85) * layers;
    decoder.layer = Math.min(layers - 1, Math.floor(depth));
    Object.assign(decoder, { bars: 0, drop: 0, vectors: between(moved, 0, 0.1), positions: between(moved, 0.05, 0.15) });
    pass(decoder, depth - decoder.layer, decoder.layer ? 0.15 : 0);
  }
  if (phase === "writes") Object.assign(decoder, { bars: between(moved, 0, 0.5), drop: between(moved, 0.45, 1) });
  return { encoder, decoder };
}

const decoded = (text, Type) => new Type(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

// A small bitmap for each level, with a column for each position, so that a strip is drawn by one copy. Zero is
// transparent: what is pale on a light page is dark on a dark one.
function paintLevels(text, count, channels) {
  const cells = decoded(text, Int8Array);
  const colors = [BLUE, VERMILLION].map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  return span(cells.length / count / channels).map((level) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: count, height: channels });
    const image = new ImageData(count, channels);
    for (const cell of span(count * channels)) {
      const [position, channel] = [Math.floor(cell / channels), cell % channels];
      const value = cells[level * count * channels + cell] / 127;
      image.data.set([...colors[Number(value > 0)], 255 * Math.abs(value) ** 0.65], 4 * (channel * count + position));
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  });
}

class LivingPicture {
  constructor(root, data, isFirst) {
    const { picture } = data;
    Object.assign(this, { root, id: data.id, picture, step: 0, share: 1, head: 0, side: "source" });
    this.tokens = { source: picture.source, target: picture.target };
    this.counts = { source: picture.source.length, target: picture.target.length - 1 };
    this.weights = Object.entries(picture.weights).map(([kind, text]) => [kind, decoded(text, Uint8Array)]);
    this.weights = Object.fromEntries(this.weights);
    this.levels = {
      source: paintLevels(picture.levels.encoder, this.counts.source, picture.channels),
      target: paintLevels(picture.levels.decoder, this.counts.target, picture.channels),
    };
    this.steps = plan(picture.layers, this.counts.target);
    this.phases = Object.fromEntries(data.phases.map((phase) => [phase.name, phase]));
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.build();
    const moment = isFirst ? data.moment : "";
    if (moment) this.restore(moment);
    else if (this.calm) this.show(this.steps.length - 1);
    this.lay();
    if (!moment && !this.calm) this.play();
    this.resizing = new ResizeObserver(() => this.lay());
    this.resizing.observe(root);
    // The text's color has a transition, so that a change of theme is heard of.
    root.ontransitionend = (event) => event.target === root && this.lay();
  }

  // ------------------------------------------------------------------------------------------------ elements
  build() {
    const { root } = this;
    root.replaceChildren();
    root.onkeydown = (event) => this.hearKey(event);
    this.caption = make("div", "caption", root);
    this.caption.setAttribute("aria-live", "polite");
    this.title = make("strong", "", this.caption);
    this.sentence = make("p", "", this.caption);
    const { channels, width } = this.picture;
    make("small", "", this.caption, `A strip is ${channels} of a vector’s ${width} numbers: blue negative, orange positive.`);
    this.stage = make("div", "stage", root);
    this.boxes = BOXES.map(([key, side, hue, label]) => {
      const box = this.button("", key.replaceAll("_", " "), this.stage, () => this.open(key));
      box.className = `box ${side} ${key}`;
      box.style.setProperty("--hue", hue);
      make("span", "", box, label);
      return { key, side, box };
    });
    this.canvas = make("canvas", "", this.stage);
    this.paint = this.canvas.getContext("2d");
    const words = (side) => this.tokens[side].map((token, index) => this.makeWord(side, token, index));
    this.words = { source: words("source"), target: words("target") };
    this.names = { source: make("div", "name", this.stage), target: make("div", "name", this.stage) };
    this.bars = make("div", "bars", this.stage);
    this.rows = this.picture.candidates[0].map(() => {
      const row = make("div", "row", this.bars);
      const [token, track, number] = ["token", "track", "number"].map((name) => make("span", name, row));
      return { row, token, fill: make("i", "", track), number };
    });
    this.falling = make("div", "word falling", this.stage);
    this.panel = make("div", "panel", this.stage);
    this.panel.hidden = true;
    this.buildControls(make("div", "controls", root));
  }

  button(text, label, parent, action) {
    const button = make("button", "", parent, text);
    Object.assign(button, { type: "button", title: label, ariaLabel: label, onclick: action });
    return button;
  }

  makeWord(side, token, index) {
    const focus = { side, index };
    const word = this.button(token, token, this.stage, () => {
      const same = this.pinned?.side === side && this.pinned.index === index;
      this.pinned = same ? null : focus;
      this.point(null);
      this.settle();
    });
    word.className = /^\[[A-Z]+\]$/.test(token) ? "word special" : "word";
    word.onpointerenter = (event) => event.pointerType === "mouse" && this.point(focus);
    word.onpointerleave = () => this.point(null);
    word.onfocus = () => word.matches(":focus-visible") && this.point(focus);
    word.onblur = () => this.point(null);
    return word;
  }

  buildControls(place) {
    const { heads } = this.picture;
    this.button("‹", "Previous step", place, () => this.go(-1));
    this.playing = this.button("▶", "Play", place, () => this.toggle());
    this.button("›", "Next step", place, () => this.go(1));
    this.slider = make("input", "", place);
    Object.assign(this.slider, { type: "range", min: 1, max: this.steps.length, ariaLabel: "Step" });
    this.slider.oninput = () => this.show(this.slider.value - 1);
    this.count = make("span", "count", place);
    this.tab = this.button("", "Show the other side", place, () => {
      this.side = this.side === "source" ? "target" : "source";
      this.lay();
    });
    this.select = make("select", "", place);
    Object.assign(this.select, { ariaLabel: "Attention head", hidden: heads === 1 });
    for (const head of span(heads + 1)) make("option", "", this.select, head ? `Head ${head}` : "All heads");
    this.select.onchange = () => {
      this.head = this.select.selectedIndex;
      this.draw();
      if (this.opened) this.settle();
    };
  }

  // ------------------------------------------------------------------------------------------------ time
  // What a link keeps: the step, and which box is open at which layer and head, with which word pinned.
  get moment() {
    const word = this.pinned ? `${this.pinned.side[0]}${this.pinned.index + 1}` : "";
    const box = this.opened ? [this.opened.key, this.opened.layer, this.head, word] : [];
    return [this.step + 1, ...box].join(".");
  }

  restore(moment) {
    const [step, key, layer, head, word] = moment.split(".");
    this.show(Math.max(1, Math.min(this.steps.length, Math.round(step) || 1)) - 1);
    if (!BOXES.some(([name]) => name === key)) return;
    this.head = this.select.selectedIndex = Math.min(Math.round(head) || 0, this.picture.heads);
    this.opened = { key, layer: Math.round(layer) || 1 };
    const side = word?.[0] === "s" ? "source" : "target";
    const index = Number(word?.slice(1)) - 1;
    if (this.tokens[side][index] !== undefined) this.pinned = { side, index };
  }

  toggle() {
    if (this.timer) this.pause();
    else this.play();
  }

  play() {
    this.close();
    if (this.step === this.steps.length - 1) this.show(0);
    this.share = 0;
    this.run(1, () => {
      if (this.step === this.steps.length - 1) return this.pause();
      this.show(this.step + 1, true);
      this.share = 0;
    });
    Object.assign(this.playing, { textContent: "❚❚", title: "Pause", ariaLabel: "Pause" });
  }

  // Let time pass, so many times as fast as usual, and call `arrived` at the end of each step.
  run(speed, arrived) {
    cancelAnimationFrame(this.timer);
    let before = performance.now();
    const frame = (now) => {
      if (!this.root.isConnected) return;
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
    this.timer = null;
    this.share = 1;
    Object.assign(this.playing, { textContent: "▶", title: "Play", ariaLabel: "Play" });
    this.draw();
    this.settle();
  }

  // One step further is seen moving; one back is there at once.
  go(by) {
    const next = Math.max(0, Math.min(this.steps.length - 1, this.step + by));
    if (next === this.step) return;
    this.show(next);
    if (by < 0 || this.calm) return;
    this.share = 0;
    this.run(1.6, () => this.pause());
  }

  show(number, goesOn = false) {
    if (!goesOn) this.pause();
    this.step = number;
    const { phase, layer, round } = this.steps[number];
    const { title, sentence, lights } = this.phases[phase];
    const [before, word] = this.picture.target.slice(round);
    const values = { word, before, layer: layer + 1, layers: this.picture.layers };
    this.title.textContent = title.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    this.sentence.textContent = sentence;
    this.slider.value = number + 1;
    this.count.textContent = `${number + 1} of ${this.steps.length}`;
    for (const { key, box } of this.boxes) box.classList.toggle("lit", lights.includes(key));
    const side = ORDER.indexOf(phase) > ORDER.indexOf("crosses") ? "target" : "source";
    const turns = this.side !== side;
    this.side = side;
    if (turns && this.isNarrow) this.lay();
    if (!goesOn) this.draw();
  }

  // Tell the page where the visitor has come to rest.
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const { moment } = this;
      if (!this.timer && this.report && moment !== this.told) this.report((this.told = moment));
    }, REST_MS);
  }

  hearKey(event) {
    const target = event.composedPath()[0];
    const isField = target.matches?.("input:not([type=range]), textarea, select, [contenteditable=true]");
    const keys = { ArrowLeft: () => this.go(-1), ArrowRight: () => this.go(1) };
    if (!target.matches?.("button")) keys[" "] = () => this.toggle();
    keys.Escape = () => this.letGo();
    if (isField || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  // ------------------------------------------------------------------------------------------------ places, in px
  lay() {
    const { root, stage, side } = this;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const scrolled = document.querySelector("[data-testid=stMain]")?.scrollTop ?? 0;
    const left = (innerHeight - root.getBoundingClientRect().top - scrolled) / rem - 0.8;
    this.isNarrow = root.clientWidth < TWO_SIDES * rem;
    const [least, most] = [HEIGHTS[this.isNarrow ? "phone" : "least"], HEIGHTS[root.isQuiet ? "quiet" : "most"]];
    root.style.height = `${Math.max(least, Math.min(most, left))}rem`;
    const isLabelled = root.clientWidth > LABELLED * rem;
    root.classList.toggle("narrow", this.isNarrow);
    root.classList.toggle("compact", !isLabelled);
    this.tab.textContent = side === "source" ? "Decoder →" : "← Encoder";
    const middle = this.isNarrow ? 0 : (isLabelled ? 7 : 1.2) * rem; // between both sides
    const [width, height] = [stage.clientWidth, stage.clientHeight];
    if (!width || !height) return;
    const wide = this.isNarrow ? width : (width - middle) / 2;
    for (const word of [...this.words.source, ...this.words.target]) word.hidden = false; // or it has no width
    this.columns = { source: this.layWords("source", 0, wide, rem), target: this.layWords("target", width - wide, wide, rem) };
    const shown = this.isNarrow ? [this.columns[side]] : Object.values(this.columns);
    const [gap, line, lid] = [0.45 * rem, 1.75 * rem, 1.6 * rem];
    const memory = this.isNarrow && side === "target"; // the encoder's output is drawn on the decoder's side too
    const alone = this.isNarrow && side === "source";
    const [words, bars] = [Math.max(...shown.map((each) => each.tiers)) * line, 5.9 * rem];
    const sources = memory ? this.columns.source.tiers * line : 0; // its words are there too
    const free = height - words - sources - lid - (alone ? 0 : bars) - 6.5 * gap;
    const strip = Math.min(4.2 * rem, free * (memory ? 0.14 : 0.18));
    const bands = free - (memory ? 4 : 3) * strip;
    const band = { self: Math.min((alone ? 0.9 : 0.42) * bands, 14 * rem), cross: 0.58 * bands };
    const y = { words: height - words + gap, in: height - words - gap - strip };
    y.middle = y.in - 2 * gap - band.self - strip;
    y.memory = memory ? y.middle - gap - sources - strip : y.middle;
    y.out = y.memory - 2 * gap - band.cross - strip;
    y.lid = { source: y.middle - gap - lid, target: y.out - gap - lid };
    Object.assign(this, { y, size: { rem, width, height, strip, band, gap, line, lid, memory, bars } });
    const scale = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    this.paint.setTransform(scale, 0, 0, scale, 0, 0);
    const lightness = getComputedStyle(root).color.match(/\d+/g).slice(0, 3).reduce((sum, each) => sum + Number(each), 0);
    this.isDark = lightness > 380;
    this.placeElements(middle);
    this.draw();
  }

  // As in a line of text where that fits; else evenly spread, with words in two tiers or more.
  layWords(side, from, width, rem) {
    const widths = this.words[side].map((word) => word.offsetWidth);
    const [gap, count] = [0.35 * rem, widths.length];
    const spare = (width - 2 * gap - widths.reduce((sum, each) => sum + each, 0)) / count;
    const even = (width - 2 * gap) / count;
    let left = from + gap;
    const x = widths.map((each, index) => {
      if (spare < 1) return from + gap + (index + 0.5) * even;
      const step = each + Math.min(spare, 2.2 * rem);
      left += step;
      return left - step / 2;
    });
    const shift = spare < 1 ? 0 : (from + width - gap - left) / 2;
    const middles = x.map((each) => each + shift);
    const lefts = middles.map((each, n) => clamp((each - widths[n] / 2 - from) / (width - widths[n])) * (width - widths[n]) + from);
    const touches = (tiers) => lefts.some((each, n) => n >= tiers && lefts[n - tiers] + widths[n - tiers] + 3 > each);
    const tiers = [1, 2, 3, 4, 5].find((each) => !touches(each)) ?? 6;
    const pitch = Math.min(...middles.slice(1).map((each, n) => each - middles[n]), 3 * rem);
    return { from, width, x: middles, lefts, tiers, pitch, strip: Math.min(pitch * 0.66, 1.6 * rem) };
  }

  placeElements(middle) {
    const { y, size, columns } = this;
    const { strip, band, gap, lid, line, rem } = size;
    const rows = {
      encoder_embedding: [y.in - gap / 2, strip + gap], encoder_attention: [y.in - gap - band.self, band.self],
      encoder_output: [y.middle - gap / 2, strip + gap], encoder_feed_forward: [y.lid.source, lid],
      decoder_embedding: [y.in - gap / 2, strip + gap], decoder_attention: [y.in - gap - band.self, band.self],
      cross_attention: [y.memory - gap - band.cross, band.cross], decoder_output: [y.out - gap / 2, strip + gap],
      decoder_feed_forward: [y.lid.target, lid], output: [0, size.bars],
    };
    for (const { key, side, box } of this.boxes) {
      const { from, width } = columns[side];
      box.hidden = this.isNarrow && side !== this.side;
      place(box, from, rows[key][0], width, rows[key][1]);
      box.style.setProperty("--middle", `${middle}px`);
    }
    for (const side of ["source", "target"]) {
      const { from, width, lefts, tiers } = columns[side];
      const hidden = this.isNarrow && side !== this.side;
      this.words[side].forEach((word, index) => {
        word.hidden = hidden && !(size.memory && side === "source");
        const top = (word.hidden || !hidden ? y.words : y.memory + strip + gap / 2) + (index % tiers) * line;
        word.style.transform = `translate(${lefts[index]}px, ${top}px)`;
      });
      this.names[side].hidden = hidden;
      place(this.names[side], from, y.lid[side], width - 0.5 * rem, lid);
    }
    this.bars.hidden = this.isNarrow && this.side === "source";
    place(this.bars, columns.target.from, 0, columns.target.width, size.bars);
    const opposite = columns[this.opened && BOXES.find(([key]) => key === this.opened.key)[1] === "source" ? "target" : "source"];
    place(this.panel, opposite.from, 0, opposite.width, size.height);
    this.caption.style.width = this.isNarrow ? "" : `${columns.source.width}px`;
  }

  // ------------------------------------------------------------------------------------------------ drawing
  draw() {
    if (!this.y) return;
    const { paint, size, isNarrow, side } = this;
    const scene = sceneAt(this.steps[this.step], this.share, this.picture.layers);
    this.scene = scene;
    paint.clearRect(0, 0, size.width, size.height);
    if (!isNarrow || side === "source") this.drawEncoder(scene);
    if (!isNarrow || side === "target") this.drawDecoder(scene.decoder);
    this.drawArcs(scene);
    this.drawWords(scene);
    this.drawBars(scene.decoder);
  }

  // A row of one level's strips; `look(position)` gives opacity, distance from the place (px) and glow.
  drawStrips(side, level, top, look) {
    const { paint, size, columns } = this;
    const { x, strip } = columns[side];
    const bitmap = this.levels[side].at(level);
    paint.imageSmoothingEnabled = false;
    for (const position of span(bitmap.width)) {
      const { alpha, dx = 0, dy = 0, glow = 0 } = look(position);
      if (alpha < 0.01) continue;
      const [left, upper] = [x[position] - strip / 2 + dx, top + dy];
      const near = alpha * this.nearness(side, position);
      paint.globalAlpha = near * (0.1 + 0.35 * glow);
      paint.fillStyle = glow ? GREEN : "#808080";
      paint.beginPath();
      paint.roundRect(left - 2 - 2 * glow, upper - 2 - 2 * glow, strip + 4 + 4 * glow, size.strip + 4 + 4 * glow, 4);
      paint.fill();
      paint.globalAlpha = near;
      paint.drawImage(bitmap, position, 0, 1, bitmap.height, left, upper, strip, size.strip);
    }
    paint.globalAlpha = 1;
  }

  drawEncoder({ encoder: at, decoder }) {
    const { y, size } = this;
    const [count, base] = [this.counts.source, SUM + SUBLAYERS.source * at.layer];
    const rest = decoder.begun ? 0.6 : 1;
    if (at.layer === 0) {
      const rise = (index) => staggered(at.vectors, index, count);
      const mixed = between(at.positions, 0.4, 1);
      this.drawStrips("source", 0, y.in, (n) => ({ alpha: rise(n) * (1 - mixed), dy: (1 - rise(n)) * size.strip }));
      const aside = (1 - mixed) * (size.strip + 2 * size.gap);
      this.drawStrips("source", 1, y.in, (n) => ({ alpha: staggered(at.positions * 2, n, count) * (1 - mixed), dy: -aside }));
      this.drawStrips("source", SUM, y.in, () => ({ alpha: mixed * rest, glow: pulse(mixed) }));
    } else {
      this.drawStrips("source", base, y.in, () => ({ alpha: rest, dy: (1 - at.loop) * (y.middle - y.in) }));
    }
    const open = Number(at.loop === 1);
    const forward = (n) => staggered(at.forward, n, count);
    const left = (n) => open * between(staggered(at.attention, n, count), 0.6, 1);
    this.drawStrips("source", base + 1, y.middle, (n) => ({ alpha: left(n) * (1 - forward(n)) * rest }));
    const leaves = this.picture.layers - 1 === at.layer && at.crosses > 0.5 ? -1 : base + 2;
    const glow = (n) => (decoder.begun ? 0 : Math.max(pulse(forward(n)), pulse(at.crosses)));
    this.drawStrips("source", leaves, y.middle, (n) => ({ alpha: left(n) * forward(n), glow: glow(n) }));
  }

  drawDecoder(at) {
    if (!at.begun) return;
    const { y, size } = this;
    const base = SUM + SUBLAYERS.target * at.layer;
    // What was written before is there already, and rests.
    const known = (progress) => (n) => (at.all ? 1 : n < at.round ? 0.5 : Number(n === at.round) * progress);
    const here = (n) => Number(n === at.round);
    if (at.layer === 0) {
      const look = (n) => ({ alpha: here(n) * at.vectors * (1 - at.positions), dy: (1 - at.vectors) * size.strip });
      this.drawStrips("target", 0, y.in, look);
      this.drawStrips("target", SUM, y.in, (n) => ({ alpha: known(at.positions)(n), glow: here(n) * pulse(at.positions) }));
    } else {
      const fall = (1 - at.loop) * (y.out - y.in);
      this.drawStrips("target", base, y.in, (n) => ({ alpha: known(1)(n), dy: here(n) * fall }));
    }
    const open = Number(at.loop === 1);
    const left = (progress) => known(open * between(progress, 0.6, 1));
    this.drawStrips("target", base + 1, y.middle, (n) => ({ alpha: left(at.attention)(n) }));
    this.drawStrips("target", base + 2, y.out, (n) => ({ alpha: left(at.cross)(n) * (1 - (here(n) ? at.forward : 1)) }));
    const glow = (n) => here(n) * pulse(at.forward);
    this.drawStrips("target", base + 3, y.out, (n) => ({ alpha: known(Number(at.forward > 0) * at.forward)(n), glow: glow(n) }));
    if (size.memory) this.drawStrips("source", -1, y.memory, () => ({ alpha: 1 }));
  }

  // An attention weight, 0 to 1, of the chosen head or the mean of all.
  weight(kind, layer, query, key) {
    const [queries, keys] = [kind === "encoder" ? "source" : "target", kind === "decoder" ? "target" : "source"];
    const { heads } = this.picture;
    const size = this.counts[queries] * this.counts[keys];
    const at = layer * heads * size + query * this.counts[keys] + key;
    const chosen = this.head ? [this.head - 1] : span(heads);
    return chosen.reduce((sum, head) => sum + this.weights[kind][at + head * size], 0) / chosen.length / 255;
  }

  drawArcs({ encoder, decoder }) {
    const { paint, y, size, columns, counts, isNarrow, side } = this;
    const focus = this.focus ?? this.pinned;
    paint.globalCompositeOperation = this.isDark ? "lighter" : "multiply";
    const fan = (kind, layer, [from, top], [to, bottom], progress, strength) => {
      for (const query of span(counts[to])) {
        const moved = progress(query);
        for (const key of moved > 0 ? span(counts[from]) : []) {
          const touches = focus && ((focus.side === from && focus.index === key) || (focus.side === to && focus.index === query));
          const alpha = focus ? Number(touches) : strength(query);
          const weight = alpha && this.weight(kind, layer, query, key);
          if (weight < FAINTEST) continue;
          this.drawArc(kind, [columns[from].x[key], top], [columns[to].x[query], bottom], moved, weight, alpha);
        }
      }
    };
    if (!isNarrow || side === "source") {
      const swing = (n) => staggered(encoder.attention, n, counts.source);
      fan("encoder", encoder.layer, ["source", y.in - 3], ["source", y.middle + size.strip + 3], swing, () => (decoder.begun ? 0.15 : 1));
    }
    if (decoder.begun && (!isNarrow || side === "target")) {
      const swing = (progress) => (n) => (n > decoder.round ? 0 : n < decoder.round ? 1 : progress);
      const strength = (all) => (n) => (decoder.all ? all : Number(n === decoder.round));
      fan("decoder", decoder.layer, ["target", y.in - 3], ["target", y.middle + size.strip + 3], swing(decoder.attention), strength(0.3));
      const leaves = size.memory ? y.memory - 3 : y.lid.source;
      fan("cross", decoder.layer, ["source", leaves], ["target", y.out + size.strip + 3], swing(decoder.cross), strength(0.55));
    }
    paint.globalCompositeOperation = "source-over";
    paint.globalAlpha = 1;
  }

  // From a key below to a query above, as far as it has come.
  drawArc(kind, [x0, y0], [x3, y3], moved, weight, alpha) {
    const { paint, size } = this;
    const crosses = kind === "cross" && !size.memory;
    const rise = crosses ? size.band.cross * 0.7 + Math.abs(x3 - x0) * 0.1 : (y0 - y3) * 0.55;
    const points = [[x0, y0], [x0, y0 - rise], [x3, y3 + (crosses ? size.band.cross * 1.7 : rise)], [x3, y3]];
    // De Casteljau: the first part of the curve is a curve of the same kind.
    const first = [points[0]];
    for (let row = points; row.length > 1; ) {
      row = row.slice(1).map(([x, y], n) => [row[n][0] + (x - row[n][0]) * moved, row[n][1] + (y - row[n][1]) * moved]);
      first.push(row[0]);
    }
    Object.assign(paint, { strokeStyle: ARC_COLORS[kind], fillStyle: ARC_COLORS[kind], lineCap: "round" });
    paint.globalAlpha = alpha * (0.22 + 0.6 * Math.sqrt(weight));
    paint.lineWidth = 0.7 + weight * 0.5 * size.rem;
    paint.beginPath();
    paint.moveTo(...first[0]);
    paint.bezierCurveTo(...first[1], ...first[2], ...first[3]);
    paint.stroke();
    if (moved === 1 || weight < 0.1) return;
    paint.beginPath();
    paint.arc(...first[3], 2 + paint.lineWidth * 0.7, 0, 7);
    paint.fill();
  }

  // How much is left of a position while a word is pointed at: what shares attention with it stays.
  nearness(side, index) {
    const focus = this.focus ?? this.pinned;
    if (!focus || (focus.side === side && focus.index === index)) return 1;
    const { encoder, decoder } = this.scene;
    const of = (kind, layer, query, key) => {
      const isThere = kind === "encoder" || query < this.counts.target;
      return isThere ? this.weight(kind, layer, query, key) : 0;
    };
    const both = (kind, layer) => Math.max(of(kind, layer, index, focus.index), of(kind, layer, focus.index, index));
    let weight = 0;
    if (focus.side !== side) weight = of("cross", decoder.layer, ...(side === "target" ? [index, focus.index] : [focus.index, index]));
    else if (side === "source") weight = both("encoder", encoder.layer);
    else if (Math.max(index, focus.index) < this.counts.target) weight = both("decoder", decoder.layer);
    return 0.15 + 0.85 * clamp(weight * 2.5) ** 0.7;
  }

  drawWords({ encoder, decoder }) {
    const { words, names, counts, picture } = this;
    words.source.forEach((word, n) => change(word, null, staggered(encoder.words, n, counts.source) * this.nearness("source", n)));
    words.target.forEach((word, n) => {
      const isThere = decoder.all || (decoder.begun && n < decoder.round + 1 + Number(decoder.drop === 1));
      change(word, null, Number(isThere) * this.nearness("target", n));
      word.style.visibility = isThere ? "" : "hidden";
    });
    change(names.source, `Encoder · layer ${encoder.layer + 1} of ${picture.layers}`);
    change(names.target, `Decoder · layer ${decoder.layer + 1} of ${picture.layers}`);
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
    const column = this.columns.target;
    this.falling.hidden = drop <= 0 || drop >= 1 || this.bars.hidden;
    if (this.falling.hidden) return;
    change(this.falling, chosen);
    const { row, token } = this.rows[Math.max(0, candidates.findIndex(([name]) => name === chosen))];
    const from = [this.bars.offsetLeft + row.offsetLeft + token.offsetLeft, row.offsetTop];
    const to = [column.lefts[round + 1], this.y.words + ((round + 1) % column.tiers) * this.size.line];
    const [x, y] = [ease(drop * 1.2), ease(drop) ** 1.5].map((share, n) => from[n] + (to[n] - from[n]) * share);
    this.falling.style.transform = `translate(${x}px, ${y}px)`;
  }

  // ------------------------------------------------------------------------------------------------ looking closer
  point(focus) {
    this.focus = focus;
    for (const side of ["source", "target"]) {
      this.words[side].forEach((word, n) => word.classList.toggle("pinned", this.pinned?.side === side && this.pinned.index === n));
    }
    if (this.opened) this.fillPanel();
    if (!this.timer) this.draw();
  }

  letGo() {
    this.pinned = null;
    this.close();
    this.point(null);
  }

  open(key) {
    const { encoder, decoder } = this.scene;
    if (this.timer) this.pause();
    const isSource = BOXES.find(([name]) => name === key)[1] === "source";
    this.opened = { key, layer: (isSource ? encoder : decoder).layer + 1 };
    this.settle();
  }

  close() {
    if (!this.opened) return;
    this.opened = null;
    this.panel.hidden = true;
    this.settle();
  }

  hear({ detail }) {
    this.detail = detail;
    if (this.opened && detail) this.fillPanel();
  }

  // The numbers of the opened box, for the word that is pointed at or pinned, else the newest.
  fillPanel() {
    const { detail, panel, opened } = this;
    if (!detail || detail.key !== opened?.key) return;
    const [, side] = BOXES.find(([name]) => name === opened.key);
    const focus = [this.focus, this.pinned].find((each) => each?.side === side);
    const newest = side === "source" ? 0 : this.scene.decoder.round;
    const row = Math.min(focus?.index ?? newest, detail.cells.length - 1);
    panel.hidden = false;
    panel.replaceChildren();
    this.button("✕", "Close", panel, () => this.letGo()).className = "close";
    make("strong", "", panel, `${detail.title}: “${this.tokens[side][row]}”`);
    make("p", "", panel, detail.above[row]);
    const table = make("table", "", panel);
    const addRow = (cells, tag) => {
      const line = make("tr", "", table);
      cells.forEach((cell, n) => {
        const made = make(tag, "", line, cell);
        if (detail.heads[n - 1] === "softmax") made.style.setProperty("--share", `${100 * cell}%`);
      });
    };
    addRow(["", ...detail.heads], "th");
    detail.labels.forEach((label, n) => addRow([label, ...detail.cells[row][n], ...(detail.fixed[n] ?? [])], "td"));
    make("p", "", panel, detail.below[row]);
    this.lay();
  }
}

function place(element, left, top, width, height) {
  Object.assign(element.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}

// While somebody presents, keys count wherever the focus is, until the picture is gone.
function hearPresenter(root) {
  const hear = (event) => {
    if (!root.isConnected) removeEventListener("keydown", hear);
    else if (root.presenting) root.picture.hearKey(event);
  };
  addEventListener("keydown", hear);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".living");
  root.presenting = data.presenting;
  root.classList.toggle("presenting", data.presenting);
  root.classList.toggle("quiet", !data.linked);
  root.isQuiet = !data.linked;
  if (root.picture?.id !== data.id) {
    if (root.picture) root.picture.resizing.disconnect();
    else hearPresenter(root);
    root.picture = new LivingPicture(root, data, !root.picture);
  }
  root.picture.report = data.linked ? (moment) => setTriggerValue("moment", moment) : null;
  root.picture.hear(data);
}
