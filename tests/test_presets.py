import pytest

from core.presets import PRESETS, Preset
from core.training.recipe import prepare_word_training


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_a_preset_fits_and_learns_the_fifteen_pairs(preset: Preset) -> None:
    from core.checkpoints.from_training import checkpoint_of

    prepared = prepare_word_training(preset.pairs, preset.model, preset.training, held_out=preset.held_out)
    assert prepared.model == preset.model
    if preset.name in ("classroom", "generalize"):  # which other tests translate with
        return
    run = prepared.new_run()
    for _ in run.steps():
        pass
    translator = checkpoint_of(run.saved(), prepared).translator()
    for pairs in (prepared.pairs, prepared.held_out):  # what it has never seen, too
        found = translator.translate([pair.source for pair in pairs])
        assert sum(a.text == pair.target for a, pair in zip(found, pairs, strict=True)) >= len(pairs) - 1
