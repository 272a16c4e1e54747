"""Which measure is right about the source words, and where a difference lives."""

from __future__ import annotations

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.inference.transformer import Interventions, Patch
from core.inference.translator import TranslationError, Translator
from core.interpretability.faithfulness import (
    CHANCE,
    ErasureCurves,
    erasure_curves,
    log_probabilities_without,
    source_scores,
)
from core.interpretability.patching import patching_map
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words, single_tokens
from tests.interpretability.conftest import pair_of


def log_p(tracer: Tracer, pair: ForcedPair, changes: Interventions) -> float:
    ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
    return float(tracer.log_probabilities(*ids, changes=changes).sum())


@pytest.mark.slow
def test_curves_begin_and_end_alike(tracer: Tracer, checkpoint: Checkpoint, pair: ForcedPair) -> None:
    found = erasure_curves(tracer, checkpoint.weights, pair, single_tokens(pair.source_tokens))
    assert set(found.curves) == {*found.scores, CHANCE}
    whole = log_p(tracer, pair, Interventions()) / len(pair.predicted)
    ends = [curve[-1] for curve in found.curves.values()]
    for curve in found.curves.values():
        assert curve[0] == pytest.approx(whole, abs=1e-4)
    assert np.allclose(ends, ends[0], atol=1e-4)
    assert found.erased == (0, 1, 2, 3, 4)
    assert found.ranked()[0] != CHANCE
    assert found.area("occlusion") < found.area(CHANCE)


def test_the_order_is_by_the_score() -> None:
    curves = {"raw": np.array([0.0, -2.0, -4.0]), CHANCE: np.array([0.0, -1.0, -4.0])}
    found = ErasureCurves(("a", "b"), {"raw": np.array([1.0, 2.0])}, (0, 1, 2), curves)
    assert found.order("raw") == [1, 0]
    assert found.area("raw") == -2.0
    assert found.area(CHANCE) == -1.5
    assert found.ranked() == ["raw", CHANCE]


def test_scores_of_a_word_are_its_tokens_together(
    tracer: Tracer, checkpoint: Checkpoint, pair: ForcedPair
) -> None:
    tokens = source_scores(tracer, checkpoint.weights, pair, single_tokens(pair.source_tokens))
    joined = Words(("first", "rest"), ((0, 1), (2, 3)))
    words = source_scores(tracer, checkpoint.weights, pair, joined)
    for name in set(tokens) - {"occlusion"}:
        assert words[name] == pytest.approx([tokens[name][:2].sum(), tokens[name][2:].sum()], rel=1e-4)


def test_occlusion_scores_are_what_each_word_alone_is_worth(
    tracer: Tracer, checkpoint: Checkpoint, pair: ForcedPair
) -> None:
    words = single_tokens(pair.source_tokens)
    found = source_scores(tracer, checkpoint.weights, pair, words)["occlusion"]
    log_p = log_probabilities_without(tracer, pair, [(), (0,)]).sum(axis=1)
    assert found[0] == pytest.approx(log_p[0] - log_p[1], abs=1e-4)


def test_raw_scores_are_the_mean_attention(tracer: Tracer, checkpoint: Checkpoint, pair: ForcedPair) -> None:
    cross = tracer.trace(pair.source[None], pair.decoder_input[None]).attention.cross[0]
    layers, heads, target, source = cross.shape
    found = source_scores(tracer, checkpoint.weights, pair, single_tokens(pair.source_tokens))
    by_hand = [
        sum(cross[i, h, t, s] for i in range(layers) for h in range(heads) for t in range(target))
        / (layers * heads)
        for s in range(source)
    ]
    assert found["raw"] == pytest.approx(by_hand, rel=1e-4)


def test_one_word_has_a_curve_of_two_points(tracer: Tracer, checkpoint: Checkpoint) -> None:
    pair = pair_of(tracer.translator, "merci", "thanks")
    found = erasure_curves(tracer, checkpoint.weights, pair, single_tokens(pair.source_tokens))
    assert found.erased == (0, 1)


@pytest.fixture(scope="module")
def two(translator: Translator) -> tuple[ForcedPair, ForcedPair]:
    first, second = translator.translate(["j aime apprendre", "j aime tensorflow"])
    return ForcedPair.of_translation(translator, first), ForcedPair.of_translation(translator, second)


def test_all_of_the_difference_is_in_the_embedding_of_the_word(
    tracer: Tracer, two: tuple[ForcedPair, ForcedPair]
) -> None:
    found = patching_map(tracer, *two)
    differs = [a != b for a, b in zip(*(pair.source_tokens for pair in two), strict=True)]
    assert sum(differs) == 1
    assert found.encoder[0] == pytest.approx([1.0 if each else 0.0 for each in differs], abs=1e-3)
    assert found.decoder[0] == pytest.approx(0, abs=1e-3)  # both read the same beginning
    assert found.decoder[-1, -1] == pytest.approx(1, abs=1e-3)  # that state alone makes the word
    assert found.log_odds <= 0 <= found.other_log_odds


def test_patching_everything_is_the_other_run(tracer: Tracer, two: tuple[ForcedPair, ForcedPair]) -> None:
    ours, theirs = two
    hidden = tracer.trace(theirs.source[None], ours.decoder_input[None]).encoder_hidden
    for place in range(tracer.config.num_layers + 1):
        replaced = np.zeros(hidden.shape[:3], bool)
        replaced[:, place] = True
        patched = log_p(tracer, ours, Interventions(encoder_patch=Patch(hidden, replaced)))
        other = float(
            tracer.log_probabilities(
                theirs.source[None], ours.decoder_input[None], ours.predicted[None]
            ).sum()
        )
        assert patched == pytest.approx(other, abs=1e-4)


def test_a_map_s_cell_is_one_run(tracer: Tracer, two: tuple[ForcedPair, ForcedPair]) -> None:
    ours, theirs = two
    found = patching_map(tracer, ours, theirs)
    prefix = ours.decoder_input[None, : len(found.prefix_tokens)]
    hidden = tracer.trace(theirs.source[None], prefix).encoder_hidden
    replaced = np.zeros(hidden.shape[:3], bool)
    replaced[0, 1, 0] = True
    logits = tracer.trace(
        ours.source[None], prefix, Interventions(encoder_patch=Patch(hidden, replaced))
    ).logits
    at = len(found.prefix_tokens) - 1
    odds = logits[0, at, theirs.predicted[at]] - logits[0, at, ours.predicted[at]]
    expected = (odds - found.log_odds) / (found.other_log_odds - found.log_odds)
    assert found.encoder[1, 0] == pytest.approx(expected, abs=1e-3)


def test_what_cannot_be_patched_says_why(tracer: Tracer, two: tuple[ForcedPair, ForcedPair]) -> None:
    with pytest.raises(TranslationError, match="translates both sentences alike"):
        patching_map(tracer, two[0], two[0])
    longer = pair_of(tracer.translator, "j aime apprendre merci", "i like learning")
    with pytest.raises(TranslationError, match="same number of tokens; these have 3 and 4"):
        patching_map(tracer, two[0], longer)
