"""The forward pass in NumPy: equal to Keras, cached or not, in any batch and with any padding."""

import numpy as np
import pytest

from core.config import ModelConfig
from core.inference.transformer import DecoderState, InferenceModel, Interventions, Patch
from core.theory.parts import Side
from tests.conftest import TINY, VARIANTS, random_weights

MORE_VARIANTS = [
    *VARIANTS,
    pytest.param(
        TINY.replace(num_layers=1, target_vocab_size=11, share_embeddings=True, tie_embeddings=True),
        id="shared",
    ),
    pytest.param(TINY.replace(num_layers=6, norm="pre"), id="six layers"),
]
NOT_CAUSAL = TINY.replace(causal_mask=False)
SOURCE = np.array([[4, 5, 6, 0, 0], [7, 8, 9, 10, 3], [5, 0, 0, 0, 0]], np.int32)
TARGET = np.array([[2, 4, 5, 0], [2, 6, 7, 8], [2, 0, 0, 0]], np.int32)


@pytest.fixture(params=MORE_VARIANTS)
def config(request: pytest.FixtureRequest) -> ModelConfig:
    found: ModelConfig = request.param
    return found


@pytest.fixture
def model(config: ModelConfig) -> InferenceModel:
    return InferenceModel(config, random_weights(config))


@pytest.mark.slow
@pytest.mark.parametrize(
    "config", [*MORE_VARIANTS, pytest.param(NOT_CAUSAL, id="no causal mask")], indirect=True
)
def test_numpy_equals_keras(config: ModelConfig, model: InferenceModel) -> None:
    from core.model.transformer import Transformer

    keras_model = Transformer(config)
    keras_model.assign_weights(dict(model.weights))
    logits = keras_model(SOURCE, TARGET)
    trace = model.trace(SOURCE, TARGET)
    assert np.allclose(trace.logits[TARGET != 0], np.asarray(logits)[TARGET != 0], atol=1e-4)


def test_cached_equals_uncached(model: InferenceModel) -> None:
    trace, decoder = model.trace(SOURCE, TARGET), DecoderState(model, SOURCE)
    for position in range(TARGET.shape[1]):
        logits = decoder.step(TARGET[:, position : position + 1])[:, 0]
        real = TARGET[:, position] != 0
        assert np.allclose(logits[real], trace.logits[real, position], atol=1e-4)


def test_without_the_causal_mask_whole_targets_are_seen_and_writing_sees_no_future() -> None:
    weights, changed = random_weights(TINY), TARGET[1:2].copy()
    changed[0, 3] = 5
    hidden_ahead = InferenceModel(TINY, weights).logits(SOURCE[1:2], TARGET[1:2])[0]
    for config, seen in ((TINY, False), (NOT_CAUSAL, True)):
        model = InferenceModel(config, weights)
        before, after = (model.logits(SOURCE[1:2], target) for target in (TARGET[1:2], changed))
        assert (np.abs(before - after)[0, :3].max(axis=-1) > 1e-3).tolist() == [seen] * 3
        decoder = DecoderState(model, SOURCE[1:2])
        steps = [decoder.step(TARGET[1:2, n : n + 1])[0, 0] for n in range(4)]
        assert np.allclose(steps, hidden_ahead, atol=1e-4)


def test_a_batch_equals_its_sentences_one_by_one(model: InferenceModel) -> None:
    together = model.trace(SOURCE, TARGET)
    for row, (source, target) in enumerate(zip(SOURCE, TARGET, strict=True)):
        source, target = source[source != 0], target[target != 0]
        alone = model.trace(source[None], target[None])
        assert np.allclose(together.logits[row, : len(target)], alone.logits[0], atol=1e-4)
        cross = together.attention.cross[row, :, :, : len(target)]
        assert np.allclose(cross[..., : len(source)], alone.attention.cross[0], atol=1e-5)
        assert (cross[..., len(source) :] == 0).all()


def test_beams_are_each_a_sequence_of_their_own(model: InferenceModel) -> None:
    """Reordered, and with a sentence that has left the batch."""
    decoder = DecoderState(model, SOURCE, beams=2)
    decoder.step(np.full((3, 1), 2, np.int32))
    decoder.reorder(np.zeros((3, 2), np.intp))
    decoder.step(np.array([[4, 5], [6, 7], [4, 6]], np.int32))
    decoder.reorder(np.array([[1, 0], [1, 1], [0, 1]]))
    decoder.keep(np.array([2, 1]))
    logits = decoder.step(np.array([[5, 7], [8, 4]], np.int32))
    for row, source, sequences in ((0, 2, [[2, 4, 5], [2, 6, 7]]), (1, 1, [[2, 7, 8], [2, 7, 4]])):
        for beam, target in enumerate(sequences):
            expected = model.trace(SOURCE[source : source + 1], np.array([target], np.int32)).logits[0, -1]
            assert np.allclose(logits[row, beam], expected, atol=1e-4)


def test_a_long_translation_outgrows_its_cache() -> None:
    config = TINY.replace(max_target_length=40)
    model, target = InferenceModel(config, random_weights(config)), np.full((1, 40), 4, np.int32)
    decoder = DecoderState(model, SOURCE[:1])
    logits = [decoder.step(target[:, n : n + 1])[0, 0] for n in range(40)]
    assert np.allclose(logits, model.trace(SOURCE[:1], target).logits[0], atol=1e-4)


def gates(config: ModelConfig, value: float) -> np.ndarray:
    return np.full((1, config.num_layers, config.num_heads), value, np.float32)


def test_open_gates_change_nothing_and_closed_ones_leave_the_bias(
    config: ModelConfig, model: InferenceModel
) -> None:
    plain = model.trace(SOURCE, TARGET)
    on = gates(config, 1.0)
    opened = model.trace(SOURCE, TARGET, Interventions(encoder_gates=on, decoder_gates=on, cross_gates=on))
    assert np.array_equal(opened.logits, plain.logits)
    closed = model.trace(SOURCE, TARGET, Interventions(cross_gates=gates(config, 0.0)))
    other_source = model.trace(SOURCE[::-1].copy(), TARGET, Interventions(cross_gates=gates(config, 0.0)))
    assert np.array_equal(closed.logits, other_source.logits)  # nothing of the source is left


def test_gates_hold_in_steps_too(config: ModelConfig, model: InferenceModel) -> None:
    off = gates(config, 1.0)
    off[0, 0, 0] = 0.0
    changes = Interventions(encoder_gates=off, decoder_gates=off, cross_gates=off)
    decoder = DecoderState(model, SOURCE[1:2], interventions=changes)
    logits = [decoder.step(TARGET[1:2, n : n + 1])[0, 0] for n in range(4)]
    assert np.allclose(logits, model.trace(SOURCE[1:2], TARGET[1:2], changes).logits[0], atol=1e-4)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_all_states_of_another_run_are_that_run(model: InferenceModel, stack: Side) -> None:
    ids = SOURCE[1:2], TARGET[1:2]
    others = ids[0][:, ::-1].copy(), np.array([[2, 5, 4, 6]], np.int32)
    hidden = model.trace(*others).hidden[stack]
    patch = Patch(hidden, np.ones(hidden.shape[:3], np.bool_))
    changes = Interventions(encoder_patch=patch) if stack == "encoder" else Interventions(decoder_patch=patch)
    patched = model.trace(*ids, changes)
    assert np.array_equal(patched.hidden[stack], hidden)
    if stack == "encoder":
        assert np.allclose(patched.logits, model.trace(others[0], ids[1]).logits, atol=1e-5)
