"""What padding does to a model with its mask, and without."""

from __future__ import annotations

import numpy as np
import pytest

from core.corpora.toy import PAIRS
from core.inference.translator import TranslationError, Translator
from core.interpretability.padding import padding_comparison


@pytest.mark.slow
def test_masked_pads_change_nothing_and_get_nothing(translator: Translator, untrained: Translator) -> None:
    for number, pair in enumerate(PAIRS):
        for each in (translator, untrained):
            found = padding_comparison(each, pair.source, number)
            assert found.alone.effect.change == 0.0
            assert found.masked.effect.change < 1e-4
            assert not np.any(found.masked.effect.encoder_share)  # exactly 0
            assert not np.any(found.masked.effect.cross_share)
        found = padding_comparison(translator, pair.source, number)
        assert found.masked.translation == found.alone.translation == pair.target
        assert found.alone.finished


def test_unmasked_pads_are_looked_at(translator: Translator) -> None:
    found = padding_comparison(translator, "je veux un café", 6)
    assert found.num_pads == 6
    assert found.source_tokens == ("je", "veux", "un", "café")
    assert found.unmasked.effect.change > 0.01
    for shares in (found.unmasked.effect.encoder_share, found.unmasked.effect.cross_share):
        assert np.shape(shares) == (2, 4)  # layers, heads
        assert (shares > 0).all()
        assert (shares < 1).all()


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("🙂", "There are no words to translate"),
        ("je " * 30, "has 30 tokens, 33 with padding; this model reads at most 32"),
    ],
)
def test_what_cannot_be_read(translator: Translator, sentence: str, message: str) -> None:
    with pytest.raises(TranslationError, match=message):
        padding_comparison(translator, sentence, 3)
