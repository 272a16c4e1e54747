// @ts-check
// The Transformer's forward pass (Vaswani et al. 2017) for a page without a server: a source is encoded once, then the
// target is decoded token by token over cached keys and values. The names of results and of weights are those of
// core/model/forward.py, and so is the order; a test compares every result with it.
//
// Vectors are rows of one array, (n, D). Kernels are kept as (units, D), so that a unit is one row.
/** @import { ModelConfig, See, Weights } from "./types" */

const EPSILON = 1e-6; // for all norms; avoids a division by 0

/** @typedef {{ rows: Float32Array, stride: number, keys: number, values: number }} Memory keys and values in rows */
/** @typedef {{ length: number, memories: Memory[] }} Encoded a source, for the cross-attention of each layer */
/** @typedef {Float32Array[]} Cache queries, keys and values of one hypothesis, by layer */
/** @typedef {(input: Float32Array) => Float32Array} Sublayer */

/** @type {Record<string, (x: Float32Array, n: number) => Float32Array>} */
const ACTIVATIONS = {
  relu: (x) => x.map((value) => Math.max(0, value)),
  gelu: (x) => x.map((value) => (value * (1 + erf(value / Math.SQRT2))) / 2),
  swiglu,
};

export class ForwardPass {
  /** @param {ModelConfig} config @param {Weights} weights @param {See} [see] is told every result by its name */
  constructor(config, weights, see = () => {}) {
    this.config = config;
    this.weights = weights;
    this.see = see;
    const shared = weights["shared_embedding/embeddings"];
    this.tokens = {
      encoder: shared ?? weights["source_embedding/tokens/embeddings"],
      decoder: shared ?? weights["target_embedding/tokens/embeddings"],
    };
    this.positions = {
      encoder: positionTable(config, config.max_source_length, weights["source_embedding/positions/embeddings"]),
      decoder: positionTable(config, config.max_target_length, weights["target_embedding/positions/embeddings"]),
    };
    const size = config.d_model / config.num_heads;
    this.rotations = sinusoids(Math.max(config.max_source_length, config.max_target_length), size);
    /** @type {Weights} */
    this.kernels = config.tie_embeddings ? { output: this.tokens.decoder } : {};
    for (const [name, kernel] of Object.entries(weights)) {
      const path = name.slice(0, -"/kernel".length);
      if (name === `${path}/kernel`) this.kernels[path] = transposed(kernel, weights[`${path}/bias`].length);
    }
  }

  /** Encode a source once for all steps. @param {number[]} ids @returns {Encoded} */
  encode(ids) {
    const { num_layers, d_model: width } = this.config;
    const n = ids.length;
    let x = this.embedding("encoder", ids, 0);
    for (let layer = 0; layer < num_layers; layer += 1) {
      const path = `encoder/layer_${layer}`;
      const attention = `${path}/self_attention`;
      x = this.residual(attention, x, n, (input) => {
        const rows = this.projected(attention, input, n, 0);
        const memory = { rows, stride: 3 * width, keys: width, values: 2 * width };
        return this.attend(attention, rows, 3 * width, n, () => [memory, n]);
      });
      x = this.feedForward(path, x, n);
    }
    const encoded = this.ended("encoder", x, n);
    const memories = Array.from({ length: num_layers }, (_, layer) => {
      const path = `decoder/layer_${layer}/cross_attention`;
      const rows = this.dense(`${path}/key_value`, encoded, n);
      this.seeParts(path, ["keys", "values"], rows, n);
      return { rows, stride: 2 * width, keys: 0, values: width };
    });
    return { length: n, memories };
  }

  /** Return an empty cache for so many target positions. @param {number} limit @returns {Cache} */
  newCache(limit) {
    const { num_layers, d_model } = this.config;
    return Array.from({ length: num_layers }, () => new Float32Array(3 * d_model * limit));
  }

  /**
   * Read the next token of each hypothesis, and return the logits of the token after it, (M, V).
   * @param {number[]} ids @param {number} position @param {Encoded} source @param {Cache[]} caches of each hypothesis
   */
  decodeStep(ids, position, source, caches) {
    const { num_layers, d_model: width } = this.config;
    const n = ids.length;
    let x = this.embedding("decoder", ids, position, false);
    for (let layer = 0; layer < num_layers; layer += 1) {
      const path = `decoder/layer_${layer}`;
      const [self, cross] = [`${path}/self_attention`, `${path}/cross_attention`];
      x = this.residual(self, x, n, (input) => {
        const rows = this.projected(self, input, n, position, false);
        caches.forEach((cache, m) => {
          cache[layer].set(rows.subarray(3 * m * width, 3 * (m + 1) * width), 3 * position * width);
        });
        const memoryOf = (/** @type {number} */ m) => ({ rows: caches[m][layer], stride: 3 * width, keys: width, values: 2 * width });
        return this.attend(self, rows, 3 * width, n, (m) => [memoryOf(m), position + 1]);
      });
      x = this.residual(cross, x, n, (input) => {
        const queries = this.dense(`${cross}/query`, input, n);
        this.see(`${cross}/queries`, () => queries);
        return this.attend(cross, queries, width, n, () => [source.memories[layer], source.length]);
      });
      x = this.feedForward(path, x, n);
    }
    const logits = this.dense("output", this.ended("decoder", x, n), n);
    this.see("output", () => logits);
    return logits;
  }

  /**
   * Return token embeddings times sqrt(D), plus positional encodings (3.4, 3.5). The ids lie one after the other, or are
   * those of several hypotheses at one position.
   * @param {"encoder" | "decoder"} side @param {number[]} ids @param {number} first @param {boolean} [isSequence]
   */
  embedding(side, ids, first, isSequence = true) {
    const width = this.config.d_model;
    const name = side === "encoder" ? "source_embedding" : "target_embedding";
    const scale = Math.sqrt(width);
    const tokens = new Float32Array(ids.length * width);
    ids.forEach((id, row) => {
      for (let i = 0; i < width; i += 1) tokens[row * width + i] = this.tokens[side][id * width + i] * scale;
    });
    const end = first + (isSequence ? ids.length : 1);
    const positions = this.positions[side].subarray(first * width, end * width);
    this.see(`${name}/tokens`, () => tokens);
    this.see(`${name}/positions`, () => positions);
    const sum = tokens.map((value, at) => value + positions[at % positions.length]);
    this.see(name, () => sum);
    return sum;
  }

  /**
   * Return queries, keys and values side by side, with rotary positions rotated.
   * @param {string} path @param {Float32Array} x @param {number} n @param {number} first @param {boolean} [isSequence]
   */
  projected(path, x, n, first, isSequence = true) {
    const { num_heads, d_model: width, positional_encoding } = this.config;
    const rows = this.dense(`${path}/query_key_value`, x, n);
    if (positional_encoding === "rotary") {
      const size = width / num_heads;
      for (let row = 0; row < n; row += 1) {
        const position = isSequence ? first + row : first;
        const angles = this.rotations.subarray(position * size, (position + 1) * size);
        // The heads of queries and of keys.
        for (let head = 0; head < 2 * num_heads; head += 1) rotate(rows, 3 * row * width + head * size, angles);
      }
    }
    this.seeParts(path, ["queries", "keys", "values"], rows, n);
    return rows;
  }

  /**
   * Attend in all heads, equation (1), put them side by side and mix them with W_O (3.2.2), (n, D).
   * @param {string} path @param {Float32Array} queries @param {number} stride from one row of queries to the next
   * @param {number} n @param {(row: number) => [Memory, number]} memoryOf what a row attends to, and how many positions
   */
  attend(path, queries, stride, n, memoryOf) {
    const { num_heads, d_model: width } = this.config;
    const size = width / num_heads;
    const count = memoryOf(0)[1];
    const scores = new Float32Array(n * num_heads * count);
    const weights = new Float32Array(n * num_heads * count);
    const heads = new Float32Array(n * width);
    for (let row = 0; row < n; row += 1) {
      const [memory] = memoryOf(row);
      for (let head = 0; head < num_heads; head += 1) {
        const at = (row * num_heads + head) * count;
        const found = scores.subarray(at, at + count);
        const shares = weights.subarray(at, at + count);
        scoresOf(queries, row * stride + head * size, memory, head * size, size, found);
        softmax(found, shares);
        addValues(shares, memory, head * size, size, heads, row * width + head * size);
      }
    }
    this.see(`${path}/scores`, () => scores);
    this.see(`${path}/weights`, () => weights);
    this.see(`${path}/heads`, () => heads);
    return this.dense(`${path}/output`, heads, n);
  }

  /** Apply two dense layers to each position alone, equation (2). @param {string} layer @param {Float32Array} x @param {number} n */
  feedForward(layer, x, n) {
    const path = `${layer}/feed_forward`;
    const y = this.residual(path, x, n, (input) => {
      const inner = ACTIVATIONS[this.config.activation](this.dense(`${path}/inner`, input, n), n);
      this.see(`${path}/inner`, () => inner);
      return this.dense(`${path}/outer`, inner, n);
    });
    this.see(layer, () => y);
    return y;
  }

  /**
   * A sublayer with its residual connection, and the norm before it (pre) or after it (post) (3.1).
   * @param {string} path @param {Float32Array} x @param {number} n @param {Sublayer} sublayer
   */
  residual(path, x, n, sublayer) {
    const isPre = this.config.norm === "pre";
    const norm = `${path}_residual/norm`;
    const input = isPre ? this.norm(norm, x, n) : x;
    this.see(`${path}/input`, () => input);
    const output = sublayer(input);
    this.see(path, () => output);
    const total = x.map((value, at) => value + output[at]);
    const result = isPre ? total : this.norm(norm, total, n);
    this.see(`${path}_residual`, () => result);
    return result;
  }

  /** Return a stack's output; with pre-norm, after the final norm. @param {string} side @param {Float32Array} x @param {number} n */
  ended(side, x, n) {
    const output = this.config.norm === "pre" ? this.norm(`${side}/final_norm`, x, n) : x;
    this.see(side, () => output);
    return output;
  }

  /** Layer norm (Ba et al. 2016) or RMSNorm (Zhang & Sennrich 2019). @param {string} path @param {Float32Array} x @param {number} n */
  norm(path, x, n) {
    const gamma = this.weights[`${path}/gamma`];
    const beta = this.weights[`${path}/beta`]; // RMSNorm has none
    const isCentred = this.config.norm_kind === "layer";
    const width = x.length / n;
    const y = new Float32Array(x.length);
    for (let from = 0; from < x.length; from += width) {
      let [mean, square] = [0, 0];
      for (let i = from; i < from + width; i += 1) mean += isCentred ? x[i] / width : 0;
      for (let i = from; i < from + width; i += 1) square += (x[i] - mean) ** 2 / width;
      const scale = 1 / Math.sqrt(square + EPSILON);
      for (let i = 0; i < width; i += 1) y[from + i] = (x[from + i] - mean) * scale * gamma[i] + (beta?.[i] ?? 0);
    }
    return y;
  }

  /** Return x W + b, (n, D) -> (n, units). @param {string} path @param {Float32Array} x @param {number} n */
  dense(path, x, n) {
    return product(x, n, this.kernels[path], this.weights[`${path}/bias`]); // a tied output has no bias
  }

  /** Tell results that lie side by side. @param {string} path @param {string[]} names @param {Float32Array} rows @param {number} n */
  seeParts(path, names, rows, n) {
    const width = this.config.d_model;
    names.forEach((name, part) => {
      this.see(`${path}/${name}`, () => Float32Array.from({ length: n * width }, (_, at) => {
        return rows[(Math.floor(at / width) * names.length + part) * width + (at % width)];
      }));
    });
  }
}

/**
 * Return rows (n, D) times a kernel (units, D), plus a bias. Four units share each number that is read of a row.
 * @param {Float32Array} x @param {number} n @param {Float32Array} kernel @param {Float32Array} [bias]
 */
function product(x, n, kernel, bias) {
  const width = x.length / n;
  const units = kernel.length / width;
  const y = new Float32Array(n * units);
  for (let unit = 0; unit < units; unit += 4) {
    // The last units may be fewer: then some are computed twice.
    const last = units - 1;
    const q = Math.min(unit + 1, last);
    const r = Math.min(unit + 2, last);
    const s = Math.min(unit + 3, last);
    for (let row = 0; row < n; row += 1) {
      const from = row * width;
      let a = bias ? bias[unit] : 0;
      let b = bias ? bias[q] : 0;
      let c = bias ? bias[r] : 0;
      let d = bias ? bias[s] : 0;
      for (let i = 0; i < width; i += 1) {
        const value = x[from + i];
        a += value * kernel[unit * width + i];
        b += value * kernel[q * width + i];
        c += value * kernel[r * width + i];
        d += value * kernel[s * width + i];
      }
      const to = row * units;
      y[to + unit] = a;
      y[to + q] = b;
      y[to + r] = c;
      y[to + s] = d;
    }
  }
  return y;
}

/**
 * Write Q K^T / sqrt(d_k) of one query of a head into `scores`.
 * @param {Float32Array} queries @param {number} at @param {Memory} memory @param {number} head its first channel
 * @param {number} size @param {Float32Array} scores
 */
function scoresOf(queries, at, { rows, stride, keys }, head, size, scores) {
  for (let place = 0; place < scores.length; place += 1) {
    const from = place * stride + keys + head;
    let sum = 0;
    for (let i = 0; i < size; i += 1) sum += queries[at + i] * rows[from + i];
    scores[place] = sum / Math.sqrt(size);
  }
}

/**
 * Add the values of a head, each times its weight, to `output`.
 * @param {Float32Array} weights @param {Memory} memory @param {number} head its first channel @param {number} size
 * @param {Float32Array} output @param {number} to
 */
function addValues(weights, { rows, stride, values }, head, size, output, to) {
  weights.forEach((weight, place) => {
    const from = place * stride + values + head;
    for (let i = 0; i < size; i += 1) output[to + i] += weight * rows[from + i];
  });
}

/** Write the softmax of scores into `weights`. @param {Float32Array} scores @param {Float32Array} weights */
function softmax(scores, weights) {
  let highest = -Infinity;
  for (const score of scores) highest = Math.max(highest, score);
  let total = 0;
  for (const score of scores) total += Math.exp(score - highest);
  for (let at = 0; at < scores.length; at += 1) weights[at] = Math.exp(scores[at] - highest) / total;
}

/**
 * Rotate one head's query or key in place by its position's sines and cosines (Su et al. 2021, equation (34)).
 * @param {Float32Array} x @param {number} at @param {Float32Array} angles
 */
function rotate(x, at, angles) {
  const half = Math.floor(angles.length / 2);
  for (let i = 0; i < half; i += 1) {
    const [sin, cos] = [angles[2 * i], angles[2 * i + 1]];
    const [one, other] = [x[at + i], x[at + half + i]];
    x[at + i] = one * cos - other * sin;
    x[at + half + i] = other * cos + one * sin;
  }
}

/**
 * Return the encodings that are added to the tokens, (length, D) (3.5).
 * @param {ModelConfig} config @param {number} length @param {Float32Array} [learned]
 */
function positionTable({ positional_encoding, d_model }, length, learned) {
  if (positional_encoding === "learned" && learned) return learned.map((value) => value * Math.sqrt(d_model));
  if (positional_encoding === "sinusoidal") return sinusoids(length, d_model);
  return new Float32Array(length * d_model);
}

/** Return sines in the even channels and cosines in the odd ones, (length, D) (3.5). @param {number} length @param {number} width */
function sinusoids(length, width) {
  return Float32Array.from({ length: length * width }, (_, at) => {
    const channel = at % width;
    const angle = Math.floor(at / width) / 10000 ** ((channel - (channel % 2)) / width);
    return channel % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

/** @param {Float32Array} matrix (D, units) @param {number} units */
function transposed(matrix, units) {
  const width = matrix.length / units;
  const turned = new Float32Array(matrix.length);
  for (let i = 0; i < width; i += 1) {
    for (let unit = 0; unit < units; unit += 1) turned[unit * width + i] = matrix[i * units + unit];
  }
  return turned;
}

/** Return SiLU of the first half of each row times the second (Shazeer 2020). @param {Float32Array} x @param {number} n */
function swiglu(x, n) {
  const width = x.length / n / 2;
  return Float32Array.from({ length: n * width }, (_, at) => {
    const from = Math.floor(at / width) * 2 * width + (at % width);
    const gate = x[from];
    return (gate / (1 + Math.exp(-gate))) * x[from + width];
  });
}

/** The error function, within 1.5e-7 (Abramowitz & Stegun 1964, formula 7.1.26). @param {number} x */
function erf(x) {
  const size = Math.abs(x);
  const t = 1 / (1 + 0.3275911 * size);
  const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - sum * Math.exp(-size * size));
}
