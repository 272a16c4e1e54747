// @ts-check
// Greedy and beam search in a page without a server, as core/inference/search.py has them; a test compares both.
/** @import { ForwardPass } from "./forward.js" */

export const [PAD, UNKNOWN, START, END] = [0, 1, 2, 3]; // ids of the special tokens
const IMPOSSIBLE = -1e9; // stands for log 0
const EXTRA_TOKENS = 50; // that a translation may have beyond its source's length (6.1)

/** @typedef {{ ids: number[], logProbability: number, score: number, isFinished: boolean }} Hypothesis */
/** @typedef {{ id: number, probability: number }} Candidate */

/** Runs a decoder for some hypotheses of one source; each has a cache. */
class Decoder {
  /** @param {ForwardPass} forward @param {number[]} sourceIds @param {number} limit */
  constructor(forward, sourceIds, limit) {
    this.forward = forward;
    this.source = forward.encode(sourceIds);
    this.caches = [forward.newCache(limit)];
    this.position = 0;
  }

  /** @param {number[]} ids the next token of each hypothesis */
  step(ids) {
    const logits = this.forward.decodeStep(ids, this.position, this.source, this.caches);
    this.position += 1;
    return logits;
  }

  /** Let hypothesis m continue hypothesis `parents[m]`. @param {number[]} parents */
  reorder(parents) {
    const taken = new Set();
    this.caches = parents.map((parent) => {
      const cache = this.caches[parent];
      const isFirst = !taken.has(parent);
      taken.add(parent);
      return isFirst ? cache : cache.map((rows) => rows.slice()); // only a second child is a copy
    });
  }
}

/** Return the largest number of tokens of a translation (6.1). @param {number} length @param {{ max_target_length: number }} config */
export function targetLimit(length, config) {
  return Math.min(config.max_target_length, length + EXTRA_TOKENS);
}

/** The length penalty of Wu et al. 2016, equation (14). @param {number} length @param {number} alpha */
function lengthPenalty(length, alpha) {
  return ((5 + length) / 6) ** alpha;
}

/**
 * Take the likeliest token at each step after those of `prefix`, and keep each step's likeliest tokens.
 * @param {ForwardPass} forward @param {number[]} sourceIds @param {{ prefix?: number[], candidates?: number }} [how]
 */
export function greedySearch(forward, sourceIds, { prefix = [], candidates = 5 } = {}) {
  const limit = targetLimit(sourceIds.length, forward.config);
  const decoder = new Decoder(forward, sourceIds, limit);
  /** @type {number[]} */
  const ids = [];
  /** @type {Candidate[][]} */
  const steps = [];
  let logProbability = 0;
  let isFinished = false;
  while (!isFinished && ids.length < limit) {
    const logits = decoder.step([ids.at(-1) ?? START]);
    const logSum = logSumExp(logits);
    steps.push(largest((id) => logits[id], logits.length, candidates).map((id) => {
      return { id, probability: Math.exp(logits[id] - logSum) };
    }));
    const id = ids.length < prefix.length ? prefix[ids.length] : likeliest(logits);
    ids.push(id);
    logProbability += logits[id] - logSum;
    isFinished = id === END;
  }
  return { ids, steps, logProbability, isFinished };
}

/** @param {Float32Array} logits of one hypothesis */
function likeliest(logits) {
  return largest((id) => (id === PAD || id === START ? IMPOSSIBLE : logits[id]), logits.length, 1)[0];
}

/**
 * Keep the likeliest hypotheses at each step after those of `prefix`, which has no end, and the best finished ones by
 * score; return the best first.
 * @param {ForwardPass} forward @param {number[]} sourceIds
 * @param {{ beams: number, alpha: number, prefix?: number[] }} how
 */
export function beamSearch(forward, sourceIds, { beams, alpha, prefix = [] }) {
  const limit = targetLimit(sourceIds.length, forward.config);
  const decoder = new Decoder(forward, sourceIds, limit);
  /** @type {Hypothesis[]} */
  let live = [{ ids: [], logProbability: 0, score: 0, isFinished: false }];
  /** @type {Hypothesis[]} */
  let finished = [];
  for (const id of prefix) {
    const [{ ids, logProbability }] = live;
    const logits = decoder.step([ids.at(-1) ?? START]);
    const gained = logits[id] - logSumExp(logits);
    live = [scored({ ids: [...ids, id], logProbability: logProbability + gained }, ids.length + 1, alpha, false)];
  }
  for (let length = prefix.length + 1, isOpen = length <= limit; isOpen; length += 1) {
    const logits = decoder.step(live.map(({ ids }) => ids.at(-1) ?? START));
    const found = continuations(live, logits, 2 * beams);
    const ended = found.filter(({ ids, logProbability }) => ids.at(-1) === END && logProbability > IMPOSSIBLE / 2);
    finished = best([...finished, ...ended.map((each) => scored(each, length, alpha, true))], beams);
    const kept = found.filter(({ ids }) => ids.at(-1) !== END).slice(0, beams);
    decoder.reorder(kept.map(({ parent }) => parent));
    live = kept.map((each) => scored(each, length, alpha, false));
    const worst = finished.length === beams ? finished[beams - 1].score : IMPOSSIBLE;
    const reachable = live[0].logProbability / lengthPenalty(length + 1, alpha);
    isOpen = reachable > worst && length < limit;
  }
  const possible = live.filter(({ logProbability }) => logProbability > IMPOSSIBLE / 2);
  return [...finished, ...best(possible, beams)].slice(0, beams);
}

/** @param {{ ids: number[], logProbability: number }} found @param {number} length @param {number} alpha @param {boolean} isFinished */
function scored({ ids, logProbability }, length, alpha, isFinished) {
  return { ids, logProbability, score: logProbability / lengthPenalty(length, alpha), isFinished };
}

/** @param {Hypothesis[]} hypotheses @param {number} most */
function best(hypotheses, most) {
  return hypotheses.sort((one, other) => other.score - one.score).slice(0, most);
}

/**
 * Return the likeliest continuations of all hypotheses together, each with its parent.
 * @param {Hypothesis[]} live @param {Float32Array} logits (M, V) @param {number} number
 */
function continuations(live, logits, number) {
  const size = logits.length / live.length;
  const offsets = live.map(({ logProbability }, m) => logProbability - logSumExp(logits.subarray(m * size, (m + 1) * size)));
  const logProbabilityAt = (/** @type {number} */ at) => {
    const id = at % size;
    return id === PAD || id === START ? IMPOSSIBLE : logits[at] + offsets[Math.floor(at / size)];
  };
  const found = largest(logProbabilityAt, logits.length, number).map((at) => {
    const parent = Math.floor(at / size);
    return { parent, ids: [...live[parent].ids, at % size], logProbability: logProbabilityAt(at) };
  });
  // A tiny vocabulary has too few continuations at first.
  while (found.length < number) found.push({ parent: 0, ids: [...live[0].ids, PAD], logProbability: IMPOSSIBLE });
  return found;
}

/** @param {Float32Array} logits of one hypothesis */
function logSumExp(logits) {
  const highest = logits.reduce((most, logit) => Math.max(most, logit), -Infinity);
  return highest + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - highest), 0));
}

/**
 * Return the places of the `number` largest of `size` values, the largest first; equals in their order.
 * @param {(at: number) => number} valueAt @param {number} size @param {number} number
 */
function largest(valueAt, size, number) {
  /** @type {number[]} */
  const places = [];
  /** @type {number[]} */
  const values = [];
  for (let at = 0; at < size; at += 1) {
    const value = valueAt(at);
    if (places.length === number && value <= values[number - 1]) continue;
    let place = Math.min(places.length, number - 1);
    while (place > 0 && values[place - 1] < value) {
      places[place] = places[place - 1];
      values[place] = values[place - 1];
      place -= 1;
    }
    places[place] = at;
    values[place] = value;
  }
  return places;
}
