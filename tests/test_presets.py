import pytest

from core.corpora.toy import PAIRS
from core.presets import CLASSROOM, PRESETS, Preset
from core.training.pairs import prepare_words


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_a_preset_fits_the_fifteen_pairs(preset: Preset) -> None:
    _, sized = prepare_words(PAIRS, preset.model)
    assert sized == preset.model


def test_names_are_the_keys_and_titles_differ() -> None:
    assert [preset.name for preset in PRESETS.values()] == list(PRESETS)
    assert len({preset.title for preset in PRESETS.values()}) == len(PRESETS)
    assert all(preset.description.endswith(".") for preset in PRESETS.values())


def test_the_classroom_is_the_first_and_the_default() -> None:
    assert next(iter(PRESETS.values())) is CLASSROOM


@pytest.mark.slow
@pytest.mark.parametrize(
    "preset", [each for each in PRESETS.values() if each is not CLASSROOM], ids=lambda p: p.name
)
def test_a_preset_learns_the_fifteen_pairs(preset: Preset) -> None:
    """The classroom's is what tests/inference/test_translator.py translates with."""

    from core.inference.translator import Translator
    from core.training.loop import TrainingRun

    prepared, model = prepare_words(PAIRS, preset.model)
    run = TrainingRun(model, preset.training, prepared.encoded)
    for _ in run.steps():
        pass
    translator = Translator(model, run.best_weights(), prepared.source_tokenizer, prepared.target_tokenizer)
    found = translator.translate([pair.source for pair in PAIRS])
    assert sum(a.text == pair.target for a, pair in zip(found, PAIRS, strict=True)) >= 14
