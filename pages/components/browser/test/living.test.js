import assert from "node:assert/strict";
import test from "node:test";

import { firstPart, nearness, placeWords, planSteps, sceneAt, weightAt } from "../living_plan.js";

const phase = (name, side, when, moves, more = {}) =>
  ({ name, side, when, moves, ms: 100, lights: [], title: "", sentence: "", ...more });
const PHASES = [
  phase("words", "source", "first", { words: [0, 0.7] }, { begins: true, layer: "first" }),
  phase("attention", "source", "first", { attention: [0, 0.7] }),
  phase("next", "source", "first", { entered: [0, 0.2], attention: [0.2, 0.9] }, { layer: "further" }),
  phase("start", "target", "first", { vectors: [0, 1] }, { begins: true, layer: "first" }),
  phase("reads", "target", "later", { cross: [0, 0.7] }, { begins: true, layer: "last" }),
  phase("end", "target", "end", {}),
];

test("further layers are repeated, later rounds are short, and the end comes once", () => {
  const steps = planSteps(PHASES, 3, 3);
  assert.deepEqual(steps.map(({ name, round }) => `${name} ${round}`),
    ["words 0", "attention 0", "next 0", "next 0", "start 0", "reads 1", "reads 2", "end 2"]);
  assert.deepEqual(steps.map(({ before, side }) => before[side].layer), [0, 0, 1, 2, 0, 2, 2, 2]);
});

test("a step ends where the next of its side begins", () => {
  const steps = planSteps(PHASES, 1, 2);
  const [words, attention] = steps;
  assert.equal(sceneAt(words, 0).source.words, 0);
  assert.equal(sceneAt(words, 1).source.words, 1);
  assert.deepEqual(sceneAt(words, 1).source, attention.before.source);
  const middle = sceneAt(attention, 0.35).source.attention;
  assert.ok(middle > 0.4 && middle < 0.6);
});

const [A, B] = [51, 204]; // 0.2 and 0.8 of 255
const FRAME = {
  counts: { source: 2, target: 1 },
  picture: { heads: 1 },
  // Of each kind: the mean and the head of layer 1, then of layer 2, by query and key.
  weights: {
    encoder: Uint8Array.from([A, B, B, A, B, A, A, B, 0, 0, 0, 0, 255, 0, 0, 255]),
    decoder: Uint8Array.from([255, 255, 255, 255]),
    cross: Uint8Array.from([A, B, 0, 255, B, A, 255, 0]),
  },
  scene: { source: { layer: 0 }, target: { layer: 0 } },
  head: 0,
  focus: null,
};

test("a weight is that of the layer and the head that are shown", () => {
  assert.equal(weightAt(FRAME, "encoder", 0, 1), 0.8);
  assert.equal(weightAt({ ...FRAME, head: 1 }, "encoder", 0, 1), 0.2);
  assert.equal(weightAt({ ...FRAME, scene: { source: { layer: 1 } }, head: 1 }, "encoder", 1, 1), 1);
  assert.equal(weightAt(FRAME, "cross", 0, 1), 0.8);
  assert.equal(weightAt(FRAME, "cross", 1, 0), 0, "the last token is never read");
});

test("words that attend to the one in focus, or are attended to by it, stand out", () => {
  const onTarget = { ...FRAME, focus: { side: "target", index: 0 } };
  assert.equal(nearness(FRAME, "source", 0), 1);
  assert.equal(nearness(onTarget, "target", 0), 1);
  assert.ok(nearness(onTarget, "source", 1) > nearness(onTarget, "source", 0));
  const faint = { ...onTarget, head: 1 };
  assert.equal(nearness(faint, "source", 0), 0.15);
});

test("words never cover each other, and stay on the picture", () => {
  const mixed = Array.from({ length: 20 }, (_, n) => 20 + 9 * (n % 5));
  for (const widths of [[50], [40, 60, 30], Array(12).fill(70), mixed]) {
    const { lefts, tiers, middles } = placeWords(widths, 480, 16);
    lefts.forEach((left, n) => {
      assert.ok(left >= 0 && left + widths[n] <= 480);
      assert.ok(n < tiers || lefts[n - tiers] + widths[n - tiers] < left);
      assert.ok(n === 0 || middles[n] > middles[n - 1]);
    });
  }
});

test("the first part of a curve ends on the curve", () => {
  const points = [[0, 0], [0, 8], [8, 8], [8, 0]];
  assert.deepEqual(firstPart(points, 1), points);
  assert.deepEqual(firstPart(points, 0.5), [[0, 0], [0, 4], [2, 6], [4, 6]]);
});
