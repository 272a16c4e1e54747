// The learning player: the loss with a moving dot, the answers of a few sentences, and the attention over one of them.
// A position is the number of a moment, with a fraction between two. Text is set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";
const PLAY_SECONDS = 8; // for the whole run, however long it was
const EPOCHS_LINEAR = 5; // the axis is about linear until there, then logarithmic
const EPOCH_TICKS = [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000];
const EDGE = { left: 2.2, right: 0.9, top: 0.6, bottom: 2.5 }; // rem, around the curves
const EMPTY_LOSS = 4; // at the top of the axis before there is a loss
const SAY_AFTER = 400; // ms at rest, before a screen reader says what is shown
const MAX_CELL = { width: 5.5, height: 4 }; // rem
const CHASE_SECONDS = 0.65; // from the newest moment before to the newest now, while it trains
const REMOTE_KEYS = ["ArrowLeft", "ArrowRight", " "]; // of a presenter, wherever the focus is
const CONTROLS = "input, textarea, button, a, [contenteditable], [role=slider], [role=combobox]"; // which use them too
const MAX_LETTERS = 14; // of a word beside or above the attention
const SLANT = 40; // degrees, of words that are wider than a column

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const mix = (from, to, share) => from + (to - from) * share;
const warped = (epoch) => Math.log1p(epoch / EPOCHS_LINEAR);

const shortened = (text) => (text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS - 1)}…` : text);

function make(name, attributes, parent, text) {
  const isDrawn = ["svg", "g", "path", "line", "text", "rect", "circle", "clipPath"].includes(name);
  const node = isDrawn ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent?.appendChild(node);
  return node;
}

function bytesOf(packed) {
  return Uint8Array.from(atob(packed.bytes), (character) => character.charCodeAt(0));
}

export default function (component) {
  const { data, parentElement } = component;
  const place = parentElement.querySelector(".player");
  place.player ??= new Player(place);
  place.player.take(data);
}

class Player {
  constructor(place) {
    this.place = place;
    this.position = 0;
    this.chosen = 0; // sentence whose attention is drawn
    this.playing = 0; // of requestAnimationFrame
    this.build();
    this.resizing = new ResizeObserver(() => this.data && this.layOut());
    for (const each of [this.panels, this.chart]) this.resizing.observe(each);
    this.onKey = (event) => this.pressKey(event);
    place.addEventListener("keydown", this.onKey);
    this.onRemote = (event) => {
      if (!place.isConnected) removeEventListener("keydown", this.onRemote);
      else if (!this.data.presenting || event.composedPath()[0].closest?.(CONTROLS)) return;
      else if (REMOTE_KEYS.includes(event.key)) this.pressKey(event);
    };
    addEventListener("keydown", this.onRemote);
  }

  // What stays while data come and go.
  build() {
    this.panels = make("div", { class: "panels" }, this.place);
    const curve = make("section", { class: "curve" }, this.panels);
    this.curveTitle = make("div", { class: "title" }, curve);
    this.values = make("div", { class: "values" }, curve);
    this.chart = make("svg", { "aria-hidden": "true" }, curve);
    this.answers = make("section", { class: "answers" }, this.panels);
    const attention = make("section", { class: "attention" }, this.panels);
    this.attentionTitle = make("div", { class: "title" }, attention);
    this.map = make("svg", { role: "img" }, attention);
    const transport = make("div", { class: "transport" }, this.place);
    this.button = make("button", { type: "button", class: "play" }, transport, "▶ Play");
    const range = { type: "range", min: 0, step: "any", "aria-label": "Moment of the training" };
    this.slider = make("input", range, transport);
    this.when = make("output", { class: "when" }, transport);
    this.said = make("p", { class: "said", "aria-live": "polite" }, this.place);
    this.button.onclick = () => this.toggle();
    this.slider.oninput = () => this.goTo(Number(this.slider.value));
    const follow = (event) => this.goTo(this.positionAt(event.offsetX));
    this.chart.onpointerdown = (event) => {
      this.chart.setPointerCapture(event.pointerId);
      follow(event);
    };
    this.chart.onpointermove = (event) => {
      if (event.buttons || (event.pointerType === "mouse" && !this.playing && !this.data.running)) follow(event);
    };
  }

  get last() {
    return Math.max(0, this.data.moments.length - 1);
  }

  take(data) {
    const told = JSON.stringify(data);
    if (this.told === told) return; // a rerun of the page: it goes on as it is
    this.told = told;
    const before = this.data;
    const isSameRun = before?.run === data.run;
    const followed = !isSameRun || this.goal >= this.last - 0.01;
    this.data = data;
    data.maps = data.moments.map((moment) => moment.cross.map(bytesOf));
    if (!isSameRun) {
      this.stop();
      this.position = 0;
      this.chosen = this.firstChosen();
      this.buildAnswers();
    }
    this.curveTitle.textContent = data.label || "Loss: how wrong it is";
    this.place.classList.toggle("empty", !data.moments.length);
    this.place.classList.toggle("presenting", data.presenting);
    this.slider.max = this.last;
    this.slider.disabled = this.button.disabled = !data.moments.length;
    const hasEnded = isSameRun && before.running && !data.running;
    const chases = followed && data.running && !isStill(); // what has come since the last time
    if (followed && !chases && !this.playing) this.position = this.last;
    this.position = Math.min(this.position, this.last);
    this.layOut();
    if (data.running && !isSameRun) this.comeIntoSight();
    if (chases) this.glide(this.last, CHASE_SECONDS);
    else if (hasEnded && followed && data.moments.length > 1 && !isStill()) this.play(0);
  }

  // A press below it, or on a phone above it, started what is to be watched.
  comeIntoSight() {
    const { top, bottom } = this.place.getBoundingClientRect();
    const mostlySeen = top > 0 && bottom < innerHeight + 5 * rem();
    if (!mostlySeen) this.place.scrollIntoView({ block: "nearest" });
  }

  // The longest of those never shown, else the longest of all.
  firstChosen() {
    const sentences = this.data.sentences;
    const never = sentences.some((each) => each.never);
    const lengths = sentences.map((each) => (each.never === never ? each.rows.length : 0));
    return lengths.indexOf(Math.max(...lengths));
  }

  buildAnswers() {
    this.answers.replaceChildren();
    make("div", { class: "title" }, this.answers, "What it writes: the darker, the surer");
    this.rows = this.data.sentences.map((sentence, number) => {
      const row = make("button", { type: "button", class: "row" }, this.answers);
      const source = make("div", { class: "source" }, row);
      make("span", {}, source, sentence.source);
      if (sentence.never) make("span", { class: "never" }, source, "never shown");
      const answer = make("div", { class: "answer" }, row);
      row.onclick = () => {
        this.chosen = number;
        this.layOut();
      };
      return { row, answer, words: [], mark: make("span", { class: "mark" }, answer) };
    });
  }

  layOut() {
    this.rows.forEach(({ row }, number) => row.setAttribute("aria-pressed", String(number === this.chosen)));
    this.drawCurves();
    this.drawMap();
    this.shown = -1;
    this.draw();
  }

  drawCurves() {
    const { curves, before, total } = this.data;
    const unit = rem();
    const width = this.chart.clientWidth;
    const height = this.chart.clientHeight;
    if (!width || !height) return;
    const [left, right] = [EDGE.left * unit, width - EDGE.right * unit];
    const [top, bottom] = [EDGE.top * unit, height - EDGE.bottom * unit];
    const most = Math.max(curves.loss.length ? 1 : EMPTY_LOSS, ...curves.loss, ...curves.held_out, ...before.loss);
    this.x = (epoch) => mix(left, right, warped(epoch) / warped(total));
    this.epochAt = (x) => EPOCHS_LINEAR * Math.expm1(clamp((x - left) / (right - left), 0, 1) * warped(total));
    this.y = (loss) => mix(bottom, top, loss / most);
    this.chart.replaceChildren();
    this.drawAxes(left, right, top, bottom, most, unit);
    const path = (points, values, scale) =>
      values.map((value, i) => `${i ? "L" : "M"}${this.x(points[i]).toFixed(1)} ${scale(value).toFixed(1)}`).join("");
    const share = (value) => mix(bottom, top, value);
    const inSight = before.loss.slice(0, before.epochs.filter((epoch) => epoch <= total).length);
    make("path", { class: "before", d: path(before.epochs, inSight, this.y) }, this.chart);
    const clip = make("clipPath", { id: "player-done" }, this.chart);
    this.done = make("rect", { x: 0, y: 0, width: 0, height }, clip);
    for (const part of ["ahead", "done"]) {
      const group = make("g", { class: part }, this.chart);
      if (part === "done") group.setAttribute("clip-path", "url(#player-done)");
      make("path", { class: "accuracy", d: path(curves.epochs, curves.accuracy, share) }, group);
      make("path", { class: "held-out", d: path(curves.epochs, curves.held_out, this.y) }, group);
      make("path", { class: "loss", d: path(curves.epochs, curves.loss, this.y) }, group);
    }
    this.needle = make("line", { class: "needle", y1: top, y2: bottom }, this.chart);
    this.dot = make("circle", { class: "dot", r: 0.4 * unit }, this.chart);
  }

  drawAxes(left, right, top, bottom, most, unit) {
    make("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }, this.chart);
    let free = -Infinity;
    for (const epoch of [...EPOCH_TICKS.filter((tick) => tick < 0.75 * this.data.total), this.data.total]) {
      const x = this.x(epoch);
      if (x < free) continue;
      make("text", { class: "tick", x, y: bottom + 1.1 * unit, "text-anchor": "middle" }, this.chart, String(epoch));
      free = x + 1.9 * unit;
    }
    const middle = (left + right) / 2;
    make("text", { class: "tick", x: middle, y: bottom + 2.2 * unit, "text-anchor": "middle" }, this.chart, "epoch");
    const step = most > 6 ? 2 : most > 1.2 ? 1 : 0.5;
    for (let loss = 0; loss <= most; loss += step) {
      const y = this.y(loss);
      make("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }, this.chart);
      const corner = { x: left - 0.5 * unit, y: y + 0.3 * unit };
      make("text", { class: "tick", ...corner, "text-anchor": "end" }, this.chart, String(loss));
    }
  }

  drawMap() {
    const { sentences, moments, heads, head } = this.data;
    const unit = rem();
    const { rows, columns, source } = sentences[this.chosen];
    const [numRows, numColumns] = moments.length ? moments[0].cross[this.chosen].size : [rows.length, columns.length];
    this.attentionTitle.textContent = heads > 1 ? `Where it looks (head ${head} of ${heads})` : "Where it looks";
    this.map.setAttribute("aria-label", `${this.attentionTitle.textContent}: ${source}`);
    this.map.replaceChildren();
    const width = this.map.clientWidth;
    const height = this.map.clientHeight;
    if (!width || !height) return;
    const label = (text) => make("text", { class: "word" }, this.map, shortened(text));
    const labels = rows.slice(0, numRows).map(label);
    const tops = columns.slice(0, numColumns).map(label);
    const widest = (nodes) => Math.max(...nodes.map((node) => node.getComputedTextLength()));
    const left = Math.min(widest(labels) + 0.6 * unit, width * 0.4);
    const slope = (SLANT * Math.PI) / 180;
    const fits = (width - left) / numColumns;
    const slants = widest(tops) + 0.2 * unit > Math.min(fits, MAX_CELL.width * unit);
    const top = slants ? Math.min(widest(tops), 7 * unit) * Math.sin(slope) + 1.4 * unit : 1.6 * unit;
    const over = slants ? Math.max(0, tops.at(-1).getComputedTextLength() * Math.cos(slope) - fits / 2) : 0;
    const cell = {
      width: Math.min(MAX_CELL.width * unit, (width - left - over) / numColumns),
      height: Math.min(MAX_CELL.height * unit, (height - top) / numRows),
    };
    labels.forEach((node, row) => {
      node.setAttribute("x", left - 0.5 * unit);
      node.setAttribute("y", top + (row + 0.5) * cell.height + 0.35 * unit);
      node.setAttribute("text-anchor", "end");
    });
    tops.forEach((node, column) => {
      const [x, y] = [left + (column + 0.5) * cell.width, top - 0.5 * unit];
      node.setAttribute("text-anchor", slants ? "start" : "middle");
      node.setAttribute("transform", `translate(${x} ${y})${slants ? ` rotate(-${SLANT})` : ""}`);
    });
    this.buildCells(numRows, numColumns, left, top, cell);
  }

  buildCells(numRows, numColumns, left, top, cell) {
    this.cells = [];
    for (let row = 0; row < numRows; row += 1) {
      for (let column = 0; column < numColumns; column += 1) {
        const [x, y] = [left + column * cell.width + 1, top + row * cell.height + 1];
        const corner = { x, y, width: cell.width - 2, height: cell.height - 2, rx: 3 };
        make("rect", { class: "cell-back", ...corner }, this.map);
        this.cells.push(make("rect", { class: "cell", opacity: 0, ...corner }, this.map));
      }
    }
  }

  // Everything that changes with the position.
  draw() {
    const { moments, maps, total } = this.data;
    const now = Math.min(this.last, Math.floor(this.position + 0.001));
    const next = Math.min(this.last, now + 1);
    const share = this.position - now;
    if (this.cells && moments.length) {
      const [from, to] = [maps[now][this.chosen], maps[next][this.chosen]];
      this.cells.forEach((cell, i) => cell.setAttribute("opacity", (mix(from[i], to[i], share) / 255).toFixed(3)));
    }
    if (this.dot && moments.length) {
      const epoch = mix(moments[now].epoch, moments[next].epoch, share);
      const x = this.x(epoch);
      this.dot.setAttribute("cx", x);
      this.dot.setAttribute("cy", this.y(this.lossAt(epoch)));
      this.needle.setAttribute("x1", x);
      this.needle.setAttribute("x2", x);
      this.done.setAttribute("width", x);
    }
    this.slider.value = this.position;
    if (now === this.shown) return;
    this.shown = now;
    this.when.textContent = `epoch ${moments.length ? moments[now].epoch : 0} of ${total}`;
    this.slider.setAttribute("aria-valuetext", this.when.textContent);
    this.writeAnswers(moments[now]);
    this.writeValues(moments[now]?.epoch ?? 0);
  }

  lossAt(epoch) {
    const { epochs, loss } = this.data.curves;
    const after = epochs.findIndex((each) => each >= epoch);
    if (after <= 0) return after === 0 ? loss[0] : (loss.at(-1) ?? 0);
    return mix(loss[after - 1], loss[after], (epoch - epochs[after - 1]) / (epochs[after] - epochs[after - 1]));
  }

  writeAnswers(moment) {
    this.rows.forEach(({ row, answer, words, mark }, number) => {
      const said = moment?.answers[number];
      const reference = this.data.sentences[number].rows.slice(0, -1);
      const texts = said ? said.words.map((word) => this.data.words[word]) : reference;
      while (words.length < texts.length) words.push(answer.insertBefore(make("span", { class: "word" }), mark));
      words.forEach((node, i) => {
        node.hidden = i >= texts.length;
        if (node.hidden) return;
        node.textContent = said ? texts[i] : "";
        node.style.setProperty("--p", said ? (said.p[i] / 1000).toFixed(2) : 0);
        node.title = said ? `probability ${(said.p[i] / 1000).toFixed(2)}` : "";
      });
      row.classList.toggle("right", Boolean(said?.right));
      mark.textContent = said?.right ? "✓" : said?.open ? "…" : said && !texts.length ? "(nothing)" : "";
    });
  }

  writeValues(epoch) {
    const { curves, before } = this.data;
    const place = curves.epochs.findLastIndex((each) => each <= epoch);
    const value = (numbers, digits) => (place < 0 ? "–" : numbers[place].toFixed(digits));
    this.values.replaceChildren();
    if (!curves.loss.length) return;
    const add = (name, text) => make("span", { class: name }, this.values, text);
    add("loss", `loss ${value(curves.loss, 2)}`);
    if (curves.held_out.length) add("held-out", `never shown ${value(curves.held_out, 2)}`);
    const shares = curves.accuracy.map((share) => Math.round(100 * share));
    add("accuracy", `next word right ${value(shares, 0)}${place < 0 ? "" : " %"}`);
    if (before.loss.length) add("before", `before: ${before.name}`);
  }

  say(moment) {
    if (!moment) return;
    const said = moment.answers.map((answer, number) => {
      const text = answer.words.map((word) => this.data.words[word]).join(" ");
      return `${this.data.sentences[number].source}: ${text || "nothing"}${answer.right ? ", right" : ""}`;
    });
    this.said.textContent = `Epoch ${moment.epoch}. ${said.join(". ")}.`;
  }

  positionAt(x) {
    const { moments } = this.data;
    if (!moments.length || !this.epochAt) return 0;
    const epoch = this.epochAt(x);
    const after = moments.findIndex((moment) => moment.epoch >= epoch);
    if (after <= 0) return after < 0 ? this.last : 0;
    const [from, to] = [moments[after - 1].epoch, moments[after].epoch];
    return after - 1 + (epoch - from) / (to - from);
  }

  goTo(position) {
    this.stop();
    this.position = clamp(position, 0, this.last);
    this.draw();
  }

  toggle() {
    if (this.playing) this.stop();
    else this.play();
  }

  play(from = this.position >= this.last - 0.01 ? 0 : this.position) {
    this.position = from;
    this.glide(this.last, PLAY_SECONDS * (1 - this.position / Math.max(1, this.last)));
    this.button.textContent = "❚❚ Pause";
  }

  // Move to a position in some seconds.
  glide(to, seconds) {
    this.stop();
    this.target = to;
    const from = this.position;
    let begin = null;
    const frame = (time) => {
      begin ??= time;
      const share = Math.min(1, (time - begin) / (1000 * seconds));
      this.position = mix(from, to, share);
      this.draw();
      if (share < 1 && this.place.isConnected) this.playing = requestAnimationFrame(frame);
      else this.stop();
    };
    this.playing = requestAnimationFrame(frame);
  }

  // Where it is, or is on its way to.
  get goal() {
    return this.playing ? this.target : this.position;
  }

  stop() {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.button.textContent = "▶ Play";
    clearTimeout(this.saying);
    this.saying = setTimeout(() => this.data && this.say(this.data.moments[this.shown]), SAY_AFTER);
  }

  pressKey(event) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity };
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !this.data.moments.length) return;
    if (event.key in steps) this.goTo(Math.round(this.position) + steps[event.key]);
    else if (event.key === "Escape") return this.stop();
    else if (event.key === " " && !event.target.closest?.(".row")) this.toggle();
    else return;
    event.preventDefault();
  }
}
