"""The model run by teacher forcing, opened."""

from typing import NamedTuple

import numpy as np
import pytest

from core.inference.transformer import Ids, Interventions, Patch
from core.inference.translator import TranslationError, Translator
from core.interpretability.teacher_forcing import Tracer
from core.records import Translation


class Teacher(NamedTuple):
    """What a teacher-forced pass reads, of one row each."""

    source: Ids
    decoder_input: Ids
    predicted: Ids


@pytest.fixture(scope="module")
def translation(translator: Translator) -> Translation:
    return translator.explain(translator.translate(["ils regardent un film"])[0])


@pytest.fixture(scope="module")
def ids(translator: Translator, translation: Translation) -> Teacher:
    predicted = list(translation.best.ids)
    decoder_input = [translator.target_tokenizer.vocabulary.start_id, *predicted[:-1]]
    source = translator.source_tokenizer.encode(translation.read)
    return Teacher(*(np.array([row], np.int32) for row in (source, decoder_input, predicted)))


def test_its_attention_is_the_translation_s(
    translator: Translator, translation: Translation, ids: Teacher
) -> None:
    trace = Tracer(translator).trace(ids.source, ids.decoder_input)
    for kind in ("encoder", "decoder", "cross"):
        assert np.allclose(getattr(trace.attention, kind)[0], getattr(translation.attention, kind), atol=1e-5)


def test_log_probabilities_add_up_to_the_translation_s(
    translator: Translator, translation: Translation, ids: Teacher
) -> None:
    found = Tracer(translator).log_probabilities(*ids)
    assert found.sum() == pytest.approx(translation.best.log_probability, abs=1e-4)


def test_changes_of_all_kinds_change_something(translator: Translator, ids: Teacher) -> None:
    tracer, config = Tracer(translator), translator.config
    plain = tracer.trace(ids.source, ids.decoder_input)
    off = np.ones((1, config.num_layers, config.num_heads), np.float32)
    off[0, 0, 0] = 0
    hidden = np.zeros_like(plain.encoder_hidden)
    changes = [
        Interventions(encoder_gates=off),
        Interventions(decoder_gates=off),
        Interventions(cross_gates=off),
        Interventions(source_mask=np.arange(ids[0].shape[1])[None, None, None] != 1),
        Interventions(encoder_patch=Patch(hidden, np.ones(hidden.shape[:3], bool))),
    ]
    for change in changes:
        found = tracer.trace(ids.source, ids.decoder_input, change).logits
        assert not np.allclose(found, plain.logits, atol=1e-3), change


def test_a_batch_of_changes_is_each_alone(translator: Translator, ids: Teacher) -> None:
    """One row for each head that is switched off."""
    tracer, (layers, heads) = Tracer(translator), (translator.config.num_layers, translator.config.num_heads)
    off = 1 - np.eye(layers * heads, dtype=np.float32).reshape(-1, layers, heads)
    together = tracer.log_probabilities(*ids, changes=Interventions(cross_gates=off))
    for row in (0, len(off) - 1):
        alone = tracer.log_probabilities(*ids, changes=Interventions(cross_gates=off[row : row + 1]))
        assert np.allclose(together[row], alone[0], atol=1e-5)


def test_too_much_is_refused(translator: Translator) -> None:
    many = np.ones((3000, 30), np.int32)
    with pytest.raises(TranslationError, match="too large to show"):
        Tracer(translator).trace(many, many)
