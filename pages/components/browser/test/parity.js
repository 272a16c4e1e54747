// What the forward pass, the searches and the tokens of a page give for fixtures that Python has written; a test there
// compares it: node test/parity.js FIXTURES
import { readFileSync } from "node:fs";
import { ForwardPass } from "../forward.js";
import { beamSearch, greedySearch } from "../search.js";
import { Tokenizer } from "../tokens.js";

/** Return every named result, one part of a step after the other. */
function allResults(model, { source, target }) {
  const found = {};
  const see = (name, value) => (found[name] ??= []).push(...value());
  const forward = new ForwardPass(model.config, model.weights, see);
  const encoded = forward.encode(source);
  const cache = forward.newCache(target.length);
  target.forEach((id, position) => forward.decodeStep([id], position, encoded, [cache]));
  return found;
}

function answersFor({ config, weights, cases }) {
  const model = { config, weights: Object.fromEntries(Object.entries(weights).map(([name, values]) => [name, Float32Array.from(values)])) };
  const forward = new ForwardPass(model.config, model.weights);
  return cases.map((each) => ({
    results: allResults(model, each),
    greedy: greedySearch(forward, each.source),
    begun: greedySearch(forward, each.source, { prefix: each.prefix }),
    beams: [[], each.prefix].map((prefix) => [4, 16].map((beams) => {
      return beamSearch(forward, each.source, { beams, alpha: beams === 4 ? 0.6 : 1.3, prefix });
    })),
  }));
}

function tokensOf({ data, texts }) {
  const tokenizer = new Tokenizer(data);
  return texts.map((text) => {
    const ids = tokenizer.encode(text);
    return { tokens: tokenizer.tokens(text), ids, text: tokenizer.decode(ids) };
  });
}

if (process.argv[2]) {
  const { models, tokenizers } = JSON.parse(readFileSync(process.argv[2], "utf8"));
  process.stdout.write(JSON.stringify({ models: models.map(answersFor), tokenizers: tokenizers.map(tokensOf) }));
}
