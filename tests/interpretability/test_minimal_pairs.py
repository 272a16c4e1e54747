"""The ready-made pairs with the models that people patch them in."""

from __future__ import annotations

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.minimal_pairs import MINIMAL_PAIRS
from core.inference.translator import Translator
from core.interpretability.patching import patching_map
from core.interpretability.teacher_forcing import ForcedPair, Tracer


@pytest.mark.slow
@pytest.mark.parametrize(("language", "name"), [("pt", "ted_pt_en"), ("en", "anki_en_fr")])
def test_shipped_models_translate_each_pair_differently(language: str, name: str) -> None:
    _check(Checkpoint.load(shipped_checkpoints()[name]).translator(), language)
    assert {pair.difference for pair in MINIMAL_PAIRS[language]} == {"gender", "number", "tense", "negation"}


def test_so_does_the_classroom_s(translator: Translator) -> None:
    _check(translator, "")


def _check(translator: Translator, language: str) -> None:
    tracer = Tracer(translator)
    for pair in MINIMAL_PAIRS[language]:
        translations = translator.translate_typed([pair.first, pair.second])
        found = patching_map(tracer, *(ForcedPair.of_translation(translator, each) for each in translations))
        # What the decoder reads of the encoder's output brings the difference over, from one or more places.
        assert found.encoder[-1].max() > 0.5, pair
        assert found.other_log_odds - found.log_odds > 1, pair
