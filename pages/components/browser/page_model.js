// @ts-check
// The model in a page without a server: from a sentence to its translation, each step's candidates and all attention.
import { bytesOf } from "./dom.js";
import { ForwardPass } from "./forward.js";
import { beamSearch, END, greedySearch, UNKNOWN } from "./search.js";
import { Tokenizer } from "./tokens.js";

/** @import { AttentionName, Kind, PageModelData, Shown, Weights } from "./types" */
/** @typedef {Map<string, Float32Array[]>} Maps attention weights of each row, the heads side by side, by name */

const ALPHA = 0.6; // of the length penalty, as the paper has it (6.1)
const MASKED = 65535; // code of a masked cell
const PATHS = { encoder: ["encoder", "self_attention"], decoder: ["decoder", "self_attention"], cross: ["decoder", "cross_attention"] };

export class PageModel {
  /** @param {PageModelData} data @param {string} weights float16, in base64 */
  constructor(data, weights) {
    this.data = data;
    this.source = new Tokenizer(data.source);
    this.target = new Tokenizer(data.target);
    this.forward = new ForwardPass(data.config, weightsOf(data.weights, bytesOf(weights)));
    this.most = data.config.max_source_length;
  }

  /**
   * Translate a sentence that has tokens, at most `most`, and show all that happened.
   * @param {string} sentence @param {number} beams 1 for greedy @param {number[]} prefix ids that the translation begins with
   * @returns {Shown}
   */
  explain(sentence, beams, prefix) {
    const ids = this.source.encode(sentence);
    const isSearched = beams > 1 && !prefix.includes(END);
    const begun = isSearched ? beamSearch(this.forward, ids, { beams, alpha: ALPHA, prefix })[0].ids : prefix;
    const { maps, found } = this.recorded(() => greedySearch(this.forward, ids, { prefix: begun }));
    const columns = this.source.tokens(sentence);
    const written = found.ids.map((id) => this.target.all[id]);
    const read = ["[START]", ...written.slice(0, -1)];
    const kinds = {
      cross: this.kindOf("cross", maps, written, columns),
      encoder: this.kindOf("encoder", maps, columns, columns),
      decoder: this.kindOf("decoder", maps, read, read),
    };
    const steps = found.steps.map((step) => step.map(({ id, probability }) => {
      return /** @type {[string, number]} */ ([this.target.all[id], probability]);
    }));
    const unknown = columns.filter((_, place) => ids[place] === UNKNOWN);
    return { source: sentence, target: this.target.decode(found.ids), written, steps, kinds, unknown, is_finished: found.isFinished };
  }

  /** Return the ids of tokens that were written. @param {string[]} tokens */
  idsOf(tokens) {
    return tokens.map((token) => /** @type {number} */ (this.target.ids.get(token)));
  }

  /**
   * Run a search and keep all attention weights.
   * @template Found @param {() => Found} search
   */
  recorded(search) {
    const { num_heads } = this.data.config;
    /** @type {Maps} */
    const maps = new Map();
    this.forward.see = (name, result) => {
      if (!name.endsWith("/weights")) return;
      const value = result();
      const rows = maps.get(name) ?? [];
      maps.set(name, rows);
      // The encoder tells all rows at once, the decoder one by one.
      const width = name.startsWith("encoder") ? Math.sqrt(value.length / num_heads) * num_heads : value.length;
      for (let at = 0; at < value.length; at += width) rows.push(value.slice(at, at + width));
    };
    const found = search();
    this.forward.see = () => {};
    return { maps, found };
  }

  /**
   * Return one kind of attention as the stage has it, with the mean of a layer's heads beside them.
   * @param {AttentionName} kind @param {Maps} maps @param {string[]} rows @param {string[]} columns
   * @returns {Kind}
   */
  kindOf(kind, maps, rows, columns) {
    const { num_layers, num_heads } = this.data.config;
    const heads = [...Array(num_heads).keys()];
    const names = [...heads.map((head) => String(head + 1)), ...(num_heads > 1 ? ["mean"] : [])];
    const layers = [...Array(num_layers).keys()];
    const [side, sublayer] = PATHS[kind];
    const codes = layers.flatMap((layer) => {
      const found = maps.get(`${side}/layer_${layer}/${sublayer}/weights`) ?? [];
      return names.flatMap((name) => found.flatMap((row) => columns.map((_, column) => {
        const width = row.length / num_heads;
        if (column >= width) return MASKED;
        const averaged = name === "mean" ? heads : [Number(name) - 1];
        const sum = averaged.reduce((total, head) => total + row[head * width + column], 0);
        return Math.round((sum / averaged.length) * (MASKED - 1));
      })));
    });
    const [title, row_title, column_title] = this.data.kinds[kind];
    return { name: title, rows, columns, row_title, column_title, notes: "", names, roles: layers.map(() => names.map(() => "")),
      first: this.data.first[kind], highest: 1, masked: MASKED, weights: base64Of(Uint16Array.from(codes)) };
  }
}

/** @param {Uint16Array} codes */
function base64Of(codes) {
  return btoa(Array.from(new Uint8Array(codes.buffer), (byte) => String.fromCharCode(byte)).join(""));
}

/** Return weights by name from float16, one after the other. @param {[string, number][]} sizes @param {Uint8Array} bytes */
function weightsOf(sizes, bytes) {
  const codes = new Uint16Array(bytes.buffer);
  /** @type {Weights} */
  const weights = {};
  let at = 0;
  for (const [name, size] of sizes) {
    const numbers = new Float32Array(size);
    for (let place = 0; place < size; place += 1) numbers[place] = fromHalf(codes[at + place]);
    weights[name] = numbers;
    at += size;
  }
  return weights;
}

const POWERS = Array.from({ length: 32 }, (_, exponent) => 2 ** (exponent - 15));

/** Return the number that a code of float16 stands for; it is finite. @param {number} code */
function fromHalf(code) {
  const exponent = (code >> 10) & 31;
  const fraction = (code & 1023) / 1024;
  const size = exponent ? POWERS[exponent] * (1 + fraction) : POWERS[1] * fraction;
  return code & 0x8000 ? -size : size;
}
