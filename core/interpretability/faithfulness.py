"""What a word was worth: the translation's log probability without it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.inference.transformer import Floats, Ids, Interventions, Trace
from core.interpretability.contributions import alti_shares
from core.interpretability.norms import norm_weighted, output_kernels
from core.interpretability.rollout import rollout
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words
from core.weights import Weights

Positions = Collection[int]


def log_probabilities_without(
    tracer: Tracer, pair: ForcedPair, erased: Sequence[tuple[Positions, Positions]]
) -> Floats:
    """log P of the written tokens, (B, T), with B choices of source and decoder-input positions erased.

    Zeiler & Fergus 2014 erased parts of pictures so, Li et al. 2016 ("Understanding Neural Networks through
    Representation Erasure") words.

    An erased token becomes the unknown token, and no other position may attend to it. Hiding it alone would
    leave the decoder's last word in place, which is the input of the very step that is asked, and a source
    of one word.

    Args:
        tracer: of the model.
        pair: what is read and written.
        erased: source positions and decoder-input positions of each row. The start token stays.
    """
    rows, source_length, target_length = len(erased), len(pair.source), len(pair.predicted)
    gone_source = np.zeros((rows, source_length), bool)
    gone_target = np.zeros((rows, target_length), bool)
    for row, (of_source, of_target) in enumerate(erased):
        gone_source[row, list(of_source)] = True
        gone_target[row, list(of_target)] = True
    gone_target[:, 0] = False
    translator = tracer.translator
    itself = np.eye(target_length, dtype=bool)
    return tracer.log_probabilities(
        _with_unknown(pair.source, gone_source, translator.source_tokenizer.vocabulary.unknown_id),
        _with_unknown(pair.decoder_input, gone_target, translator.target_tokenizer.vocabulary.unknown_id),
        pair.predicted[None],
        Interventions(
            source_mask=~gone_source[:, None, None, :],
            target_mask=~gone_target[:, None, None, :] | itself,
        ),
    )


def _with_unknown(ids: Ids, gone: np.ndarray, unknown_id: int) -> Ids:
    return np.where(gone, unknown_id, ids[None]).astype(np.int32)


CHANCE = "chance"
CHANCE_ORDERS = 4  # random orders whose curves are averaged
MAX_POINTS = 8  # of one curve; a long sentence loses several words a step


@dataclass(frozen=True, eq=False)
class ErasureCurves:
    """What is left of a translation while its source is erased, word by word in the order of each measure."""

    words: tuple[str, ...]  # of the source
    scores: Mapping[str, Floats]  # by measure, (S words,): how much each word matters
    erased: tuple[int, ...]  # words that are gone at each point, 0 first, all last
    curves: Mapping[str, Floats]  # by measure and `CHANCE`, (points,): mean log P a token, nats

    def order(self, measure: str) -> list[int]:
        """The words, those that matter most first."""
        return order_of(self.scores[measure])

    def area(self, measure: str) -> float:
        """The mean of a curve; the lower, the sooner the translation breaks."""
        points, curve = np.array(self.erased, float), self.curves[measure]
        return float(np.trapezoid(curve, points) / points[-1]) if points[-1] else float(curve[0])

    def ranked(self) -> list[str]:
        """The measures and chance, the one that breaks the translation first at the top."""
        return sorted(self.curves, key=self.area)


def order_of(scores: Floats) -> list[int]:
    """Words from the highest score to the lowest; equal ones from the left."""
    return [int(word) for word in np.argsort(-scores, kind="stable")]


def erasure_curves(tracer: Tracer, weights: Weights, pair: ForcedPair, words: Words) -> ErasureCurves:
    """Rank the source words by five measures, then erase them in each order, the most important first.

    If a measure is right, the translation breaks soon (Samek et al. 2017, "Evaluating the Visualization of What a
    Deep Neural Network Has Learned"; for attention Jain & Wallace 2019 and Serrano & Smith 2019).

    Args:
        tracer: of the model.
        weights: of the model, by name.
        pair: what is read and written.
        words: of the source's tokens.
    """
    scores = source_scores(tracer, weights, pair, words)
    number = len(words.positions)
    erased = sorted({round(number * step / MAX_POINTS) for step in range(MAX_POINTS + 1)})
    random = np.random.default_rng(0)
    orders = [order_of(each) for each in scores.values()]
    orders += [list(random.permutation(number)) for _ in range(CHANCE_ORDERS)]
    wanted = [frozenset(order[:gone]) for order in orders for gone in erased]
    different = list(dict.fromkeys(wanted))  # orders often begin alike, and all end alike
    rows = [(_positions(words, each), ()) for each in different]
    log_p = dict(zip(different, log_probabilities_without(tracer, pair, rows).mean(axis=1), strict=True))
    curves = np.array([log_p[each] for each in wanted], np.float32).reshape(len(orders), len(erased))
    named = dict(zip(scores, curves, strict=False))
    return ErasureCurves(
        words.texts, scores, tuple(erased), {**named, CHANCE: curves[len(scores) :].mean(axis=0)}
    )


def source_scores(tracer: Tracer, weights: Weights, pair: ForcedPair, words: Words) -> dict[str, Floats]:
    """How much each source word matters for the whole translation, by measure; each has its own unit."""
    trace = tracer.trace(pair.source[None], pair.decoder_input[None])
    of_tokens = {
        **_by_attention(trace, weights, tracer.config.num_layers),
        "alti": alti_shares(tracer.config, weights, trace).source.sum(axis=0),
    }
    scores = {name: _of_words(each, words) for name, each in of_tokens.items()}
    log_p = log_probabilities_without(tracer, pair, [((), ()), *((word, ()) for word in words.positions)])
    return {**scores, "occlusion": (log_p[0] - log_p[1:]).sum(axis=1)}


def _by_attention(trace: Trace, weights: Weights, num_layers: int) -> dict[str, Floats]:
    """Raw cross-attention, norm-weighted cross-attention and rollout, each summed over all written tokens, (S,)."""
    encoder, decoder, cross = (each[0] for each in trace.attention)
    norms = norm_weighted(cross, trace.cross_values[0], output_kernels(weights, "cross", num_layers))
    return {
        "raw": cross.mean(axis=(0, 1)).sum(axis=0),
        "norm": norms.sum(axis=(0, 1, 2)),
        "rollout": rollout(encoder, decoder, cross).source[-1].sum(axis=0),
    }


def _of_words(scores: Floats, words: Words) -> Floats:
    return np.array([scores[list(word)].sum() for word in words.positions], np.float32)


def _positions(words: Words, chosen: Iterable[int]) -> tuple[int, ...]:
    return tuple(position for word in chosen for position in words.positions[word])
