"""The model run by teacher forcing."""

from __future__ import annotations

import numpy as np
import pytest

from core.inference.transformer import Interventions, Patch
from core.inference.translator import Translator
from core.interpretability.teacher_forcing import ForcedPair, Tracer


def test_log_probabilities_add_up_to_the_translation_s(tracer: Tracer, translator: Translator) -> None:
    translation = translator.translate(["ils regardent un film"])[0]
    pair = ForcedPair.of_translation(translator, translation)
    assert pair.decoder_input_tokens == ("[START]", *pair.predicted_tokens[:-1])
    found = tracer.log_probabilities(pair.source[None], pair.decoder_input[None], pair.predicted[None])
    assert found.sum() == pytest.approx(translation.best.log_probability, abs=1e-4)


@pytest.mark.parametrize("max_numbers", [1, 3000, 8_000_000])
def test_a_batch_of_changes_is_each_alone(
    tracer: Tracer, pair: ForcedPair, max_numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row for each head that is off, for each source token that is hidden, and for each state that is replaced."""
    monkeypatch.setattr("core.interpretability.teacher_forcing.MAX_NUMBERS", max_numbers)
    ids = pair.source[None], pair.decoder_input[None]
    config = tracer.config
    shape = (-1, config.num_layers, config.num_heads)
    gates = (1 - np.eye(config.num_layers * config.num_heads, dtype=np.float32)).reshape(shape)
    seen = ~np.eye(len(pair.source), dtype=bool)[:, None, None]
    hidden = np.zeros_like(tracer.trace(*ids).encoder_hidden)
    places, length = hidden.shape[1:3]
    replaced = np.eye(places * length, dtype=bool).reshape(-1, places, length)
    for together, alone in (
        (Interventions(cross_gates=gates), Interventions(cross_gates=gates[-1:])),
        (Interventions(source_mask=seen), Interventions(source_mask=seen[-1:])),
        (
            Interventions(encoder_patch=Patch(hidden, replaced)),
            Interventions(encoder_patch=Patch(hidden, replaced[-1:])),
        ),
    ):
        found = tracer.log_probabilities(*ids, pair.predicted[None], together)
        expected = tracer.log_probabilities(*ids, pair.predicted[None], alone)
        assert np.allclose(found[-1], expected[0], atol=1e-5)
