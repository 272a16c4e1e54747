from collections.abc import Sequence

import pytest

from core.inference.translator import Translator
from core.presets import CLASSROOM, CLASSROOMS, PRESETS, Preset
from core.records.text import Pair
from core.training.recipe import prepare_training


@pytest.mark.long
@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_a_preset_fits_and_learns_the_fifteen_pairs(preset: Preset) -> None:
    from core.checkpoints.from_training import checkpoint_of

    prepared = prepare_training(preset.pairs, preset.model, preset.training, held_out=preset.held_out)
    assert prepared.model == preset.model
    if preset.name in ("classroom", "generalize"):  # which other tests translate with
        return
    run = prepared.new_run()
    least = len(prepared.pairs) - (preset.name not in CLASSROOMS)
    ends_of_fifty = (step for step in run.steps() if step.ends_epoch and step.epoch % 50 == 0)
    assert any(
        num_known(checkpoint_of(run.saved(), prepared).translator(), prepared.pairs) >= least
        for _ in ends_of_fifty
    )


def num_known(translator: Translator, pairs: Sequence[Pair]) -> int:
    """Return how many of the pairs it translates as they are."""
    found = translator.translate([pair.source for pair in pairs])
    return sum(a.text == pair.target for a, pair in zip(found, pairs, strict=True))


def test_the_classrooms_have_fifteen_sentences_each_and_the_same_translations() -> None:
    """So what the pages say about the English words holds in each."""
    for preset in CLASSROOMS.values():
        assert len({pair.source for pair in preset.pairs}) == 15
        assert [pair.target for pair in preset.pairs] == [pair.target for pair in CLASSROOM.pairs]
        longer = [len(pair.target.split()) > len(pair.source.split()) for pair in preset.pairs]
        assert any(longer) and not all(longer)
        assert any(len(pair.source.split()) == 1 and len(pair.target.split()) == 2 for pair in preset.pairs)


def test_a_preset_without_pairs_of_its_own_takes_those_of_any_classroom() -> None:
    for preset in PRESETS.values():
        found = {preset.on_pairs_of(classroom).pairs for classroom in CLASSROOMS.values()}
        assert found == (
            {preset.pairs} if preset.brings_pairs else {each.pairs for each in CLASSROOMS.values()}
        )
