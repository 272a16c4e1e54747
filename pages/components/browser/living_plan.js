// @ts-check
// What the living picture computes: the steps, the movements in them, the weights, and places of words.
/** @import { Arcs, AttentionName, Frame, ModelSide, Phase, Progress, Scene, Step } from "./types" */

/**
 * The arcs of each kind of attention: sides and levels of keys and queries, the movement that draws them, and a color
 * that stands out on light and on dark pages.
 * @type {Record<AttentionName, Arcs>}
 */
export const KINDS = {
  encoder: { keys: "source", from: "in", queries: "source", to: "middle", move: "attention", color: "#2A7AB8" },
  decoder: { keys: "target", from: "in", queries: "target", to: "middle", move: "attention", color: "#2A7AB8" },
  cross: { keys: "source", from: "leaves", queries: "target", to: "out", move: "cross", color: "#BF5C96" },
};
/**
 * The movements of a side, which phases in living.toml take from 0 to 1; `entered` is 1 unless a phase moves it.
 * @type {Progress}
 */
const BEFORE = { words: 0, vectors: 0, positions: 0, entered: 1, attention: 0, cross: 0, forward: 0, crosses: 0,
  bars: 0, drop: 0, layer: 0 };

const clamp = (/** @type {number} */ value) => Math.max(0, Math.min(1, value));
const ease = (/** @type {number} */ value) => clamp(value) ** 2 * (3 - 2 * clamp(value));
/** @param {number} value @param {number} from @param {number} to */
export const between = (value, from, to) => ease((value - from) / (to - from));
/** @param {number} value @param {number} index @param {number} count */
export const staggered = (value, index, count) => ease(value * 1.6 - (0.6 * index) / Math.max(1, count - 1));
export const pulse = (/** @type {number} */ value) => 4 * value * (1 - value);
export const span = (/** @type {number} */ count) => [...Array(count).keys()];
const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
/** @param {string} box @returns {ModelSide} */
export const sideOf = (box) => (box.startsWith("encoder") ? "source" : "target");

/**
 * Return the steps: the first round has all phases, some repeated for each further layer; later rounds have few.
 * @param {Phase[]} phases @param {number} layers @param {number} rounds @returns {Step[]}
 */
export function planSteps(phases, layers, rounds) {
  const scene = { source: BEFORE, target: BEFORE };
  /** @type {Step[]} */
  const steps = [];
  /** @type {(phase: Phase, round: number, layer?: number) => void} */
  const add = (phase, round, layer) => {
    const { side, moves } = phase;
    const here = phase.begins ? BEFORE : scene[side];
    const moving = Object.fromEntries(Object.keys(moves).map((name) => [name, 0]));
    scene[side] = { ...here, layer: layer ?? scene[side].layer, ...moving };
    steps.push({ ...phase, round, before: { ...scene } });
    const moved = Object.fromEntries(Object.keys(moves).map((name) => [name, 1]));
    scene[side] = { ...scene[side], ...moved };
  };
  /** @type {Record<string, number[]>} */
  const ofLayer = { first: [0], further: span(layers).slice(1), last: [layers - 1] };
  const later = span(rounds).slice(1).map((round) => ({ when: "later", round }));
  for (const { when, round } of [{ when: "first", round: 0 }, ...later, { when: "end", round: rounds - 1 }]) {
    for (const phase of phases.filter((each) => each.when === when)) {
      for (const layer of ofLayer[phase.layer ?? ""] ?? [undefined]) add(phase, round, layer);
    }
  }
  return steps;
}

/** Return the progress of every movement when `share` of a step has passed. @param {Step} step @param {number} share */
export function sceneAt({ before, side, moves, round, when }, share) {
  const moved = Object.entries(moves).map(([name, [from, to]]) => [name, between(share, from, to)]);
  /** @type {Scene} */
  const scene = { ...before, round, isEnd: when === "end", hasBegun: side === "target" };
  scene[side] = { ...before[side], ...Object.fromEntries(moved) };
  return scene;
}

/**
 * Return an attention weight, 0 to 1, of the frame's head.
 * @param {Frame} frame @param {AttentionName} kind @param {number} query @param {number} key
 */
export function weightAt({ counts, weights, picture, scene, head }, kind, query, key) {
  const { keys, queries } = KINDS[kind];
  // The last token is written but never read.
  if (query >= counts[queries] || key >= counts[keys]) return 0;
  const place = scene[queries].layer * (picture.heads + 1) + head;
  return weights[kind][(place * counts[queries] + query) * counts[keys] + key] / 255;
}

/**
 * Return the opacity of a position while a word is in focus, by the attention between the two.
 * @param {Frame} frame @param {ModelSide} side @param {number} index
 */
export function nearness(frame, side, index) {
  const { focus } = frame;
  if (!focus || (focus.side === side && focus.index === index)) return 1;
  const kinds = /** @type {AttentionName[]} */ (Object.keys(KINDS));
  const weights = kinds.flatMap((kind) => [
    side === KINDS[kind].queries && focus.side === KINDS[kind].keys ? weightAt(frame, kind, index, focus.index) : 0,
    side === KINDS[kind].keys && focus.side === KINDS[kind].queries ? weightAt(frame, kind, focus.index, index) : 0,
  ]);
  return 0.15 + 0.85 * clamp(Math.max(...weights) * 2.5) ** 0.7;
}

/**
 * Place words as in a line of text if they fit; else evenly spaced, in two or more tiers.
 * @param {number[]} widths of the words @param {number} width @param {number} rem
 */
export function placeWords(widths, width, rem) {
  const room = width - 0.7 * rem;
  const spare = (room - sum(widths)) / widths.length;
  const steps = widths.map((each) => (spare < 1 ? room / widths.length : each + Math.min(spare, 2.2 * rem)));
  const start = (width - sum(steps)) / 2;
  const middles = steps.map((each, n) => start + sum(steps.slice(0, n)) + each / 2);
  const lefts = middles.map((each, n) => Math.max(0, Math.min(width - widths[n], each - widths[n] / 2)));
  const touches = (/** @type {number} */ tiers) =>
    lefts.some((each, n) => n >= tiers && lefts[n - tiers] + widths[n - tiers] + 3 > each);
  const tiers = [1, 2, 3, 4].find((each) => !touches(each)) ?? 5;
  return { middles, lefts, tiers, strip: Math.min(...steps.map((each) => 0.66 * each), 1.6 * rem) };
}

/**
 * Return the first part of a cubic curve, which is a cubic curve: De Casteljau's algorithm.
 * @param {[number, number][]} points @param {number} share
 */
export function firstPart(points, share) {
  const first = [points[0]];
  for (let row = points; row.length > 1; first.push(row[0])) {
    row = row.slice(1).map(([x, y], n) => [row[n][0] + (x - row[n][0]) * share, row[n][1] + (y - row[n][1]) * share]);
  }
  return first;
}
