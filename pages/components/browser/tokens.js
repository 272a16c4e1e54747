// @ts-check
// Text to ids and back in a page without a server, as core/tokens has it for words and characters; a test compares both.
/** @import { TokenizerData } from "./types" */
import { UNKNOWN } from "./search.js";

const SPECIAL = new Set(["[PAD]", "[START]", "[END]"]); // which are never part of a text
const NO_LETTER = /[\p{P}\p{S}\p{C}\p{Z}]/gu;
const HAS_LETTER = /[\p{L}\p{N}]/u;
const SPACE = "\u2423"; // the token of a space, where characters are tokens
const CHARACTER = /\u2423|[^\u2423]\p{M}*/gu; // with the accents and vowel signs that are written on it

/** Return lower-cased words without punctuation, joined with spaces. @param {string} text */
function normalized(text) {
  const spaced = text.normalize("NFC").toLowerCase().replace(NO_LETTER, " ");
  return spaced.split(" ").filter((word) => HAS_LETTER.test(word)).join(" ");
}

/** The kinds of tokens that a page knows: how a normalized text is split, and how tokens are joined. */
const KINDS = {
  word: {
    split: (/** @type {string} */ text) => text.split(" ").filter(Boolean),
    join: (/** @type {string[]} */ tokens) => tokens.join(" "),
  },
  character: {
    split: (/** @type {string} */ text) => text.replaceAll(" ", SPACE).match(CHARACTER) ?? [],
    join: (/** @type {string[]} */ tokens) => tokens.join("").replaceAll(SPACE, " ").trim(),
  },
};

export class Tokenizer {
  /** @param {TokenizerData} data */
  constructor({ kind, tokens }) {
    this.kind = KINDS[kind];
    this.all = tokens;
    this.ids = new Map(tokens.map((token, id) => [token, id]));
  }

  /** @param {string} text */
  tokens(text) {
    return this.kind.split(normalized(text));
  }

  /** @param {string} text */
  encode(text) {
    return this.tokens(text).map((token) => this.ids.get(token) ?? UNKNOWN);
  }

  /** @param {number[]} ids */
  decode(ids) {
    return this.kind.join(ids.map((id) => this.all[id]).filter((token) => !SPECIAL.has(token)));
  }
}
