import pytest

from core.corpora.toy import PAIRS
from core.presets import CLASSROOM, PRESETS, Preset
from core.training.pairs import prepare_words


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_a_preset_fits_and_learns_the_fifteen_pairs(preset: Preset) -> None:
    from core.inference.translator import Translator
    from core.training.loop import TrainingRun

    prepared, model = prepare_words(PAIRS, preset.model)
    assert model == preset.model
    if preset is CLASSROOM:  # which tests/inference/test_translator.py translates with
        return
    run = TrainingRun(model, preset.training, prepared.encoded)
    for _ in run.steps():
        pass
    translator = Translator(model, run.best_weights(), prepared.source_tokenizer, prepared.target_tokenizer)
    found = translator.translate([pair.source for pair in PAIRS])
    assert sum(a.text == pair.target for a, pair in zip(found, PAIRS, strict=True)) >= 14
