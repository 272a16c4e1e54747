// @ts-check
// What the living picture paints on its canvas: a strip of colors for each vector, an arc for each attention weight.
import { brushOf, bytesOf } from "./dom.js";
import { KINDS, between, firstPart, nearness, pulse, span, staggered, weightAt } from "./living_plan.js";

/** @import { AttentionName, Frame, ModelSide, Picture } from "./types" */

/**
 * Places in pixels: the tops of strips, the middle of each word and the width of its strip, sizes, and which sides are
 * shown; a phone shows one.
 * @typedef {object} Places
 * @property {Record<ModelSide, Record<string, number>>} y
 * @property {Record<ModelSide, { x: number[], strip: number }>} columns
 * @property {{ strip: number, cross: number }} size
 * @property {Record<ModelSide, boolean>} shown
 */
/** @typedef {(position: number) => number} ByPosition */

const [NEGATIVE, POSITIVE, GLOW, REST] = ["#0072B2", "#D55E00", "#009E73", "#808080"];
const MIN_WEIGHT = 0.03; // the lowest weight that gets an arc
const PREVIEW = 0.35; // opacity of strips before they are computed
const WORD_AND_POSITION = [0, 1]; // the first levels; those that layers read follow
export const EDGE = 4; // pixels between a box and the strips in it

/** Return the bitmaps of both sides. @param {Picture} picture @param {Frame["counts"]} counts */
export function paintStrips({ levels, channels }, counts) {
  return {
    source: paintLevels(levels.encoder, counts.source, channels),
    target: paintLevels(levels.decoder, counts.target, channels),
  };
}

/**
 * Return a small bitmap per level, with a column per position, so that a strip is drawn by copying. Zero is transparent
 * and takes the color of the page.
 * @param {string} text @param {number} count of positions @param {number} channels
 */
function paintLevels(text, count, channels) {
  const cells = new Int8Array(bytesOf(text).buffer);
  const colors = [NEGATIVE, POSITIVE].map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  return span(cells.length / count / channels).map((level) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: count, height: channels });
    const image = new ImageData(count, channels);
    for (const cell of span(count * channels)) {
      const value = cells[level * count * channels + cell] / 127;
      const pixel = (cell % channels) * count + Math.floor(cell / channels);
      image.data.set([...colors[Number(value > 0)], 255 * Math.abs(value) ** 0.65], 4 * pixel);
    }
    brushOf(canvas).putImageData(image, 0, 0);
    return canvas;
  });
}

export class LivingCanvas {
  /** @param {HTMLCanvasElement} canvas @param {ReturnType<typeof paintStrips>} strips @param {Places} places */
  constructor(canvas, strips, places) {
    this.paint = brushOf(canvas);
    this.strips = strips;
    this.places = places;
    const scale = devicePixelRatio;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    this.paint.setTransform(scale, 0, 0, scale, 0, 0);
    this.paint.imageSmoothingEnabled = false;
  }

  /** @param {Frame} frame */
  draw(frame) {
    const { paint, strips, places } = this;
    const { shown, y } = places;
    const { width, height } = paint.canvas;
    paint.clearRect(0, 0, width, height);
    if (shown.source) this.drawPreview(frame, "source");
    if (shown.target) this.drawPreview(frame, "target");
    if (shown.source) this.drawEncoder(frame);
    else this.drawStrips(frame, "source", strips.source.length - 1, y.source.middle, () => 1);
    if (shown.target && frame.scene.hasBegun) this.drawDecoder(frame);
    this.drawArcs(frame);
    paint.globalAlpha = 1;
  }

  /**
   * Draw a level's strips, with opacity and glow by position, and an offset in pixels.
   * @param {Frame} frame @param {ModelSide} side @param {number} level @param {number} top @param {ByPosition} opacity
   * @param {number} dy @param {ByPosition} glow
   */
  drawStrips(frame, side, level, top, opacity, dy = 0, glow = () => 0) {
    const { paint, places } = this;
    const { x, strip } = places.columns[side];
    const high = places.size.strip;
    const bitmap = this.strips[side][level];
    for (const position of span(bitmap.width)) {
      const alpha = opacity(position) * nearness(frame, side, position);
      if (alpha < 0.01) continue;
      const light = glow(position);
      const [left, upper, edge] = [x[position] - strip / 2, top + dy, 2 + 2 * light];
      paint.globalAlpha = alpha * (0.12 + 0.35 * light);
      paint.fillStyle = light ? GLOW : REST;
      paint.fillRect(left - edge, upper - edge, strip + 2 * edge, high + 2 * edge);
      paint.globalAlpha = alpha;
      paint.drawImage(bitmap, position, 0, 1, bitmap.height, left, upper, strip, high);
    }
  }

  /**
   * Draw the first layer's strips faintly until they are computed; the decoder's until it starts.
   * @param {Frame} frame @param {ModelSide} side
   */
  drawPreview(frame, side) {
    const { scene } = frame;
    const y = this.places.y[side];
    const at = scene[side];
    const isSource = side === "source";
    if (at.layer > 0 || (isSource ? scene.hasBegun : scene.round > 0 || scene.isEnd)) return;
    const [input, output] = inputsOf(frame, side);
    const later = isSource ? at.attention : at.vectors;
    this.drawStrips(frame, side, input, y.in, () => PREVIEW * (1 - at.vectors));
    if (!isSource) this.drawStrips(frame, side, input + 1, y.middle, () => PREVIEW * (1 - later));
    this.drawStrips(frame, side, output, isSource ? y.middle : y.out, () => PREVIEW * (1 - later));
  }

  /** Draw the strips of the encoder's layer, whose tokens appear one after the other. @param {Frame} frame */
  drawEncoder(frame) {
    const { hasBegun, source } = frame.scene;
    const count = frame.counts.source;
    const isNew = () => Number(!hasBegun);
    /** @type {(progress: number) => ByPosition} */
    const come = (progress) => (n) => staggered(progress, n, count) * (hasBegun ? 0.6 : 1);
    /** @type {ByPosition} */
    const forward = (n) => staggered(source.forward, n, count);
    this.drawInput(frame, "source", come, isNew);
    this.drawOutput(frame, "source", come(between(source.attention, 0.5, 1)), forward, isNew);
  }

  /** Draw the strips of the decoder's layer, in which only the newest token moves. @param {Frame} frame */
  drawDecoder(frame) {
    const { target, round, isEnd } = frame.scene;
    /** @type {ByPosition} */
    const isNew = (n) => Number(!isEnd && n === round);
    /** @type {(progress: number) => ByPosition} */
    const come = (progress) => (n) => (isEnd ? 1 : n < round ? 0.5 : isNew(n) * progress);
    /** @type {ByPosition} */
    const forward = (n) => (isNew(n) ? target.forward : 1);
    this.drawInput(frame, "target", come, isNew);
    const middle = frame.picture.inputs.decoder[target.layer] + 1;
    this.drawStrips(frame, "target", middle, this.places.y.target.middle, come(between(target.attention, 0.5, 1)));
    this.drawOutput(frame, "target", come(between(target.cross, 0.5, 1)), forward, isNew);
  }

  /**
   * Draw what the layer reads: word plus position, or the output of the layer before, which moves back down.
   * @param {Frame} frame @param {ModelSide} side
   * @param {(progress: number) => ByPosition} come @param {ByPosition} isNew
   */
  drawInput(frame, side, come, isNew) {
    const { y, size } = this.places;
    const at = frame.scene[side];
    const input = inputsOf(frame, side)[at.layer];
    const top = y[side].in;
    if (at.layer > 0) {
      const end = side === "source" ? y.source.middle : y.target.out;
      this.drawStrips(frame, side, input, top, come(1), (1 - at.entered) * (end - top));
      return;
    }
    const mixed = between(at.positions, 0.4, 1);
    /** @type {(progress: number) => ByPosition} */
    const leave = (progress) => (n) => isNew(n) * come(progress)(n) * (1 - mixed);
    const [word, position] = WORD_AND_POSITION;
    this.drawStrips(frame, side, word, top, leave(at.vectors), (1 - at.vectors) * size.strip);
    this.drawStrips(frame, side, position, top, leave(at.positions * 2), (mixed - 1) * (size.strip + 2 * EDGE));
    this.drawStrips(frame, side, input, top, come(mixed), 0, (n) => isNew(n) * pulse(mixed));
  }

  /**
   * Draw what leaves the layer, before and after its feed-forward.
   * @param {Frame} frame @param {ModelSide} side @param {ByPosition} last opacity @param {ByPosition} forward
   * @param {ByPosition} isNew
   */
  drawOutput(frame, side, last, forward, isNew) {
    const { y } = this.places;
    const at = frame.scene[side];
    const end = side === "source" ? y.source.middle : y.target.out;
    const output = inputsOf(frame, side)[at.layer + 1];
    const left = at.crosses > 0.5 ? this.strips[side].length - 1 : output;
    this.drawStrips(frame, side, output - 1, end, (n) => last(n) * (1 - forward(n)));
    /** @type {ByPosition} */
    const glow = (n) => isNew(n) * Math.max(pulse(forward(n)), pulse(at.crosses));
    this.drawStrips(frame, side, left, end, (n) => last(n) * forward(n), 0, glow);
  }

  /** Draw all arcs of the word in focus; else those of the active position; at the end, all. @param {Frame} frame */
  drawArcs(frame) {
    const { counts, scene, focus } = frame;
    const { shown } = this.places;
    /** @type {(side: ModelSide, index: number) => boolean} */
    const isAbout = (side, index) => focus?.side === side && focus.index === index;
    for (const kind of /** @type {AttentionName[]} */ (Object.keys(KINDS))) {
      const { keys, queries } = KINDS[kind];
      if (!shown[queries] || (queries === "target" && !scene.hasBegun)) continue;
      const last = queries === "source" ? counts.source : scene.isEnd ? counts.target : scene.round + 1;
      for (const query of span(last)) {
        const { strength, moved } = movementOf(frame, kind, query);
        for (const key of span(counts[keys])) {
          const alpha = focus ? Number(isAbout(keys, key) || isAbout(queries, query)) : strength;
          this.drawArc(frame, kind, key, query, moved, alpha);
        }
      }
    }
  }

  /**
   * Draw the part of an arc, from a key below to a query above, that has been `moved`.
   * @param {Frame} frame @param {AttentionName} kind @param {number} key @param {number} query @param {number} moved
   * @param {number} alpha
   */
  drawArc(frame, kind, key, query, moved, alpha) {
    const weight = alpha && moved ? weightAt(frame, kind, query, key) : 0;
    if (weight < MIN_WEIGHT) return;
    const { paint, places } = this;
    const first = firstPart(arcPoints(places, kind, key, query), moved);
    Object.assign(paint, { strokeStyle: KINDS[kind].color, lineCap: "round" });
    paint.globalAlpha = alpha * Math.min(1, 0.3 + 0.9 * weight ** 0.6);
    paint.lineWidth = 0.7 + weight * 0.4 * places.columns.source.strip;
    paint.beginPath();
    paint.moveTo(...first[0]);
    paint.bezierCurveTo(...first[1], ...first[2], ...first[3]);
    paint.stroke();
  }
}

/** Return the level that each layer reads, and the last one's output. @param {Frame} frame @param {ModelSide} side */
function inputsOf({ picture }, side) {
  return side === "source" ? picture.inputs.encoder : picture.inputs.decoder;
}

/**
 * Return how strong a query's arcs are, and how far they have come.
 * @param {Frame} frame @param {AttentionName} kind @param {number} query
 */
function movementOf({ counts, scene }, kind, query) {
  const { queries, move } = KINDS[kind];
  const progress = scene[queries][move];
  const { hasBegun, isEnd, round } = scene;
  if (queries === "source") return { strength: hasBegun ? 0.2 : 1, moved: staggered(progress, query, counts.source) };
  const strength = isEnd ? Math.min(0.5, 5 / counts.target) : Number(query === round);
  return { strength, moved: query < round ? 1 : progress };
}

/**
 * Return the points of an arc, which is a cubic curve.
 * @param {Places} places @param {AttentionName} kind @param {number} key @param {number} query
 * @returns {[number, number][]}
 */
function arcPoints({ columns, shown, size, y }, kind, key, query) {
  const { keys, queries, from, to } = KINDS[kind];
  const [left, bottom] = [columns[keys].x[key], y[keys][from] - EDGE];
  const [right, top] = [columns[queries].x[query], y[queries][to] + size.strip + EDGE];
  const crosses = kind === "cross" && shown.source;
  const rise = crosses ? size.cross * 0.5 + Math.abs(right - left) * 0.1 : (bottom - top) * 0.55;
  const fall = crosses ? 1.4 * size.cross : rise;
  return [[left, bottom], [left, bottom - rise], [right, top + fall], [right, top]];
}
