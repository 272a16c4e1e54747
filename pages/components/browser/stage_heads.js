// @ts-check
// The heads of a sentence: their weights, their names, and what the stage says about them.
import { bytesOf, numeral, say } from "./dom.js";

/** @import { Cell, Kind, Side, StageData, StageState, Word } from "./types" */

const WORD = /[\p{L}\p{N}]/u;
const MARK = /^\[[A-Z]+\]$/; // a special token, like [END]

/** Return the weights of each head by its id, "2.3" for head 3 of layer 2. @param {Kind} kind */
export function decodeHeads(kind) {
  const codes = new DataView(bytesOf(kind.weights).buffer);
  const size = kind.rows.length * kind.columns.length;
  const weightAt = (/** @type {number} */ place) => {
    const code = codes.getUint16(2 * place, true);
    return code === kind.masked ? NaN : (code / (kind.masked - 1)) * kind.highest;
  };
  const ids = kind.roles.flatMap((_, layer) => kind.names.map((name) => `${layer + 1}.${name}`));
  const places = [...Array(size).keys()];
  return new Map(ids.map((id, head) => [id, Float32Array.from(places, (at) => weightAt(head * size + at))]));
}

/** @param {Kind} kind @param {Side} side */
export function tokensOf(kind, side) {
  return side === "row" ? kind.rows : kind.columns;
}

/** Return the row and the column of a place in the weights. @param {Kind} kind @param {number} at @returns {Cell} */
export function cellOf(kind, at) {
  return { row: Math.floor(at / kind.columns.length), column: at % kind.columns.length };
}

/** Return the word that a link names, like "row.3". @param {Kind} kind @param {string} name @returns {Word | null} */
export function wordOf(kind, name) {
  const [side, number] = name.split(".");
  if (side !== "row" && side !== "column") return null;
  const index = Number(number) - 1;
  return tokensOf(kind, side)[index] === undefined ? null : { side, index };
}

/** @param {Kind} kind @param {string} id */
export function roleOf(kind, id) {
  const [layer, name] = id.split(".");
  return kind.roles[Number(layer) - 1][kind.names.indexOf(name)];
}

/** @param {string} id */
export function nameOf(id) {
  const [layer, name] = id.split(".");
  if (Number(name)) return say("Layer {layer}, head {head}", { layer, head: name });
  if (name === "mean") return say("Layer {layer}, mean of the heads", { layer });
  return say("Layer {layer}, rollout of the heads", { layer });
}

/** @param {Kind} kind @param {string} id */
export function shortNameOf(kind, id) {
  const [layer, name] = id.split(".");
  if (Number(name)) return `${id} ${roleOf(kind, id)}`;
  return name === "mean" ? say("layer {layer} mean", { layer }) : say("layer {layer} rollout", { layer });
}

/**
 * Return the state that a link names, nothing under the mouse.
 * @param {StageData} data @param {string[]} colors of heads @param {string[]} shades of weights
 */
export function stateOf(data, colors, shades) {
  /** @type {StageState} */
  const state = { data, colors, shades, choice: { ...data.state }, kind: undefined, values: new Map(), kept: [],
    preview: null, pointed: null };
  settle(state);
  return state;
}

/** Bring what the choices lead to up to date: the heads that a model lacks are left out. @param {StageState} state */
export function settle(state) {
  const { data, choice } = state;
  const kind = data.kinds[choice.attention];
  // For a long sentence, a kind of attention is sent only when it is chosen.
  if (kind !== state.kind) state.values = kind ? decodeHeads(kind) : new Map();
  const named = choice.heads.split(" ").filter((head) => state.values.has(head));
  const kept = named.length || !kind ? named : [kind.first];
  if (named.length > 1) choice.look = "compare";
  if (choice.look !== "compare") choice.look = "lines";
  choice.heads = kept.join(" ") === kind?.first ? "" : kept.join(" ");
  Object.assign(state, { kind, kept, preview: null, pointed: null });
}

/**
 * Return the cells of a head with their weights, all or those of a word, the strongest first.
 * @param {Kind} kind @param {Float32Array} weights @param {Word | null} word
 */
export function linksOf(kind, weights, word) {
  return Array.from(weights, (value, at) => ({ value, ...cellOf(kind, at) }))
    .filter((link) => link.value >= 0 && (!word || link[word.side] === word.index))
    .sort((one, other) => other.value - one.value);
}

/**
 * Say what heads, or a word in the last of them, attend to.
 * @param {StageState} state @param {string[]} heads @param {Word | null} word
 */
export function describe({ data, kind, values, choice }, heads, word) {
  const head = heads[heads.length - 1];
  const weights = values.get(head);
  if (!kind || !weights) return "";
  const links = linksOf(kind, weights, word);
  if (word) return say("{head}: {text}", { head: nameOf(head), text: describeWord(kind, links, word) });
  const isWord = (/** @type {string} */ token) => WORD.test(token) && !MARK.test(token);
  const best = links.find(({ row, column }) => isWord(kind.rows[row]) && isWord(kind.columns[column])) ?? links[0];
  const link = `${kind.rows[best.row]} → ${kind.columns[best.column]}, ${numeral(best.value, 2)}`;
  const does = data.roles[roleOf(kind, head)];
  const said = { head: nameOf(head), does, link };
  if (heads.length === 1) {
    if (choice.look === "compare") return say("{head}. Click more heads to compare them.", said);
    return does ? say("{head}: {does}; strongest: {link}.", said) : say("{head}: strongest: {link}.", said);
  }
  const names = heads.map((id) => `${nameOf(id)}${roleOf(kind, id) ? ` (${roleOf(kind, id)})` : ""}`);
  return say("{heads}. Strongest in {head}: {link}.", { ...said, heads: names.join("; ") });
}

/** @param {Kind} kind @param {ReturnType<typeof linksOf>} links of the word @param {Word} word */
function describeWord(kind, links, { side, index }) {
  const other = side === "row" ? "column" : "row";
  const words = links.slice(0, 3).map((link) => `${tokensOf(kind, other)[link[other]]} ${numeral(link.value, 2)}`).join(", ");
  const values = { word: tokensOf(kind, side)[index], words };
  return side === "row" ? say("{word} attends to {words}.", values) : say("{word} is attended to by {words}.", values);
}
