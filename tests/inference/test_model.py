"""Decoding step by step equals whole passes: cached, in any batch, with any padding, with changes."""

from functools import partial

import numpy as np
import pytest

from core.config import ModelConfig, PositionalEncoding
from core.inference.model import DecoderState, InferenceModel, state_names, sublayer_path
from core.records.attention import ATTENTION_KINDS
from core.theory.parts import Side
from tests.conftest import TINY, random_weights
from tests.model.test_forward import MORE_VARIANTS

NOT_CAUSAL = TINY.replace(causal_mask=False)
SOURCE = np.array([[4, 5, 6, 0, 0], [7, 8, 9, 10, 3], [5, 0, 0, 0, 0]], np.int32)
TARGET = np.array([[2, 4, 5, 0], [2, 6, 7, 8], [2, 0, 0, 0]], np.int32)


@pytest.fixture(params=MORE_VARIANTS[:-1])
def config(request: pytest.FixtureRequest) -> ModelConfig:
    found: ModelConfig = request.param
    return found


@pytest.fixture
def model(config: ModelConfig) -> InferenceModel:
    return InferenceModel(config, random_weights(config))


def test_cached_equals_uncached(model: InferenceModel) -> None:
    whole, decoder = model.logits(SOURCE, TARGET), DecoderState(model, SOURCE)
    for position in range(TARGET.shape[1]):
        logits = decoder.step(TARGET[:, position : position + 1])[:, 0]
        real = TARGET[:, position] != 0
        assert np.allclose(logits[real], whole[real, position], atol=1e-5)


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
        assert np.allclose(steps, hidden_ahead, atol=1e-5)


def test_without_the_causal_mask_padding_changes_nothing_either() -> None:
    test_a_batch_equals_its_sentences_one_by_one(InferenceModel(NOT_CAUSAL, random_weights(NOT_CAUSAL)))


def test_a_batch_equals_its_sentences_one_by_one(model: InferenceModel) -> None:
    weights = f"{sublayer_path('cross', 0)}/weights"
    together = model.results(SOURCE, TARGET, [weights, "output"])
    for row, (source, target) in enumerate(zip(SOURCE, TARGET, strict=True)):
        source, target = source[source != 0], target[target != 0]
        alone = model.results(source[None], target[None], [weights, "output"])
        assert np.allclose(together["output"][row, : len(target)], alone["output"][0], atol=1e-5)
        cross = together[weights][row, :, : len(target)]
        assert np.allclose(cross[..., : len(source)], alone[weights][0], atol=1e-5)
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
            expected = model.logits(SOURCE[source : source + 1], np.array([target], np.int32))[0, -1]
            assert np.allclose(logits[row, beam], expected, atol=1e-5)


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_a_translation_outgrows_its_cache_and_the_longest_source(positions: PositionalEncoding) -> None:
    config = TINY.replace(max_target_length=40, positional_encoding=positions)
    model, target = InferenceModel(config, random_weights(config)), np.full((1, 40), 4, np.int32)
    decoder = DecoderState(model, SOURCE[:1])
    logits = [decoder.step(target[:, n : n + 1])[0, 0] for n in range(40)]
    assert np.allclose(logits, model.logits(SOURCE[:1], target)[0], atol=1e-4)


def test_open_gates_change_nothing_and_closed_ones_leave_the_bias(model: InferenceModel) -> None:
    layers = range(model.config.num_layers)
    names = [f"{sublayer_path(kind, layer)}/heads" for kind in ATTENTION_KINDS for layer in layers]
    opened = model.logits(SOURCE, TARGET, dict.fromkeys(names, partial(np.multiply, np.float32(1))))
    assert np.array_equal(opened, model.logits(SOURCE, TARGET))
    closed = dict.fromkeys(names[-len(layers) :], partial(np.multiply, np.float32(0)))  # cross-attention
    other_source = model.logits(SOURCE[::-1].copy(), TARGET, closed)
    assert np.array_equal(model.logits(SOURCE, TARGET, closed), other_source)  # nothing of the source is left


def test_changes_hold_in_steps_too(model: InferenceModel) -> None:
    gates = np.array([0.0, 1.0], np.float32)[:, None, None]
    changes = {f"{sublayer_path(kind, 0)}/heads": partial(np.multiply, gates) for kind in ATTENTION_KINDS}
    decoder = DecoderState(model, SOURCE[1:2], changes=changes)
    logits = [decoder.step(TARGET[1:2, n : n + 1])[0, 0] for n in range(4)]
    assert np.allclose(logits, model.logits(SOURCE[1:2], TARGET[1:2], changes)[0], atol=1e-5)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_all_states_of_another_run_are_that_run(model: InferenceModel, side: Side) -> None:
    ids = SOURCE[1:2], TARGET[1:2]
    others = ids[0][:, ::-1].copy(), np.array([[2, 5, 4, 6]], np.int32)
    names = state_names(side, model.config)
    theirs = model.results(*others, names)
    changes = {name: lambda value, other=other: other for name, other in theirs.items()}
    patched = model.results(*ids, [*names, "output"], changes)
    for name in names:
        assert np.array_equal(patched[name], theirs[name])
    if side == "encoder":
        assert np.allclose(patched["output"], model.logits(others[0], ids[1]), atol=1e-5)
