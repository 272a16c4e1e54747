import assert from "node:assert/strict";
import test from "node:test";

import { decodeHeads, describe, settle, stateOf, wordOf } from "../stage_heads.js";
import { fitted, labelsThatFit, planStage } from "../stage_layout.js";
import { hasLine, linePath, lineStyle } from "../stage_lines.js";

const MASKED = 65535;
const widthOf = (text) => 8 * text.length;

/** A layer with two heads; `weights` are shares of the highest, of each head, row by row. */
function kindOf(rows, columns, weights, changes = {}) {
  const codes = new Uint16Array(weights.flat().map((share) => (Number.isNaN(share) ? MASKED : share * (MASKED - 1))));
  return { name: "Cross-attention", rows, columns, row_title: "", column_title: "", notes: "",
    names: ["1", "2"], roles: [["aligns", "mixes"]], first: "1.2", highest: 0.5, masked: MASKED,
    weights: Buffer.from(codes.buffer).toString("base64"), ...changes };
}

const KIND = kindOf(["the", "cat"], ["le", "chat", "[END]"], [[1, 0, 0, 0, 0.5, 0.5], [NaN, 1, 0, 0.25, 0.25, 1]]);
const DATA = { kinds: { cross: KIND }, roles: { aligns: "finds its word" } };
const FIRST = { attention: "cross", heads: "", look: "lines", word: "" };
const stateWith = (choice) => stateOf({ ...DATA, state: { ...FIRST, ...choice } }, [], []);

test("weights are decoded as they were sent", () => {
  const heads = decodeHeads(KIND);
  assert.deepEqual([...heads.keys()], ["1.1", "1.2"]);
  const weights = [...heads.get("1.1")].map((each) => each.toFixed(2));
  assert.deepEqual(weights, ["0.50", "0.00", "0.00", "0.00", "0.25", "0.25"]);
  assert.ok(Number.isNaN(heads.get("1.2")[0]));
});

test("a link opens what it names, and the clearest head where that is missing", () => {
  assert.deepEqual(stateWith({ heads: "1.1" }).kept, ["1.1"]);
  assert.deepEqual(stateWith({ heads: "9.9", look: "none" }).kept, ["1.2"]);
  assert.equal(stateWith({ look: "none" }).choice.look, "lines");
  assert.equal(stateWith({ heads: "1.1 1.2" }).choice.look, "compare");
  assert.deepEqual(wordOf(KIND, "row.2"), { side: "row", index: 1 });
  assert.equal(wordOf(KIND, "row.3"), null);
});

test("the first head of a kind does not come into the address", () => {
  const state = stateWith({});
  state.choice.heads = "1.2";
  settle(state);
  assert.equal(state.choice.heads, "");
});

test("a sentence names the strongest links, between words where there are any", () => {
  const state = stateWith({});
  assert.match(describe(state, ["1.1"], null), /finds its word.*the → le, 0\.50/);
  assert.match(describe(state, ["1.2"], null), /the → chat, 0\.50/); // as strong as the end token, which is no word
  assert.match(describe(state, ["1.2"], { side: "row", index: 1 }), /cat attends to \[END\] 0\.50, le 0\.1/);
  assert.match(describe(state, ["1.1"], { side: "column", index: 1 }), /chat is attended to by cat 0\.25/);
});

test("a text is cut to its room", () => {
  assert.equal(fitted("cat", 24, widthOf), "cat");
  assert.equal(fitted("category", 40, widthOf), "cate…");
  assert.equal(fitted("category", 0, widthOf), "c…");
});

test("labels that are shown are never closer than they fit, and the lit one is among them", () => {
  for (const [count, every, lit] of [[12, 1, -1], [57, 4, -1], [57, 4, 30], [57, 4, 0], [5, 9, 2], [1, 3, -1]]) {
    const shown = labelsThatFit(count, every, lit).flatMap((fits, index) => (fits ? [index] : []));
    assert.ok(shown.length >= 1);
    assert.ok(lit < 0 || shown.includes(lit));
    for (const [n, index] of shown.slice(1).entries()) assert.ok(index - shown[n] >= every, `${shown} of ${count}`);
  }
});

test("nothing on the stage covers anything else, at any width", () => {
  const words = (count) => Array.from({ length: count }, (_, n) => "word".slice(0, 1 + (n % 4)));
  for (const width of [300, 390, 700, 960, 1900]) for (const count of [1, 7, 57]) {
    const names = ["1", "2", "3", "4", "mean"];
    const roles = Array(3).fill(["aligns", "one step late", "mixes", "", ""]);
    const kind = { ...KIND, names, roles, rows: words(count), columns: words(count + 1) };
    const plan = planStage({ kind, unit: 13, width, room: 500, widthOf });
    const small = plan.heads.layers.flatMap(({ heads }) => heads.map(({ box }) => box));
    const boxes = [...small, plan.large.box];
    for (const [n, { x, y, width: wide, height }] of boxes.entries()) {
      assert.ok(wide > 0 && height > 0 && x >= 0 && x + wide <= width, `${width} ${count}`);
      for (const other of boxes.slice(n + 1)) {
        const isBeside = other.x >= x + wide || x >= other.x + other.width;
        assert.ok(isBeside || other.y >= y + height || y >= other.y + other.height, `${width} ${count}`);
      }
      assert.ok(y + height <= plan.size.height);
    }
  }
});

test("a line leads from its row to its column", () => {
  const box = { x: 10, y: 100, width: 200, height: 60 };
  const kind = { rows: Array(3), columns: Array(4) };
  assert.equal(linePath(box, kind, 1, 3, 0), "M10 130C110 130 110 152.5 210 152.5");
  assert.match(linePath(box, kind, 1, 3, 2), /^M10 132.*210 154\.5$/);
});

test("a higher weight gets a wider and stronger line; a masked one gets none", () => {
  const [low, high] = [lineStyle(0.1, false, 13, 20), lineStyle(0.9, false, 13, 20)];
  assert.ok(high.width > low.width && high.opacity > low.opacity && high.opacity <= 1);
  assert.ok(lineStyle(0.9, true, 13, 20).opacity < low.opacity);
  assert.ok(lineStyle(1, false, 13, 2).width < 2); // in a low row, lines stay apart
  assert.deepEqual([0.5, 0.001, NaN].map(hasLine), [true, false, false]);
});
