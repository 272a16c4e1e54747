"""How much each source word matters, and which measure of it is faithful. Axis letters: see `core.config`."""

from collections.abc import Collection, Sequence

import numpy as np

from core.arrays import Floats
from core.inference.model import attention_names, attention_weights, stacked
from core.interpretability.contributions import alti_names, alti_shares
from core.interpretability.rollout import rollout
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.value_norms import transformed_norms
from core.interpretability.words import Words, merged_words
from core.records.analysis import CHANCE, ErasureCurves

CHANCE_ORDERS = 4  # random orders whose curves are averaged
MAX_POINTS = 8  # per curve; a long sentence loses several words per step


def erasure_curves(tracer: Tracer, pair: ForcedPair) -> ErasureCurves:
    """Rank the source words by five measures, then erase them in each order, the most important first.

    If a measure is faithful, the translation breaks soon (Samek et al. 2017, "Evaluating the Visualization of What a
    Deep Neural Network Has Learned"; for attention Jain & Wallace 2019 and Serrano & Smith 2019).
    """
    words = merged_words(pair.source_tokens)
    scores = source_scores(tracer, pair, words)
    number = len(words.positions)
    erased = sorted({round(number * step / MAX_POINTS) for step in range(MAX_POINTS + 1)})
    random = np.random.default_rng(0)
    orders = [np.argsort(-each, kind="stable").tolist() for each in scores.values()]
    orders += [random.permutation(number).tolist() for _ in range(CHANCE_ORDERS)]
    wanted = [frozenset(order[:gone]) for order in orders for gone in erased]
    different = list(dict.fromkeys(wanted))  # orders share many sets
    rows = [[place for word in each for place in words.positions[word]] for each in different]
    log_p = dict(zip(different, log_probabilities_without(tracer, pair, rows).mean(axis=1), strict=True))
    curves = np.array([log_p[each] for each in wanted], np.float32).reshape(len(orders), len(erased))
    named = {**dict(zip(scores, curves, strict=False)), CHANCE: curves[len(scores) :].mean(axis=0)}
    return ErasureCurves(words.texts, scores, tuple(erased), named)


def source_scores(tracer: Tracer, pair: ForcedPair, words: Words) -> dict[str, Floats]:
    """Return how much each source word matters for the translation, by measure; each measure has its own unit."""
    weights = tracer.translator.weights
    found = tracer.results(pair, alti_names(tracer.config))
    attention = attention_weights(found, tracer.config)
    cross = attention["cross"]
    values = stacked(found, attention_names("cross", "values", tracer.config))
    norms = cross * transformed_norms(values, weights, "cross")[:, :, None]
    of_tokens = {
        "raw": cross.mean(axis=(0, 1)).sum(axis=0),
        "norm": norms.sum(axis=(0, 1, 2)),
        "rollout": rollout(**attention).cross[-1].sum(axis=0),
        "alti": alti_shares(tracer.translator.model.forward, found).source.sum(axis=0),
    }
    scores = {name: words.membership(len(each)) @ each for name, each in of_tokens.items()}
    log_p = log_probabilities_without(tracer, pair, [(), *words.positions])
    return {**scores, "occlusion": (log_p[0] - log_p[1:]).sum(axis=1)}


def log_probabilities_without(tracer: Tracer, pair: ForcedPair, erased: Sequence[Collection[int]]) -> Floats:
    """Return log P of the predicted tokens, (B, T), with B sets of source positions erased (occlusion).

    Zeiler & Fergus 2014 erased parts of pictures, Li et al. 2016 ("Understanding Neural Networks through Representation
    Erasure") words. Here no position may attend to an erased token, so what it is does not matter.
    """
    gone = np.zeros((len(erased), len(pair.source)), bool)
    for row, positions in enumerate(erased):
        gone[row, list(positions)] = True
    return tracer.log_probabilities(pair, len(erased), source_mask=~gone[:, None, None])
