// @ts-check
// Where everything on the stage is, in pixels: functions of the words, the room and the font, without a browser.
import { say } from "./dom.js";
import { roleOf, tokensOf } from "./stage_heads.js";

/** @import { Box, Point, Sheet, Side } from "./types" */
/** @typedef {ReturnType<typeof planLabels>} Labels */
/** @typedef {ReturnType<typeof planStage>} Plan */
/** @typedef {Plan["heads"]["layers"][0]["heads"][0]} PlannedHead */

const NARROW = 640; // pixels: in less width, the large head is below the small ones

/** Return a text that is cut to fit. @param {string} text @param {number} room @param {Sheet["widthOf"]} widthOf */
export function fitted(text, room, widthOf) {
  let shown = text;
  for (let length = text.length - 1; length > 0 && widthOf(shown) > room; length -= 1) {
    shown = `${text.slice(0, length)}…`;
  }
  return shown;
}

/** Return which labels fit, with the lit one. @param {number} count @param {number} every @param {number} lit */
export function labelsThatFit(count, every, lit) {
  const last = count - 1;
  return Array.from({ length: count }, (_, index) => {
    const isNamed = index === last || (index % every === 0 && last - index >= every);
    const isFree = lit < 0 || Math.abs(index - lit) >= every;
    return index === lit || (isNamed && isFree);
  });
}

/** Return the places of everything. @param {Sheet} sheet */
export function planStage(sheet) {
  const { kind, unit, width, room } = sheet;
  const isWide = width >= NARROW;
  const heads = planHeads(sheet, isWide);
  const x = isWide ? heads.right + 2 * unit : 0;
  const y = isWide ? 0 : heads.bottom + unit;
  const height = isWide ? room : Math.min(width, 1.5 * unit * kind.rows.length) + 8 * unit;
  const large = planLarge(sheet, { x, y, width: width - x, height });
  return { ...sheet, heads, large, size: { width, height: Math.max(heads.bottom, large.bottom) } };
}

/** @param {Sheet} sheet @param {string[]} texts @param {number} most */
function widest({ widthOf }, texts, most) {
  return Math.min(most, Math.max(0, ...texts.map(widthOf)));
}

/**
 * Return the words along a side of a map, cut to the room; `every` second, third … of them fits in its spacing.
 * @param {Sheet} sheet @param {Side} side @param {{ spacing: number, room: number, anchor: string, turn?: number }} how
 * @param {(index: number) => Point} at
 */
function planLabels({ kind, unit, widthOf }, side, { spacing, room, anchor, turn = 0 }, at) {
  const texts = tokensOf(kind, side).map((token, index) => ({ ...at(index), text: fitted(token, room, widthOf) }));
  return { side, anchor, turn, every: Math.ceil((1.05 * unit) / spacing), texts };
}

/** Return the sizes of the small maps. @param {Sheet} sheet @param {boolean} isWide */
function measureHeads(sheet, isWide) {
  const { kind, unit, width, room } = sheet;
  const beside = isWide ? widest(sheet, kind.rows, 4.6 * unit) + 0.5 * unit : 0;
  const above = isWide ? widest(sheet, kind.columns, 3.2 * unit) + 0.5 * unit : 0;
  const [left, top, gap] = [1.6 * unit + beside, 1.4 * unit + above, 0.6 * unit];
  const caption = (isWide ? 1.7 : 2.7) * unit; // one line, or two in little width
  const most = Math.floor((width - left) / (4.2 * unit));
  const across = isWide ? kind.names.length : Math.min(kind.names.length, most);
  const wide = Math.min(9 * unit, ((isWide ? 0.58 : 1) * width - left) / across - gap);
  const fits = (room - 1.4 * unit - above) / kind.roles.length - caption;
  const high = isWide ? Math.max(2.2 * unit, Math.min(fits, 1.1 * wide)) : wide;
  return { beside, above, left, top, gap, caption, across, wide, high };
}

/** @param {Sheet} sheet @param {boolean} isWide */
function planHeads(sheet, isWide) {
  const { kind, unit, widthOf } = sheet;
  const { names, roles } = kind;
  const { beside, above, left, top, gap, caption, across, wide, high } = measureHeads(sheet, isWide);
  const bands = Math.ceil(names.length / across); // rows of maps per layer
  const [right, down] = [wide / kind.columns.length, high / kind.rows.length];
  const boxOf = (/** @type {number} */ layer, /** @type {number} */ number) => ({
    x: left + (number % across) * (wide + gap),
    y: top + (layer * bands + Math.floor(number / across)) * (high + caption),
    width: wide,
    height: high,
  });
  const captionOf = (/** @type {string} */ id) => {
    const role = roleOf(kind, id);
    return (isWide ? [role] : role.split(/ (?=\S+$)/)).map((line) => fitted(line, wide + 0.5 * unit, widthOf));
  };
  const layers = roles.map((_, layer) => {
    const { y } = boxOf(layer, 0);
    const ids = names.map((name) => `${layer + 1}.${name}`);
    const how = { spacing: down, room: beside - 0.5 * unit, anchor: "end" };
    return {
      heads: ids.map((id, number) => ({ id, box: boxOf(layer, number), caption: captionOf(id) })),
      title: { x: 0.7 * unit, y: y + high / 2, text: fitted(say("layer {layer}", { layer: layer + 1 }), high + caption, widthOf) },
      labels: isWide
        ? [planLabels(sheet, "row", how, (row) => ({ x: left - 0.4 * unit, y: y + (row + 0.5) * down }))]
        : [],
    };
  });
  const columns = names.slice(0, bands === 1 ? across : 0).map((name, number) => {
    const { x } = boxOf(0, number);
    const how = { spacing: right, room: above - 0.5 * unit, anchor: "start", turn: -90 };
    return {
      title: { x: x + wide / 2, y: unit, text: columnTitle(name) },
      labels: isWide
        ? [planLabels(sheet, "column", how, (each) => ({ x: x + (each + 0.5) * right, y: top - 0.4 * unit }))]
        : [],
    };
  });
  const bottom = boxOf(roles.length - 1, names.length - 1).y + high + caption;
  return { layers, columns, right: left + across * (wide + gap) - gap, bottom };
}

/** @param {string} name of a layer's heads: a number, or a summary's */
function columnTitle(name) {
  if (Number(name)) return say("head {head}", { head: name });
  return name === "mean" ? say("mean") : say("rollout");
}

/** @param {Sheet} sheet @param {Box} room */
function planLarge(sheet, { x, y, width, height }) {
  const { kind, unit } = sheet;
  const beside = widest(sheet, kind.rows, 0.28 * width) + 0.7 * unit;
  const right = widest(sheet, [...kind.columns, say("attended to")], 0.28 * width) + unit;
  const above = 3.6 * unit;
  const most = Math.max(kind.rows.length, kind.columns.length) * 3.2 * unit;
  const size = { width: width - beside - right, height: Math.min(height - above - 0.4 * unit, most) };
  const box = { x: x + beside, y: y + above, ...size };
  const bottom = Math.max(box.y + box.height + 0.8 * unit, box.y + 7 * unit);
  return { box, labels: planEndLabels(sheet, box), name: { x, y: y + unit }, bottom };
}

/** Return the words at both ends of the lines. @param {Sheet} sheet @param {Box} box */
function planEndLabels(sheet, { x, y, width, height }) {
  const { kind, unit } = sheet;
  /** @type {(side: Side, edge: number, anchor: string) => Labels} */
  const along = (side, edge, anchor) => {
    const spacing = height / tokensOf(kind, side).length;
    const at = (/** @type {number} */ index) => ({ x: edge, y: y + (index + 0.5) * spacing });
    return planLabels(sheet, side, { spacing, room: 9 * unit, anchor }, at);
  };
  return [along("row", x - 0.5 * unit, "end"), along("column", x + width + 0.5 * unit, "start")];
}
