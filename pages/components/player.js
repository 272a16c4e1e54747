// The training player: the loss with a moving dot, the translations of a few sentences, and the attention over one.
// A position is the index of a snapshot, with a fraction between two. Text is set as text, never as HTML. Requires
// picture.js.
const PLAY_SECONDS = 8; // for any number of epochs
const EPOCHS_LINEAR = 5; // the axis is roughly linear up to here, then logarithmic
const EPOCH_TICKS = [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000];
const EDGE = { left: 2.2, right: 1.1, top: 0.6, bottom: 2.5 }; // rem, around the curves
const EMPTY_LOSS = 4.5; // as if it were the highest loss, before the first one
const ANNOUNCE_MS = 400; // at rest, before a screen reader gets the text
const KEY_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity };
const REMOTE_KEYS = ["ArrowLeft", "ArrowRight", " "];
const WHY_LOWER = "Never shown can be lower: it is measured after each epoch, without dropout.";

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const mix = (from, to, share) => from + (to - from) * share;
const wholeEpoch = (snapshot) => Math.floor(snapshot?.epoch ?? 0); // early snapshots are half an epoch apart
const warped = (epoch) => Math.log1p(epoch / EPOCHS_LINEAR);

// Interpolate between points, whose `xs` ascend.
function interpolate(xs, ys, x) {
  const after = xs.findIndex((each) => each >= x);
  if (after <= 0) return after === 0 ? ys[0] : ys.at(-1);
  return mix(ys[after - 1], ys[after], (x - xs[after - 1]) / (xs[after] - xs[after - 1]));
}

export default function (component) {
  const place = component.parentElement.querySelector(".player");
  place.player ??= new Player(place);
  place.player.update(component.data);
}

class Player {
  constructor(place) {
    this.place = place;
    this.position = 0;
    this.chosen = 0; // the sentence whose attention is drawn
    this.playing = 0; // the id from requestAnimationFrame
    this.build();
    const resizing = new ResizeObserver(() => this.data && this.layOut());
    for (const each of [this.panels, this.chart]) resizing.observe(each);
    place.onkeydown = (event) => this.handleKey(event);
    listenToRemote(place, (key) => REMOTE_KEYS.includes(key) && this.press(key));
  }

  // Make the elements that stay when the data change.
  build() {
    this.panels = make("div", { class: "panels" }, this.place);
    const curve = make("section", { class: "curve" }, this.panels);
    this.curveTitle = make("div", { class: "title" }, curve);
    this.values = make("div", { class: "values" }, curve);
    this.chart = make("svg", { "aria-hidden": "true" }, curve);
    this.note = make("div", { class: "note" }, curve);
    this.answers = make("section", { class: "answers" }, this.panels);
    const attention = make("section", { class: "attention" }, this.panels);
    this.mapTitle = make("div", { class: "title" }, attention);
    make("div", { class: "values" }, attention, "for each expected word");
    this.map = make("div", { class: "map", role: "img" }, attention);
    const transport = make("div", { class: "transport" }, this.place);
    this.button = make("button", { type: "button", class: "play" }, transport, "▶ Play");
    const range = { type: "range", min: 0, step: "any", "aria-label": "Epoch of the training" };
    this.slider = make("input", range, transport);
    this.when = make("output", { class: "when" }, transport);
    this.status = make("p", { class: "status", "aria-live": "polite" }, this.place);
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
    return Math.max(0, this.data.snapshots.length - 1);
  }

  update(data) {
    if (isUnchanged(this.place, data)) return;
    const isSameRun = this.data?.run === data.run;
    const hasEnded = isSameRun && this.data.running && !data.running;
    // Whether to move on to the latest snapshot.
    const follows = !isSameRun || (this.position >= this.last && !this.playing);
    this.data = data;
    this.maps = data.snapshots.map((snapshot) => snapshot.cross.map(bytesOf));
    if (!isSameRun) {
      this.stop();
      this.chosen = this.firstChosen();
      this.buildAnswers();
    }
    this.curveTitle.textContent = data.label || "Loss: how wrong it is";
    this.note.textContent = data.curves.held_out.length ? WHY_LOWER : "";
    this.mapTitle.textContent = data.heads > 1 ? `Where head ${data.head} of ${data.heads} looks` : "Where it looks";
    this.place.classList.toggle("empty", !data.snapshots.length);
    this.place.classList.toggle("running", data.running);
    this.place.classList.toggle("presenting", data.presenting);
    this.slider.max = this.last;
    this.slider.disabled = this.button.disabled = !data.snapshots.length;
    this.position = follows ? this.last : Math.min(this.position, this.last);
    this.layOut();
    // The button clicked may be far away.
    if (data.running && !isSameRun) this.place.scrollIntoView({ block: "nearest" });
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (hasEnded && follows && this.last && !isStill) this.play(0);
    if (hasEnded) this.announceEnd();
    if (!isSameRun) this.needsFocus = data.running;
    // The button that was pressed is gone, and the focus with it. What is not shown yet cannot have it.
    if (this.needsFocus && document.activeElement === document.body) {
      this.place.focus({ preventScroll: true });
      this.needsFocus = document.activeElement === document.body;
    }
  }

  // Return the longest sentence that the visitor wants to watch, else the longest held-out one, else the longest of all.
  firstChosen() {
    const { sentences } = this.data;
    const kind = ["wanted", "never"].find((name) => sentences.some((each) => each[name]));
    const lengths = sentences.map((each) => (!kind || each[kind] ? each.rows.length : 0));
    return lengths.indexOf(Math.max(...lengths));
  }

  buildAnswers() {
    this.answers.replaceChildren();
    make("div", { class: "title" }, this.answers, "What it writes (darker: more confident)");
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
    this.buildMap();
    this.shown = -1;
    this.draw();
  }

  drawCurves() {
    const { curves, before, total } = this.data;
    const unit = rootSize();
    const { clientWidth: width, clientHeight: height } = this.chart;
    if (!width || !height) return;
    const [left, right] = [EDGE.left * unit, width - EDGE.right * unit];
    const [top, bottom] = [EDGE.top * unit, height - EDGE.bottom * unit];
    const highest = Math.max(curves.loss.length ? 0.5 : EMPTY_LOSS, ...curves.loss, ...curves.held_out, ...before.loss);
    const step = highest > 6 ? 2 : highest > 1.2 ? 1 : 0.5;
    const most = step * Math.ceil(highest / step + 0.1); // a labeled number above the loss of epoch 1
    this.x = (epoch) => mix(left, right, warped(epoch) / warped(total));
    this.epochAt = (x) => EPOCHS_LINEAR * Math.expm1(clamp((x - left) / (right - left), 0, 1) * warped(total));
    this.y = (loss) => mix(bottom, top, loss / most);
    this.chart.replaceChildren();
    this.drawAxes(left, right, bottom, most, step, unit);
    const drawLine = (name, epochs, values) => {
      const points = values.map((value, i) => `${this.x(epochs[i]).toFixed(1)} ${this.y(value).toFixed(1)}`);
      make("path", { class: name, d: points.length ? `M${points.join("L")}` : "" }, this.chart);
    };
    drawLine("held-out", curves.epochs, curves.held_out);
    drawLine("loss", curves.epochs, curves.loss);
    // Fades the epochs after the dot.
    this.veil = make("rect", { class: "veil", width, height: bottom }, this.chart);
    const inSight = before.epochs.filter((epoch) => epoch <= total);
    drawLine("before", inSight, before.loss.slice(0, inSight.length));
    this.needle = make("line", { class: "needle", y1: top, y2: bottom }, this.chart);
    this.dot = make("circle", { class: "dot", r: 0.4 * unit }, this.chart);
  }

  drawAxes(left, right, bottom, most, step, unit) {
    make("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }, this.chart);
    const addText = (x, y, anchor, text) => {
      make("text", { class: "tick", x, y, "text-anchor": anchor }, this.chart, text);
    };
    let free = -Infinity;
    for (const epoch of [...EPOCH_TICKS.filter((tick) => tick < 0.75 * this.data.total), this.data.total]) {
      const x = this.x(epoch);
      if (x < free) continue;
      addText(x, bottom + 1.1 * unit, "middle", epoch);
      free = x + 1.9 * unit;
    }
    addText((left + right) / 2, bottom + 2.2 * unit, "middle", "epoch");
    for (let loss = 0; loss <= most; loss += step) {
      const y = this.y(loss);
      make("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }, this.chart);
      addText(left - 0.5 * unit, y + 0.3 * unit, "end", loss);
    }
  }

  buildMap() {
    const { rows, columns, source } = this.data.sentences[this.chosen];
    this.map.classList.remove("slanted");
    // The cells of the same sentence stay, so that their colors fade from one snapshot to the next.
    if (!isUnchanged(this.map, source, rows, columns)) {
      this.map.setAttribute("aria-label", `Where it looks: ${source}`);
      this.map.style.setProperty("--columns", columns.length);
      this.map.replaceChildren(document.createElement("span"));
      this.tops = columns.map((token) => make("span", { class: "column", title: token }, this.map, token));
      this.cells = rows.flatMap((token) => {
        make("span", { class: "line", title: token }, this.map, token);
        return columns.map(() => make("i", {}, make("span", { class: "cell" }, this.map)));
      });
    }
    this.map.classList.toggle("slanted", this.tops.some((top) => top.scrollWidth > top.clientWidth));
  }

  // Draw everything that depends on the position.
  draw() {
    const { snapshots, total, curves } = this.data;
    const now = Math.min(this.last, Math.floor(this.position + 0.001));
    const next = Math.min(this.last, now + 1);
    const share = this.position - now;
    if (snapshots.length) {
      const [from, to] = [now, next].map((snapshot) => this.maps[snapshot][this.chosen]);
      this.cells.forEach((cell, i) => (cell.style.opacity = (mix(from[i], to[i], share) / 255).toFixed(3)));
    }
    if (this.dot && snapshots.length) {
      const epoch = mix(snapshots[now].epoch, snapshots[next].epoch, share);
      const x = this.x(epoch);
      this.dot.setAttribute("cx", x);
      this.dot.setAttribute("cy", this.y(interpolate(curves.epochs, curves.loss, epoch) ?? 0));
      this.needle.setAttribute("x1", x);
      this.needle.setAttribute("x2", x);
      this.veil.setAttribute("x", x);
    }
    this.slider.value = this.position;
    if (now === this.shown) return;
    this.shown = now;
    this.when.textContent = `epoch ${wholeEpoch(snapshots[now])} of ${total}`;
    this.slider.setAttribute("aria-valuetext", this.when.textContent);
    this.writeAnswers(snapshots[now]);
    this.writeValues(snapshots[now]?.epoch ?? 0);
  }

  writeAnswers(snapshot) {
    this.rows.forEach(({ row, answer, words, mark }, number) => {
      const written = snapshot?.answers[number];
      const reference = this.data.sentences[number].rows.slice(0, -1);
      const texts = written ? written.words.map((word) => this.data.words[word]) : reference.map(() => "");
      while (words.length < texts.length) words.push(answer.insertBefore(make("span", { class: "word" }), mark));
      words.forEach((node, i) => {
        const probability = ((written?.p[i] ?? 0) / 1000).toFixed(2);
        node.hidden = i >= texts.length;
        node.textContent = texts[i] ?? "";
        node.style.setProperty("--p", probability);
        node.title = written ? `probability ${probability}` : "";
      });
      row.classList.toggle("right", Boolean(written?.right));
      mark.textContent = written?.right ? "✓" : written?.open ? "…" : written && !texts.length ? "(nothing)" : "";
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
    if (before.loss.length) add("before", `before: ${before.name}`);
    const percents = curves.accuracy.map((share) => 100 * share);
    add("accuracy", `next word right ${value(percents, 0)}${place < 0 ? "" : " %"}`);
  }

  announceEnd() {
    const { snapshots, sentences, total } = this.data;
    const snapshot = snapshots.at(-1);
    if (!snapshot) return;
    const right = snapshot.answers.filter((answer) => answer.right).length;
    const epoch = wholeEpoch(snapshot);
    this.status.textContent = `The training has ended at epoch ${epoch} of ${total}. ${right} of ${sentences.length} sentences are right.`;
  }

  announce(snapshot) {
    if (!snapshot) return;
    const lines = snapshot.answers.map((answer, number) => {
      const text = answer.words.map((word) => this.data.words[word]).join(" ");
      return `${this.data.sentences[number].source}: ${text || "nothing"}${answer.right ? ", right" : ""}`;
    });
    this.status.textContent = `Epoch ${wholeEpoch(snapshot)}. ${lines.join(". ")}.`;
  }

  positionAt(x) {
    const epochs = this.data.snapshots.map((snapshot) => snapshot.epoch);
    return interpolate(epochs, [...epochs.keys()], this.epochAt(x)) ?? 0;
  }

  goTo(position) {
    this.stop();
    this.position = clamp(position, 0, this.last);
    this.draw();
  }

  toggle() {
    if (this.playing) this.stop();
    else if (!this.data.running) this.play(this.position >= this.last - 0.01 ? 0 : this.position);
  }

  // Play from a position to the end.
  play(from) {
    this.stop();
    clearTimeout(this.announcing); // until it rests again
    this.button.textContent = "❚❚ Pause";
    const seconds = PLAY_SECONDS * (1 - from / Math.max(1, this.last));
    let begin = null;
    const frame = (time) => {
      begin ??= time;
      const share = Math.min(1, (time - begin) / (1000 * seconds));
      this.position = mix(from, this.last, share);
      this.draw();
      if (share < 1 && this.place.isConnected) this.playing = requestAnimationFrame(frame);
      else this.stop();
    };
    this.playing = requestAnimationFrame(frame);
  }

  stop() {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.button.textContent = "▶ Play";
    clearTimeout(this.announcing);
    this.announcing = setTimeout(() => this.announce(this.data.snapshots[this.shown]), ANNOUNCE_MS);
  }

  handleKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target.closest?.(".row")) return;
    if (event.key === "Escape") this.stop(); // and leaves presenter mode
    if (this.press(event.key)) event.preventDefault();
  }

  // Do what a key means; return whether it means anything here.
  press(key) {
    if (!this.data.snapshots.length) return false;
    if (key in KEY_STEPS) this.goTo(Math.round(this.position) + KEY_STEPS[key]);
    else if (key === " ") this.toggle();
    else return false;
    return true;
  }
}
