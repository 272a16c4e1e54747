// The living picture: a sentence runs through encoder and decoder with the model's own numbers. `plan` lists the steps,
// `sceneAt` computes the progress of every movement, and `LivingPicture` draws it: strips and arcs on a canvas, all
// else as elements placed by the style sheet. Text is set as text, never as HTML. Requires picture.js.

const [NEGATIVE, POSITIVE, GLOW, REST] = ["#0072B2", "#D55E00", "#009E73", "#808080"];
// Arcs of each kind of attention: sides and levels of keys and queries, the movement that draws them, and a color that
// stands out on light and on dark pages.
const KINDS = {
  encoder: { keys: "source", from: "in", queries: "source", to: "middle", move: "attention", color: "#2A7AB8" },
  decoder: { keys: "target", from: "in", queries: "target", to: "middle", move: "attention", color: "#2A7AB8" },
  cross: { keys: "source", from: "leaves", queries: "target", to: "out", move: "cross", color: "#BF5C96" },
};
const SUM = 2; // the level of embedding plus position; those of the sublayers follow
const SUBLAYERS = { source: 2, target: 3 };
// The movements of a side, which phases in living.toml take from 0 to 1; `entered` is 1 unless a phase moves it.
const BEFORE = {
  words: 0, vectors: 0, positions: 0, entered: 1, attention: 0, cross: 0, forward: 0, crosses: 0, bars: 0, drop: 0,
};
const REST_MS = 300; // after which a step is reported
const MIN_WEIGHT = 0.03; // the lowest weight that gets an arc
const PREVIEW = 0.35; // opacity of strips before they are computed
const EDGE = 4; // pixels between a box and the strips in it

const clamp = (value) => Math.max(0, Math.min(1, value));
const ease = (value) => clamp(value) ** 2 * (3 - 2 * clamp(value));
const between = (value, from, to) => ease((value - from) / (to - from));
const staggered = (value, index, count) => ease(value * 1.6 - (0.6 * index) / Math.max(1, count - 1));
const pulse = (value) => 4 * value * (1 - value);
const span = (count) => [...Array(count).keys()];
const sum = (values) => values.reduce((total, value) => total + value, 0);
const decoded = (text, Type) => new Type(bytesOf(text).buffer);
const sideOf = (box) => (box.startsWith("encoder") ? "source" : "target");

function makeButton(text, label, parent, action) {
  const button = make("button", {}, parent, text);
  return Object.assign(button, { type: "button", title: label, ariaLabel: label, onclick: action });
}

// Return the steps: the first round has all phases, some repeated for each further layer; later rounds have few.
function plan(phases, layers, rounds) {
  const scene = { source: BEFORE, target: { ...BEFORE, layer: 0 } };
  const steps = [];
  const add = (phase, round, layer) => {
    const { side, moves } = phase;
    const here = phase.begins ? BEFORE : scene[side];
    const moving = Object.fromEntries(Object.keys(moves).map((name) => [name, 0]));
    scene[side] = { ...here, layer: layer ?? scene[side].layer, ...moving };
    steps.push({ ...phase, round, before: { ...scene } });
    for (const name of Object.keys(moves)) scene[side] = { ...scene[side], [name]: 1 };
  };
  const ofLayer = { first: [0], further: span(layers).slice(1), last: [layers - 1] };
  const all = [["first", 0], ...span(rounds).slice(1).map((round) => ["later", round]), ["end", rounds - 1]];
  for (const [when, round] of all) {
    for (const phase of phases.filter((each) => each.when === when)) {
      for (const layer of ofLayer[phase.layer] ?? [undefined]) add(phase, round, layer);
    }
  }
  return steps;
}

// Return the progress of every movement, 0 to 1, when `share` of a step has passed.
function sceneAt({ before, side, moves, round, when }, share) {
  const moved = Object.entries(moves).map(([name, [from, to]]) => [name, between(share, from, to)]);
  const scene = { ...before, round, isEnd: when === "end", hasBegun: side === "target" };
  scene[side] = { ...before[side], ...Object.fromEntries(moved) };
  return scene;
}

// Return a small bitmap per level, with a column per position, so that a strip is drawn by copying. Zero is transparent
// and takes the color of the page.
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
  constructor(root, { id, picture, texts, moment }) {
    Object.assign(this, { root, id, picture, step: 0, share: 1, head: 0 });
    this.counts = { source: picture.source.length, target: picture.target.length - 1 };
    const weights = Object.entries(picture.weights).map(([kind, text]) => [kind, decoded(text, Uint8Array)]);
    this.weights = Object.fromEntries(weights);
    this.levels = {
      source: paintLevels(picture.levels.encoder, this.counts.source, picture.channels),
      target: paintLevels(picture.levels.decoder, this.counts.target, picture.channels),
    };
    this.steps = plan(texts.phase, picture.layers, this.counts.target);
    this.isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.build(texts.box);
    this.restore(moment || (this.isCalm ? String(this.steps.length) : "1"));
    this.layOut();
    if (!moment && !this.isCalm) this.play(this.steps.length - 1);
    this.resizing = new ResizeObserver(() => this.layOut());
    for (const element of [this.stage, ...Object.values(this.places)]) this.resizing.observe(element);
    listenToRemote(root, (key) => this.press(key));
  }

  build(boxes) {
    const { root, picture } = this;
    root.replaceChildren();
    root.onkeydown = (event) => this.handleKey(event);
    this.stage = make("div", { class: "stage" }, root);
    this.boxes = Object.fromEntries(boxes.map((box) => [box.name, this.makeBox(box)]));
    const caption = make("div", { class: "caption" }, this.stage);
    caption.setAttribute("aria-live", "polite");
    [this.title, this.sentence] = [make("strong", {}, caption), make("p", {}, caption)];
    make("small", {}, caption, `Strips: ${picture.channels} of ${picture.width} numbers, blue below 0, orange above.`);
    // The name and the layer of each side, on its top box.
    this.names = [make("em", {}, this.boxes.encoder_feed_forward), make("em", {}, this.boxes.decoder_feed_forward)];
    this.canvas = make("canvas", {}, this.stage);
    this.paint = this.canvas.getContext("2d");
    const wordsOf = (side) => make("div", { class: `words ${side}` }, this.stage);
    this.places = { source: wordsOf("source"), target: wordsOf("target") };
    const words = (side) => picture[side].map((token, index) => this.makeWord(side, token, index));
    this.words = { source: words("source"), target: words("target") };
    const bars = make("div", { class: "bars target" }, this.stage);
    this.rows = picture.candidates[0].map((_, rank) => {
      const row = make("div", { class: "row" }, bars);
      row.style.setProperty("--rank", rank);
      return { row, bar: make("i", {}, row), token: make("span", {}, row), number: make("span", {}, row) };
    });
    this.panel = Object.assign(make("div", { class: "panel" }, this.stage), { hidden: true });
    this.buildControls(make("div", { class: "controls" }, root));
  }

  makeBox({ name, color, label }) {
    const button = makeButton("", name.replaceAll("_", " "), this.stage, () => this.open(name));
    button.className = `box ${sideOf(name)} ${name}`;
    button.disabled = name === "probabilities";
    button.style.setProperty("--color", color);
    button.style.gridArea = name;
    make("span", {}, button, label);
    return button;
  }

  makeWord(side, token, index) {
    const button = makeButton(token, token, this.places[side], () => {
      this.pinned = this.pinned === word ? null : word;
      this.point(null);
    });
    const word = { side, index, token, button };
    button.className = /^\[[A-Z]+\]$/.test(token) ? "word special" : "word";
    button.onpointerenter = (event) => event.pointerType === "mouse" && this.point(word);
    button.onfocus = () => button.matches(":focus-visible") && this.point(word);
    button.onpointerleave = button.onblur = () => this.point(null);
    return word;
  }

  buildControls(bar) {
    const { heads } = this.picture;
    makeButton("‹", "Previous step", bar, () => this.go(-1));
    this.playing = makeButton("▶", "Play", bar, () => this.toggle());
    makeButton("›", "Next step", bar, () => this.go(1));
    this.slider = make("input", {}, bar);
    Object.assign(this.slider, { type: "range", min: 1, max: this.steps.length, ariaLabel: "Step" });
    this.slider.oninput = () => this.show(this.slider.value - 1);
    this.count = make("span", { class: "count" }, bar);
    this.select = Object.assign(make("select", {}, bar), { ariaLabel: "Attention head", hidden: heads === 1 });
    for (const head of span(heads + 1)) make("option", {}, this.select, head ? `Head ${head}` : "Mean of heads");
    this.select.onchange = () => {
      this.head = this.select.selectedIndex;
      this.point(null);
    };
  }

  // What a link keeps: the step, and the open box with its layer, its head and the pinned word.
  get moment() {
    const { opened, pinned, step, head } = this;
    const word = pinned ? `${pinned.side[0]}${pinned.index + 1}` : "";
    return [step + 1, ...(opened ? [opened, this.openLayer, head, word] : [])].join(".");
  }

  restore(moment) {
    const [step, name, layer, head, word] = moment.split(".");
    this.show(Math.max(1, Math.min(this.steps.length, Math.round(step) || 1)) - 1);
    if (!this.boxes[name]) return;
    this.open(name, Math.round(layer) || 1, Math.min(this.picture.heads, Math.round(head) || 1));
    this.pinned = this.words[word?.[0] === "s" ? "source" : "target"][word?.slice(1) - 1];
  }

  toggle() {
    if (this.timer) return this.pause();
    this.close();
    if (this.step === this.steps.length - 1) this.show(0);
    this.play(this.steps.length - 1);
  }

  // Play until the end of a step.
  play(last) {
    let before = performance.now();
    const frame = (now) => {
      this.timer = requestAnimationFrame(frame);
      // After it was hidden, the picture continues where it was.
      this.share += Math.min(now - before, 100) / this.steps[this.step].ms;
      before = now;
      if (this.share >= 1 && this.step === last) return this.pause();
      if (this.share >= 1) this.turnTo(this.step + 1);
      this.draw();
    };
    this.share = 0;
    this.timer = requestAnimationFrame(frame);
    Object.assign(this.playing, { textContent: "❚❚", title: "Pause", ariaLabel: "Pause" });
  }

  pause() {
    cancelAnimationFrame(this.timer);
    Object.assign(this, { timer: null, share: 1 });
    Object.assign(this.playing, { textContent: "▶", title: "Play", ariaLabel: "Play" });
    this.point(this.pointed);
  }

  // Animate one step forward; show one step back at once.
  go(by) {
    const next = this.step + by;
    if (!this.steps[next]) return;
    this.show(next);
    if (by > 0 && !this.isCalm) this.play(next);
  }

  show(number) {
    this.turnTo(number);
    this.pause();
  }

  // Show what is constant during a step: its texts, active boxes, candidates, and the side that a phone shows.
  turnTo(number) {
    const { layers, target, candidates } = this.picture;
    const { side, round, before: scene, title, sentence, lights } = this.steps[number];
    Object.assign(this, { step: number, share: 0 });
    const [before, word] = target.slice(round);
    const values = { before, word, layer: scene[side].layer + 1, layers };
    const filled = (text) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
    this.title.textContent = filled(title);
    this.sentence.textContent = filled(sentence);
    this.count.textContent = `${number + 1} of ${this.steps.length}`;
    this.slider.value = number + 1;
    this.names[0].textContent = `Encoder · layer ${scene.source.layer + 1} of ${layers}`;
    this.names[1].textContent = `Decoder · layer ${scene.target.layer + 1} of ${layers}`;
    for (const [name, box] of Object.entries(this.boxes)) box.classList.toggle("lit", lights.includes(name));
    candidates[round].forEach(([name, chance], rank) => {
      const { row, bar, token, number: percent } = this.rows[rank];
      token.textContent = name;
      percent.textContent = chance < 0.005 ? "<1 %" : `${Math.round(100 * chance)} %`;
      bar.style.width = `${100 * chance}%`;
      row.classList.toggle("chosen", name === word);
    });
    this.root.dataset.side = side;
  }

  stop() {
    cancelAnimationFrame(this.timer);
    clearTimeout(this.reporting);
    this.resizing.disconnect();
  }

  // Report the moment to the page when it has not changed for a while.
  reportSoon() {
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => {
      if (!this.timer && this.moment !== this.reported) this.report((this.reported = this.moment));
    }, REST_MS);
  }

  handleKey(event) {
    const target = event.composedPath()[0];
    if (target.matches?.("input:not([type=range]), textarea, select, [contenteditable=true]")) return;
    if (event.defaultPrevented || (event.key === " " && target.matches?.("button"))) return;
    if (!this.press(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Do what a key means; return whether it means anything here. With nothing to close, Escape leaves presenter mode.
  press(key) {
    if (key === "ArrowLeft") this.go(-1);
    else if (key === "ArrowRight") this.go(1);
    else if (key === " ") this.toggle();
    else if (key === "Escape" && (this.opened || this.pinned)) this.close();
    else return false;
    return true;
  }

  // Read the positions that the style sheet gives.
  layOut() {
    const { stage, canvas, paint, boxes } = this;
    const rem = rootSize();
    this.columns = { source: this.layOutWords("source", rem), target: this.layOutWords("target", rem) };
    const top = (name) => boxes[name].offsetTop + EDGE;
    const middle = top("encoder_output");
    const [strip, cross] = [boxes.encoder_output.offsetHeight, boxes.cross_attention.offsetHeight];
    this.shown = { source: boxes.encoder_attention.offsetHeight > 0, target: cross > 0 };
    const leaves = this.shown.source ? top("encoder_feed_forward") : middle;
    this.y = {
      source: { in: top("encoder_embedding"), middle, leaves },
      target: { in: top("decoder_embedding"), middle: top("decoder_attention"), out: top("decoder_output") },
    };
    this.size = { strip: strip - 2 * EDGE, cross, words: this.places.target.offsetTop };
    const scale = devicePixelRatio;
    canvas.width = Math.round(stage.clientWidth * scale);
    canvas.height = Math.round(stage.clientHeight * scale);
    paint.setTransform(scale, 0, 0, scale, 0, 0);
    paint.imageSmoothingEnabled = false;
    this.draw();
  }

  // Place words as in a line of text if they fit; else evenly spaced, in two or more tiers.
  layOutWords(side, rem) {
    const place = this.places[side];
    const { offsetLeft, offsetWidth: width } = place;
    const widths = this.words[side].map(({ button }) => button.offsetWidth);
    const room = width - 0.7 * rem;
    const spare = (room - sum(widths)) / widths.length;
    const steps = widths.map((each) => (spare < 1 ? room / widths.length : each + Math.min(spare, 2.2 * rem)));
    const start = (width - sum(steps)) / 2;
    const middles = steps.map((each, n) => start + sum(steps.slice(0, n)) + each / 2);
    const lefts = middles.map((each, n) => Math.max(0, Math.min(width - widths[n], each - widths[n] / 2)));
    const touches = (tiers) => lefts.some((each, n) => n >= tiers && lefts[n - tiers] + widths[n - tiers] + 3 > each);
    const tiers = [1, 2, 3, 4].find((each) => !touches(each)) ?? 5;
    place.style.setProperty("--tiers", tiers);
    this.words[side].forEach(({ button }, n) => button.style.setProperty("--tier", n % tiers));
    const strip = Math.min(...steps.map((each) => 0.66 * each), 1.6 * rem);
    return { x: middles.map((each) => offsetLeft + each), lefts, strip };
  }

  draw() {
    if (!this.y) return;
    const { paint, canvas, shown, levels, y } = this;
    const scene = sceneAt(this.steps[this.step], this.share);
    this.scene = scene;
    paint.clearRect(0, 0, canvas.width, canvas.height);
    for (const side of Object.keys(this.counts)) if (shown[side]) this.drawPreview(side);
    if (shown.source) this.drawStack("source");
    else this.drawStrips("source", levels.source.length - 1, y.source.middle, () => 1);
    if (shown.target && scene.hasBegun) this.drawStack("target");
    this.drawArcs();
    paint.globalAlpha = 1;
    this.drawWords();
  }

  // Draw a level's strips, with opacity and glow by position, and an offset in px.
  drawStrips(side, level, top, opacity, dy = 0, glow = () => 0) {
    const { paint, columns, size } = this;
    const { x, strip } = columns[side];
    const bitmap = this.levels[side][level];
    for (const position of span(bitmap.width)) {
      const alpha = opacity(position) * this.nearness(side, position);
      if (alpha < 0.01) continue;
      const light = glow(position);
      const [left, upper, edge] = [x[position] - strip / 2, top + dy, 2 + 2 * light];
      paint.globalAlpha = alpha * (0.12 + 0.35 * light);
      paint.fillStyle = light ? GLOW : REST;
      paint.fillRect(left - edge, upper - edge, strip + 2 * edge, size.strip + 2 * edge);
      paint.globalAlpha = alpha;
      paint.drawImage(bitmap, position, 0, 1, bitmap.height, left, upper, strip, size.strip);
    }
  }

  // Draw the strips of the first layer faintly until they are computed; the decoder's until it starts.
  drawPreview(side) {
    const { scene, y } = this;
    const at = scene[side];
    const isSource = side === "source";
    if (at.layer > 0 || (isSource ? scene.hasBegun : scene.round > 0 || scene.isEnd)) return;
    const base = SUM + SUBLAYERS[side];
    const later = isSource ? at.attention : at.vectors;
    const rows = isSource ? [[base, y.source.middle]] : [[SUM + 1, y.target.middle], [base, y.target.out]];
    this.drawStrips(side, SUM, y[side].in, () => PREVIEW * (1 - at.vectors));
    for (const [level, top] of rows) this.drawStrips(side, level, top, () => PREVIEW * (1 - later));
  }

  // Draw the strips of one side: the input of the layer, and the output of each sublayer.
  drawStack(side) {
    const { scene, levels, counts, size } = this;
    const [at, y, count, isSource] = [scene[side], this.y[side], counts[side], side === "source"];
    const base = SUM + SUBLAYERS[side] * at.layer;
    const end = isSource ? y.middle : y.out;
    // The encoder's tokens appear one after the other; in the decoder, only the newest token moves.
    const isNew = (n) => (isSource ? !scene.hasBegun : !scene.isEnd && n === scene.round);
    const come = (progress) => (n) => {
      if (isSource) return staggered(progress, n, count) * (scene.hasBegun ? 0.6 : 1);
      if (scene.isEnd) return 1;
      return n < scene.round ? 0.5 : isNew(n) * progress;
    };
    if (at.layer === 0) {
      const mixed = between(at.positions, 0.4, 1);
      const leave = (progress) => (n) => isNew(n) * come(progress)(n) * (1 - mixed);
      this.drawStrips(side, 0, y.in, leave(at.vectors), (1 - at.vectors) * size.strip);
      this.drawStrips(side, 1, y.in, leave(at.positions * 2), (mixed - 1) * (size.strip + 2 * EDGE));
      this.drawStrips(side, SUM, y.in, come(mixed), 0, (n) => isNew(n) * pulse(mixed));
    } else {
      // The output of the layer before moves back down to the input.
      this.drawStrips(side, base, y.in, come(1), (1 - at.entered) * (end - y.in));
    }
    const forward = (n) => (isSource ? staggered(at.forward, n, count) : isNew(n) ? at.forward : 1);
    const gained = (progress) => come(between(progress, 0.5, 1));
    const last = gained(isSource ? at.attention : at.cross);
    if (!isSource) this.drawStrips(side, base + 1, y.middle, gained(at.attention));
    this.drawStrips(side, base + SUBLAYERS[side] - 1, end, (n) => last(n) * (1 - forward(n)));
    const left = at.crosses > 0.5 ? levels[side].length - 1 : base + SUBLAYERS[side];
    const glow = (n) => isNew(n) * Math.max(pulse(forward(n)), pulse(at.crosses));
    this.drawStrips(side, left, end, (n) => last(n) * forward(n), 0, glow);
  }

  // Draw all arcs of the hovered or pinned word; else those of the active position, and at the end those of all.
  drawArcs() {
    const { counts, shown, scene, words } = this;
    const { round, isEnd, hasBegun } = scene;
    const focus = this.pointed ?? this.pinned;
    for (const [kind, { keys, queries, move }] of Object.entries(KINDS)) {
      const isSource = queries === "source";
      if (!shown[queries] || (!isSource && !hasBegun)) continue;
      const progress = scene[queries][move];
      for (const query of span(isSource ? counts.source : isEnd ? counts.target : round + 1)) {
        const strength = isSource ? (hasBegun ? 0.2 : 1) : isEnd ? Math.min(0.5, 5 / counts.target) : query === round;
        const moved = isSource ? staggered(progress, query, counts.source) : query < round ? 1 : progress;
        for (const key of span(counts[keys])) {
          const isAbout = focus === words[keys][key] || focus === words[queries][query];
          this.drawArc(kind, key, query, moved, focus ? isAbout : strength);
        }
      }
    }
  }

  // Draw the part of an arc, from a key below to a query above, that has been `moved`.
  drawArc(kind, key, query, moved, alpha) {
    const weight = alpha && moved ? this.weight(kind, query, key) : 0;
    if (weight < MIN_WEIGHT) return;
    const { paint, size, columns, shown, y } = this;
    const { keys, queries, from, to, color } = KINDS[kind];
    const [left, bottom] = [columns[keys].x[key], y[keys][from] - EDGE];
    const [right, top] = [columns[queries].x[query], y[queries][to] + size.strip + EDGE];
    const crosses = kind === "cross" && shown.source;
    const rise = crosses ? size.cross * 0.5 + Math.abs(right - left) * 0.1 : (bottom - top) * 0.55;
    const fall = crosses ? 1.4 * size.cross : rise;
    const points = [[left, bottom], [left, bottom - rise], [right, top + fall], [right, top]];
    // De Casteljau's algorithm: the first part of a cubic curve is a cubic curve.
    const first = [points[0]];
    for (let row = points; row.length > 1; first.push(row[0])) {
      row = row.slice(1).map((end, n) => end.map((value, axis) => row[n][axis] + (value - row[n][axis]) * moved));
    }
    Object.assign(paint, { strokeStyle: color, lineCap: "round" });
    paint.globalAlpha = alpha * Math.min(1, 0.3 + 0.9 * weight ** 0.6);
    paint.lineWidth = 0.7 + weight * 0.4 * columns.source.strip;
    paint.beginPath();
    paint.moveTo(...first[0]);
    paint.bezierCurveTo(...first[1], ...first[2], ...first[3]);
    paint.stroke();
  }

  drawWords() {
    const { scene, columns, counts, size } = this;
    const { round, isEnd, hasBegun } = scene;
    const { bars, drop } = scene.target;
    const read = isEnd ? counts.target + 1 : hasBegun ? round + 1 : 0;
    for (const word of Object.values(this.words).flat()) {
      const { side, index, button } = word;
      const isSource = side === "source";
      const isFalling = !isSource && index === read && drop > 0 && drop < 1;
      const isThere = isSource ? staggered(scene.source.words, index, counts.source) : index < read + Math.ceil(drop);
      const opacity = isThere * this.nearness(side, index);
      const y = isFalling ? (drop - 1) * size.words : 0;
      button.style.transform = `translate(${columns[side].lefts[index]}px, ${y}px)`;
      Object.assign(button.style, { opacity, visibility: opacity ? "" : "hidden" });
      button.classList.toggle("falling", isFalling);
      button.classList.toggle("pinned", word === this.pinned);
    }
    for (const { row } of this.rows) row.classList.toggle("grown", hasBegun && bars > 0);
  }

  // Return an attention weight, 0 to 1, of the chosen head or of the mean.
  weight(kind, query, key) {
    const { counts, weights, picture, head, scene } = this;
    const { keys, queries } = KINDS[kind];
    // The last token is written but never read.
    if (query >= counts[queries] || key >= counts[keys]) return 0;
    const place = scene[queries].layer * (picture.heads + 1) + head;
    return weights[kind][(place * counts[queries] + query) * counts[keys] + key] / 255;
  }

  // Return the opacity of a position while a word is hovered or pinned, by the attention between the two.
  nearness(side, index) {
    const focus = this.pointed ?? this.pinned;
    if (!focus || focus === this.words[side][index]) return 1;
    const weights = Object.entries(KINDS).flatMap(([kind, { keys, queries }]) => [
      side === queries && focus.side === keys ? this.weight(kind, index, focus.index) : 0,
      side === keys && focus.side === queries ? this.weight(kind, focus.index, index) : 0,
    ]);
    return 0.15 + 0.85 * clamp(Math.max(...weights) * 2.5) ** 0.7;
  }

  point(word) {
    this.pointed = word;
    this.fillPanel();
    if (this.timer) return;
    this.draw();
    this.reportSoon();
  }

  // Open a box; for attention, with the numbers and the arcs of one head.
  open(name, layer = this.scene[sideOf(name)].layer + 1, head = this.head || 1) {
    if (this.timer) this.pause();
    Object.assign(this, { opened: name, openLayer: layer, head });
    this.select.selectedIndex = head;
    this.point(null);
  }

  close() {
    Object.assign(this, { opened: null, pinned: null });
    this.point(null);
  }

  // Show the numbers of the open box for the hovered or pinned word, else for the newest.
  fillPanel() {
    const { detail, panel, opened } = this;
    panel.hidden = !opened || detail?.name !== opened;
    this.select.options[0].disabled = !panel.hidden;
    if (panel.hidden) return;
    const side = sideOf(opened);
    const focus = [this.pointed, this.pinned].find((each) => each?.side === side);
    const row = Math.min(focus?.index ?? (side === "source" ? 0 : this.scene.round), detail.cells.length - 1);
    panel.classList.toggle("right", side === "source");
    panel.replaceChildren();
    makeButton("✕", "Close", panel, () => this.close()).className = "close";
    make("strong", {}, panel, `${detail.title}: “${this.words[side][row].token}”`);
    const table = make("table", {}, panel);
    const vectors = make("p", { class: "vectors" }, panel);
    const [above, below] = [detail.above, detail.below].map((lines) => lines?.[row] ?? "");
    make("p", { class: "vectors" }, panel, `${above}\n${below}`.trim());
    const cells = [detail.heads, ...detail.cells[row]];
    ["", ...detail.labels].forEach((label, n) => {
      const line = make("tr", {}, table);
      for (const cell of [label, ...cells[n]]) make(n ? "td" : "th", {}, line, cell);
      if (!n || !detail.fixed) return;
      line.style.setProperty("--share", `${100 * detail.shares[row][n - 1]}%`);
      line.tabIndex = 0;
      const [k, v] = detail.fixed[n - 1];
      line.onpointerenter = line.onfocus = () => (vectors.textContent = `${label}: k = ${k}\nv = ${v}`);
      if (detail.shares[row][n - 1] === Math.max(...detail.shares[row])) line.onfocus();
    });
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".living");
  root.classList.toggle("presenting", data.presenting);
  root.classList.toggle("quiet", data.quiet);
  if (root.picture?.id !== data.id) {
    if (!data.picture) return setTriggerValue("lost", true);
    root.picture?.stop();
    root.picture = new LivingPicture(root, data);
  }
  Object.assign(root.picture, { detail: data.detail, report: (moment) => setTriggerValue("moment", moment) });
  root.picture.fillPanel();
  return () => root.picture.stop();
}
