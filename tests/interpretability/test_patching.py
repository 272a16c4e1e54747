"""Where the difference between two sentences lives."""

from __future__ import annotations

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.minimal_pairs import MINIMAL_PAIRS
from core.inference.translator import TranslationError, Translator
from core.interpretability.patching import patching_map
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from tests.interpretability.conftest import pair_of


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
    assert found.decoder[0] == pytest.approx(0, abs=1e-3)  # both read the same prefix
    assert found.decoder[-1, -1] == pytest.approx(1, abs=1e-3)  # that state alone makes the word
    assert found.log_odds <= 0 <= found.other_log_odds


def test_what_cannot_be_patched_says_why(tracer: Tracer, two: tuple[ForcedPair, ForcedPair]) -> None:
    with pytest.raises(TranslationError, match="translates both sentences alike"):
        patching_map(tracer, two[0], two[0])
    longer = pair_of(tracer.translator, "j aime apprendre merci", "i like learning")
    with pytest.raises(TranslationError, match="same number of tokens; these have 3 and 4"):
        patching_map(tracer, two[0], longer)


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
