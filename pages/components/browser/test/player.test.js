import assert from "node:assert/strict";
import test from "node:test";

import { firstChosen, mount } from "../player.js";
import { curvePath, interpolate, planCurves } from "../player_curves.js";
import { find, openPage } from "./page.js";

const NONE = { epochs: [], loss: [], held_out: [], accuracy: [] };
const curvesOf = (loss) => ({ ...NONE, epochs: loss.map((_, n) => n + 1), loss });
const before = { name: "", ...NONE };
const plan = (total, loss = []) => planCurves({ curves: curvesOf(loss), before, total }, 400, 300, 16);

test("between two points lies what is between them; beyond them, the nearest", () => {
  assert.deepEqual([0, 1, 1.5, 3, 9].map((x) => interpolate([1, 2, 4], [10, 20, 0], x)), [10, 10, 15, 10, 0]);
  assert.equal(interpolate([], [], 1), undefined);
});

test("a place on the chart is the epoch that is drawn there", () => {
  const { xOf, epochAt, left, right } = plan(200);
  for (const epoch of [0, 0.5, 1, 7, 200]) assert.ok(Math.abs(epochAt(xOf(epoch)) - epoch) < 1e-6);
  assert.deepEqual([epochAt(left - 50), Math.round(epochAt(right + 50))], [0, 200]);
});

test("labels of epochs stay apart, and the last is the end of the training", () => {
  for (const total of [1, 2, 4, 30, 200, 9999]) {
    const { epochs, xOf } = plan(total);
    for (const [n, epoch] of epochs.slice(1).entries()) assert.ok(xOf(epoch) - xOf(epochs[n]) >= 1.9 * 16);
    assert.equal(epochs.at(-1), total);
  }
});

test("every loss is on the chart, below a labeled number", () => {
  for (const highest of [0.01, 0.9, 1.3, 4.4, 12]) {
    const { losses, yOf, top, bottom } = plan(10, [highest, highest / 2]);
    assert.ok(losses.at(-1) > highest && yOf(highest) >= top && yOf(0) === bottom);
  }
});

test("a curve goes through its points", () => {
  const axes = { ...plan(10), xOf: (epoch) => 10 * epoch, yOf: (loss) => 100 - loss };
  assert.equal(curvePath(axes, [1, 2], [5, 3]), "M10.0 95.0L20.0 97.0");
  assert.equal(curvePath(axes, [], []), "");
});

test("without room there is no chart", () => {
  assert.equal(planCurves({ curves: NONE, before, total: 10 }, 0, 0, 16), null);
});

test("the attention is over what the visitor wants to watch, else over what was never shown", () => {
  const sentence = (length, never, wanted) =>
    ({ source: "", columns: [], rows: Array(length).fill(""), never, wanted });
  const [long, never, wanted] = [sentence(9, false, false), sentence(4, true, false), sentence(3, false, true)];
  assert.equal(firstChosen([never, long, wanted]), 2);
  assert.equal(firstChosen([long, never]), 1);
  assert.equal(firstChosen([sentence(2, false, false), long]), 1);
});

test("sentences that are held out are marked, and what people type is text", () => {
  openPage(`<div class="player"></div>`);
  globalThis.ResizeObserver = class { observe() {} disconnect() {} };
  const sentence = (source, never) => ({ source, columns: [source], rows: ["<b>cat</b>", "[END]"], never, wanted: false });
  const player = mount(find(".player"), {
    sentences: [sentence("<img src=x> chat", false), sentence("un", true)], words: [], snapshots: [], heads: 1, head: 1,
    curves: NONE, before, run: "first", running: false, total: 10, label: "", presenting: false,
  });
  player.dispose();
  const rows = [...document.querySelectorAll(".row")].map((row) => row.textContent);
  assert.deepEqual(rows.map((text) => text.includes("never shown")), [false, true]);
  assert.match(rows[0], /^<img src=x> chat/);
  assert.equal(find(".player img, .player b"), null);
});
