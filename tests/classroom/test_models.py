from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from core.classroom.models import TrainedModel
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.records import Pair
from core.training.recipe import prepare_word_training

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint


OTHER = Pair("ja", "yes")


def languages(
    checkpoint: Checkpoint, pairs: tuple[Pair, ...], held_out_share: float = 0.0
) -> tuple[str, str]:
    """Of a model that learned the pairs; its weights do not matter."""
    prepared = prepare_word_training(
        pairs, CLASSROOM.model, CLASSROOM.training, held_out_share=held_out_share
    )
    model = TrainedModel(
        "M",
        dataclasses.replace(
            checkpoint,
            source_tokenizer=prepared.source_tokenizer,
            target_tokenizer=prepared.target_tokenizer,
            examples=prepared.pairs[:5],
        ),
    )
    return model.source_language, model.target_language


def test_what_the_classroom_pairs_teach_is_french_and_english(checkpoint: Checkpoint) -> None:
    assert languages(checkpoint, PAIRS) == ("French", "English")
    assert languages(checkpoint, PAIRS, held_out_share=0.3) == ("French", "English")


def test_other_words_have_no_language(checkpoint: Checkpoint) -> None:
    assert languages(checkpoint, (OTHER, *PAIRS)) == ("", "")
    assert languages(checkpoint, tuple(Pair(pair.target, pair.source) for pair in PAIRS)) == ("", "")
    model = TrainedModel("M", dataclasses.replace(checkpoint, examples=()))
    assert (model.source_language, model.target_language) == ("", "")
