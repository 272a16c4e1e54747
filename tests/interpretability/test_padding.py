from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora.toy import PAIRS
from core.inference.translator import TranslationError, Translator
from core.interpretability.padding import padding_comparison

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

SENTENCES = [pair.source for pair in PAIRS]


@pytest.fixture(params=["trained", "untrained"])
def any_translator(
    request: pytest.FixtureRequest, translator: Translator, untrained: Translator
) -> Translator:
    return translator if request.param == "trained" else untrained


@pytest.mark.slow
@settings(max_examples=15)
@given(sentence=st.sampled_from(SENTENCES), num_pads=st.integers(0, 20))
def test_masked_pads_change_nothing_and_get_nothing(
    translator: Translator, untrained: Translator, sentence: str, num_pads: int
) -> None:
    for each in (translator, untrained):
        found = padding_comparison(each, sentence, num_pads)
        assert found.alone.effect.change == 0.0
        assert found.masked.effect.change < 1e-4
        assert not np.any(found.masked.effect.encoder_share)  # exactly 0
        assert not np.any(found.masked.effect.cross_share)
    found = padding_comparison(translator, sentence, num_pads)
    assert found.masked.translation == found.alone.translation


def test_unmasked_pads_are_looked_at(any_translator: Translator) -> None:
    found = padding_comparison(any_translator, "je veux un café", 6)
    assert found.num_pads == 6
    assert found.source_tokens == ("je", "veux", "un", "café")
    assert found.unmasked.effect.change > 0.01
    for shares in (found.unmasked.effect.encoder_share, found.unmasked.effect.cross_share):
        assert np.shape(shares) == (2, 4)  # layers, heads
        assert (shares > 0).all()
        assert (shares < 1).all()


def test_the_sentence_alone_is_translated_as_ever(translator: Translator) -> None:
    for sentence, expected in zip(SENTENCES, translator.translate(SENTENCES), strict=True):
        found = padding_comparison(translator, sentence, 4)
        assert found.alone.translation == expected.text
        assert found.alone.finished


@pytest.mark.parametrize(
    ("sentence", "pads", "message"),
    [
        ("", 3, "There are no words to translate"),
        ("🙂", 3, "There are no words to translate"),
        ("je " * 30, 3, "has 30 tokens, 33 with padding; this model reads at most 32"),
    ],
)
def test_what_cannot_be_read(translator: Translator, sentence: str, pads: int, message: str) -> None:
    with pytest.raises(TranslationError, match=message):
        padding_comparison(translator, sentence, pads)


def test_weights_that_overflow_are_named(checkpoint: Checkpoint) -> None:
    weights = {name: np.full_like(array, 1e30) for name, array in checkpoint.weights.items()}
    broken = dataclasses.replace(checkpoint, weights=weights).translator()
    with pytest.raises(TranslationError, match="too large to compute with"):
        padding_comparison(broken, "je suis fatigué", 3)
