// @ts-check
// The training player: the loss with a moving dot, the translations of a few sentences, and the attention over one.
// A position is the index of a snapshot, with a fraction between two.
import { bytesOf, isCalm, listenToRemote, make, makeSvg, numeral, percent, rememberData, rootSize, say,
  shadeOf } from "./dom.js";
import { clamp, curvePath, interpolate, mix, planCurves } from "./player_curves.js";

/** @import { Answer, Mount, PlayerData, Snapshot } from "./types" */
/** @import { CurvePlan } from "./player_curves.js" */

const PLAY_SECONDS = 8; // for any number of epochs
const PHONE = 700; // pixels of the widest phone, as in player.css
const ANNOUNCE_MS = 400; // at rest, before a screen reader gets the text
/** @type {Record<string, number>} */
const KEY_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity };
const REMOTE_KEYS = ["ArrowLeft", "ArrowRight", " "];

/** Early snapshots are half an epoch apart. @param {Snapshot | undefined} snapshot */
const wholeEpoch = (snapshot) => Math.floor(snapshot?.epoch ?? 0);

/** Draw the player into `place`. @type {Mount<PlayerData>} */
export function mount(place, data) {
  place.setAttribute("aria-label", say("The training, epoch by epoch"));
  return new Player(place, data);
}

/** Make the elements that stay when the data change. @param {HTMLElement} place */
function buildPlayer(place) {
  const panels = make("div", { class: "panels" }, place);
  const curve = make("section", { class: "curve" }, panels);
  const curveTitle = make("div", { class: "title" }, curve);
  const values = make("div", { class: "values" }, curve);
  const chart = makeSvg("svg", { "aria-hidden": "true" }, curve);
  const note = make("div", { class: "note" }, curve);
  const answers = make("section", { class: "answers" }, panels);
  const attention = make("section", { class: "attention" }, panels);
  const mapTitle = make("div", { class: "title" }, attention);
  make("div", { class: "values" }, attention, say("for each expected word"));
  const map = make("div", { class: "map", role: "img" }, attention);
  const transport = make("div", { class: "transport" }, place);
  const button = make("button", { type: "button", class: "play" }, transport, `▶ ${say("Play")}`);
  const range = { type: "range", min: 0, step: "any", "aria-label": say("Epoch of the training") };
  const slider = make("input", range, transport);
  const when = make("output", { class: "when" }, transport);
  const status = make("p", { class: "status", "aria-live": "polite" }, place);
  return { panels, curveTitle, values, chart, note, answers, mapTitle, map, button, slider, when, status };
}

/**
 * Return the longest sentence that the visitor wants to watch, else the longest held-out one, else the longest of all.
 * @param {PlayerData["sentences"]} sentences
 */
export function firstChosen(sentences) {
  const kind = /** @type {const} */ (["wanted", "never"]).find((name) => sentences.some((each) => each[name]));
  const lengths = sentences.map((each) => (!kind || each[kind] ? each.rows.length : 0));
  return lengths.indexOf(Math.max(...lengths));
}

class Player {
  /** @param {HTMLElement} place @param {PlayerData} data */
  constructor(place, data) {
    this.place = place;
    this.data = { ...data, run: "", running: false }; // nothing yet
    // The position, the snapshot whose texts are shown, and the sentence whose attention is drawn.
    this.state = { position: 0, shown: -1, chosen: 0 };
    this.playing = 0; // the id from requestAnimationFrame
    this.announcing = 0; // the id from setTimeout
    this.hasToShow = false; // a training that has just begun
    this.isUnchanged = rememberData();
    this.isSameMap = rememberData();
    /** @type {Uint8Array[][]} */
    this.maps = []; // of each snapshot, of each sentence
    /** @type {{ row: HTMLElement, answer: HTMLElement, words: HTMLElement[], mark: HTMLElement }[]} */
    this.rows = [];
    /** @type {HTMLElement[]} */
    this.tops = [];
    /** @type {HTMLElement[]} */
    this.cells = [];
    /** @type {ReturnType<typeof drawCurves> | null} */
    this.curve = null;
    this.parts = buildPlayer(place);
    this.listen();
    this.update(data);
    this.resizing = new ResizeObserver(() => this.layOut());
    for (const each of [this.parts.panels, this.parts.chart]) this.resizing.observe(each);
    this.stopRemote = listenToRemote(place, (key) => REMOTE_KEYS.includes(key) && this.press(key));
  }

  get last() {
    return Math.max(0, this.data.snapshots.length - 1);
  }

  /** @param {PlayerData} data */
  update(data) {
    if (this.isUnchanged(data)) return;
    const isSameRun = this.data.run === data.run;
    const hasEnded = isSameRun && this.data.running && !data.running;
    // Whether to move on to the latest snapshot.
    const follows = !isSameRun || (this.state.position >= this.last && !this.playing);
    this.data = data;
    this.maps = data.snapshots.map((snapshot) => snapshot.cross.map(bytesOf));
    if (!isSameRun) this.beginRun();
    this.writeTitles();
    this.state.position = follows ? this.last : Math.min(this.state.position, this.last);
    this.layOut();
    if (hasEnded && follows && this.last && !isCalm()) this.play(0);
    if (hasEnded) this.announceEnd();
  }

  dispose() {
    this.resizing.disconnect();
    this.stopRemote();
    cancelAnimationFrame(this.playing);
    clearTimeout(this.announcing);
  }

  beginRun() {
    this.stop();
    this.state.chosen = firstChosen(this.data.sentences);
    this.buildAnswers();
    this.hasToShow = this.data.running;
  }

  // The button that was pressed may be far away, and a phone shows little below it; it is gone, and the focus with it.
  showBegin() {
    const isOnPage = this.place.offsetHeight > 0;
    if (!this.hasToShow || !isOnPage) return;
    this.hasToShow = false;
    this.place.scrollIntoView({ block: innerWidth > PHONE ? "nearest" : "start" });
    if (document.activeElement === document.body) this.place.focus({ preventScroll: true });
  }

  // Elements.

  buildAnswers() {
    const { answers } = this.parts;
    answers.replaceChildren();
    make("div", { class: "title" }, answers, say("What it writes (stronger: more confident)"));
    this.rows = this.data.sentences.map((sentence, number) => {
      const row = make("button", { type: "button", class: "row" }, answers);
      const source = make("div", { class: "source" }, row);
      make("span", {}, source, sentence.source);
      if (sentence.never) make("span", { class: "never" }, source, say("never shown"));
      const answer = make("div", { class: "answer", dir: "auto" }, row);
      row.onclick = () => {
        this.state.chosen = number;
        this.layOut();
      };
      return { row, answer, words: [], mark: make("span", { class: "mark" }, answer) };
    });
  }

  writeTitles() {
    const { curveTitle, note, mapTitle, slider, button } = this.parts;
    const { label, curves, heads, head, snapshots, running, presenting } = this.data;
    curveTitle.textContent = label || say("Loss: how wrong it is");
    const whyLower = say("Never shown can be lower: it is measured after each epoch, without dropout.");
    note.textContent = curves.held_out.length ? whyLower : "";
    mapTitle.textContent = heads > 1 ? say("Where head {head} of {heads} looks", { head, heads }) : say("Where it looks");
    this.place.classList.toggle("empty", !snapshots.length);
    this.place.classList.toggle("running", running);
    this.place.classList.toggle("presenting", presenting);
    slider.max = String(this.last);
    slider.disabled = button.disabled = !snapshots.length;
  }

  layOut() {
    const { chart } = this.parts;
    this.rows.forEach(({ row }, number) => row.setAttribute("aria-pressed", String(number === this.state.chosen)));
    const plan = planCurves(this.data, chart.clientWidth, chart.clientHeight, rootSize());
    if (plan) this.curve = drawCurves(chart, plan, this.data);
    this.buildMap();
    this.state.shown = -1;
    this.draw();
    this.showBegin();
  }

  buildMap() {
    const { map } = this.parts;
    const { rows, columns, source } = this.data.sentences[this.state.chosen];
    map.classList.remove("slanted");
    // The cells of the same sentence stay, so that their colors fade from one snapshot to the next.
    if (!this.isSameMap(source, rows, columns)) {
      map.setAttribute("aria-label", say("Where it looks: {sentence}", { sentence: source }));
      map.style.setProperty("--columns", String(columns.length));
      map.replaceChildren(document.createElement("span"));
      this.tops = columns.map((token) => make("span", { class: "column", title: token }, map, token));
      this.cells = rows.flatMap((token) => {
        make("span", { class: "line", title: token }, map, token);
        return columns.map(() => make("span", { class: "cell" }, map));
      });
    }
    map.classList.toggle("slanted", this.tops.some((top) => top.scrollWidth > top.clientWidth));
  }

  // What depends on the position.

  draw() {
    const { snapshots } = this.data;
    const now = Math.min(this.last, Math.floor(this.state.position + 0.001));
    if (snapshots.length) this.drawBetween(now, Math.min(this.last, now + 1), this.state.position - now);
    this.parts.slider.value = String(this.state.position);
    if (now !== this.state.shown) this.write(now);
  }

  /** Draw what moves between two snapshots. @param {number} now @param {number} next @param {number} share */
  drawBetween(now, next, share) {
    const { snapshots, curves } = this.data;
    const [from, to] = [now, next].map((snapshot) => this.maps[snapshot][this.state.chosen]);
    const { shades } = this.data;
    this.cells.forEach((cell, i) => (cell.style.backgroundColor = shadeOf(shades, mix(from[i], to[i], share) / 255)));
    if (!this.curve) return;
    const { plan, dot, needle, veil } = this.curve;
    const epoch = mix(snapshots[now].epoch, snapshots[next].epoch, share);
    const x = String(plan.xOf(epoch));
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", String(plan.yOf(interpolate(curves.epochs, curves.loss, epoch) ?? 0)));
    needle.setAttribute("x1", x);
    needle.setAttribute("x2", x);
    veil.setAttribute("x", x);
  }

  /** Write the texts of a snapshot. @param {number} number */
  write(number) {
    const { when, slider } = this.parts;
    const snapshot = this.data.snapshots[number];
    this.state.shown = number;
    when.textContent = say("epoch {epoch} of {total}", { epoch: wholeEpoch(snapshot), total: this.data.total });
    slider.setAttribute("aria-valuetext", when.textContent);
    this.rows.forEach((_, sentence) => this.writeAnswer(sentence, snapshot?.answers[sentence]));
    this.writeValues(snapshot?.epoch ?? 0);
  }

  /** @param {number} number @param {Answer | undefined} written */
  writeAnswer(number, written) {
    const { row, answer, words, mark } = this.rows[number];
    const reference = this.data.sentences[number].rows.slice(0, -1);
    const texts = written ? written.words.map((word) => this.data.words[word]) : reference.map(() => "");
    while (words.length < texts.length) words.push(answer.insertBefore(make("span", { class: "word" }), mark));
    words.forEach((node, i) => {
      const probability = (written?.p[i] ?? 0) / 1000;
      node.hidden = i >= texts.length;
      node.textContent = texts[i] ?? "";
      node.style.setProperty("--p", probability.toFixed(2));
      node.title = written ? say("probability {probability}", { probability: numeral(probability, 2) }) : "";
    });
    row.classList.toggle("right", Boolean(written?.right));
    mark.textContent = written?.right ? "✓" : written?.open ? "…" : written && !texts.length ? say("(nothing)") : "";
  }

  /** @param {number} epoch */
  writeValues(epoch) {
    const { curves, before } = this.data;
    const { values } = this.parts;
    const place = curves.epochs.findLastIndex((each) => each <= epoch);
    const value = (/** @type {number[]} */ numbers) => (place < 0 ? "–" : numeral(numbers[place], 2));
    /** @type {(name: string, text: string) => void} */
    const add = (name, text) => make("span", { class: name }, values, text);
    values.replaceChildren();
    if (!curves.loss.length) return;
    add("loss", say("loss {loss}", { loss: value(curves.loss) }));
    if (curves.held_out.length) add("held-out", say("never shown {loss}", { loss: value(curves.held_out) }));
    if (before.loss.length) add("before", say("before: {name}", { name: before.name }));
    const share = place < 0 ? "–" : percent(curves.accuracy[place]);
    add("accuracy", say("next word right {share}", { share }));
  }

  announceEnd() {
    const { snapshots, sentences, total } = this.data;
    const snapshot = snapshots.at(-1);
    if (!snapshot) return;
    const right = snapshot.answers.filter((answer) => answer.right).length;
    const counts = { epoch: wholeEpoch(snapshot), total, right, sentences: sentences.length };
    this.parts.status.textContent = say(
      "The training has ended at epoch {epoch} of {total}. {right} of {sentences} sentences are right.", counts);
  }

  announce() {
    const snapshot = this.data.snapshots[this.state.shown];
    if (!snapshot) return;
    const lines = snapshot.answers.map((answer, number) => {
      const values = {
        sentence: this.data.sentences[number].source,
        answer: answer.words.map((word) => this.data.words[word]).join(" ") || say("nothing"),
      };
      return answer.right ? say("{sentence}: {answer}, right", values) : say("{sentence}: {answer}", values);
    });
    this.parts.status.textContent = say("Epoch {epoch}. {answers}.",
      { epoch: wholeEpoch(snapshot), answers: lines.join(". ") });
  }

  // Playing.

  /** @param {number} position */
  goTo(position) {
    this.stop();
    this.state.position = clamp(position, 0, this.last);
    this.draw();
  }

  /** Go to the snapshot at a place of the chart. @param {MouseEvent} event */
  follow(event) {
    if (!this.curve) return;
    const epochs = this.data.snapshots.map((snapshot) => snapshot.epoch);
    const epoch = this.curve.plan.epochAt(event.offsetX);
    this.goTo(interpolate(epochs, [...epochs.keys()], epoch) ?? 0);
  }

  toggle() {
    if (this.playing) this.stop();
    else if (!this.data.running) this.play(this.state.position >= this.last - 0.01 ? 0 : this.state.position);
  }

  /** Play from a position to the end. @param {number} from */
  play(from) {
    this.stop();
    clearTimeout(this.announcing); // until it rests again
    this.parts.button.textContent = `❚❚ ${say("Pause")}`;
    const seconds = PLAY_SECONDS * (1 - from / Math.max(1, this.last));
    let begin = NaN;
    const frame = (/** @type {number} */ time) => {
      if (Number.isNaN(begin)) begin = time;
      const share = Math.min(1, (time - begin) / (1000 * seconds));
      this.state.position = mix(from, this.last, share);
      this.draw();
      if (share < 1) this.playing = requestAnimationFrame(frame);
      else this.stop();
    };
    this.playing = requestAnimationFrame(frame);
  }

  stop() {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.parts.button.textContent = `▶ ${say("Play")}`;
    clearTimeout(this.announcing);
    this.announcing = setTimeout(() => this.announce(), ANNOUNCE_MS);
  }

  // Events.

  listen() {
    const { button, slider, chart } = this.parts;
    button.onclick = () => this.toggle();
    slider.oninput = () => this.goTo(Number(slider.value));
    chart.onpointerdown = (event) => {
      chart.setPointerCapture(event.pointerId);
      this.follow(event);
    };
    chart.onpointermove = (event) => {
      const isHovered = event.pointerType === "mouse" && !this.playing && !this.data.running;
      if (event.buttons || isHovered) this.follow(event);
    };
    this.place.onkeydown = (event) => this.handleKey(event);
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && /** @type {Element} */ (event.target).closest(".row")) return;
    if (event.key === "Escape") this.stop(); // and leaves presenter mode
    if (this.press(event.key)) event.preventDefault();
  }

  /** Do what a key means; return whether it means anything here. @param {string} key */
  press(key) {
    if (!this.data.snapshots.length) return false;
    if (key in KEY_STEPS) this.goTo(Math.round(this.state.position) + KEY_STEPS[key]);
    else if (key === " ") this.toggle();
    else return false;
    return true;
  }
}

/**
 * Draw the curves; return what moves on them.
 * @param {SVGSVGElement} chart @param {CurvePlan} plan @param {PlayerData} data
 */
function drawCurves(chart, plan, { curves, before, total }) {
  const { top, bottom, width, unit } = plan;
  chart.replaceChildren();
  drawAxes(chart, plan);
  /** @type {(name: string, epochs: number[], losses: number[]) => void} */
  const drawLine = (name, epochs, losses) =>
    makeSvg("path", { class: name, d: curvePath(plan, epochs, losses) }, chart);
  drawLine("held-out", curves.epochs, curves.held_out);
  drawLine("loss", curves.epochs, curves.loss);
  const veil = makeSvg("rect", { class: "veil", width, height: bottom }, chart); // fades the epochs after the dot
  const inSight = before.epochs.filter((epoch) => epoch <= total);
  drawLine("before", inSight, before.loss.slice(0, inSight.length));
  const needle = makeSvg("line", { class: "needle", y1: top, y2: bottom }, chart);
  const dot = makeSvg("circle", { class: "dot", r: 0.4 * unit }, chart);
  return { plan, veil, needle, dot };
}

/** @param {SVGSVGElement} chart @param {CurvePlan} plan */
function drawAxes(chart, { left, right, bottom, unit, xOf, yOf, losses, epochs }) {
  /** @type {(x: number, y: number, anchor: string, text: string | number) => void} */
  const addText = (x, y, anchor, text) =>
    makeSvg("text", { class: "tick", x, y, "text-anchor": anchor }, chart, text);
  makeSvg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }, chart);
  for (const epoch of epochs) addText(xOf(epoch), bottom + 1.1 * unit, "middle", epoch);
  addText((left + right) / 2, bottom + 2.2 * unit, "middle", say("epoch"));
  for (const loss of losses) {
    const y = yOf(loss);
    makeSvg("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }, chart);
    addText(left - 0.5 * unit, y + 0.3 * unit, "end", numeral(loss));
  }
}
