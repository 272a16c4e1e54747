"""The lenses against the model's own output, and against sublayers applied by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.decoding.translator import Translator
from core.interpretability.changes import Ids
from core.interpretability.lens import decoder_lens, logit_lens
from core.interpretability.teacher_forcing import ForcedPair
from core.interpretability.tracer import Tracer
from core.model.transformer import Transformer
from core.pipeline import PreparedPairs
from tests.conftest import TINY, random_weights


def test_the_last_layer_s_lens_is_the_model_s_output(tracer: Tracer, pair: ForcedPair) -> None:
    logits = tracer.trace(pair.source[None], pair.decoder_input[None]).logits[0]
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    for lens in (logit_lens(tracer, pair), decoder_lens(tracer, pair)):
        assert np.allclose(lens.probability[-1], probabilities.max(axis=-1), atol=1e-5)
        assert lens.tokens[-1] == pair.predicted_tokens  # greedy
        assert (lens.final_rank[-1] == 1).all()
        assert np.allclose(lens.final_probability[-1], lens.probability[-1])


@pytest.mark.slow
@pytest.mark.parametrize("is_pre", [False, True])
def test_each_layer_as_if_it_were_the_last(toy: PreparedPairs, is_pre: bool) -> None:
    """By hand: the stack's final norm and the projection of each state; the decoder run on each state's memory."""
    config = TINY.replace(
        source_vocab_size=len(toy.source_tokenizer.vocabulary),
        target_vocab_size=len(toy.target_tokenizer.vocabulary),
        norm="pre" if is_pre else "post",
    )
    weights = random_weights(config)
    tracer = Tracer(Translator(config, weights, toy.source_tokenizer, toy.target_tokenizer))
    pair = ForcedPair.of_texts(tracer.translator, "bonne nuit", "good night")
    model = Transformer(config)
    model.assign_weights(weights)
    trace = model.trace(pair.source[None], pair.decoder_input[None])
    lens = logit_lens(tracer, pair)
    for place in range(config.num_layers + 1):
        logits = model._logits(model.decoder.final(trace.decoder_hidden[:, place])).numpy()[0]
        _check(lens.final_probability[place], lens.final_rank[place], logits, pair.predicted)
    lens = decoder_lens(tracer, pair)
    for place in range(config.num_layers + 1):
        memory = model.encoder.final(trace.encoder_hidden[:, place])
        logits = _decoded(model, memory, pair)
        _check(lens.final_probability[place], lens.final_rank[place], logits, pair.predicted)


def _decoded(model: Transformer, memory: np.ndarray, pair: ForcedPair) -> np.ndarray:
    import tensorflow as tf

    from core.model.attention import look_ahead_mask
    from core.model.decoder import DecoderMasks

    masks = DecoderMasks(target=look_ahead_mask(len(pair.predicted)), source=tf.ones((1, 1, 1, 2), tf.bool))
    embedded = model.target_embedding(pair.decoder_input[None])
    output = model.decoder(embedded, model.decoder.source_keys_values(memory), masks).output
    logits: np.ndarray = model._logits(output).numpy()[0]
    return logits


def _check(probability: np.ndarray, rank: np.ndarray, logits: np.ndarray, predicted: Ids) -> None:
    for t, token in enumerate(predicted):
        expected = np.exp(logits[t]) / np.exp(logits[t]).sum()
        assert probability[t] == pytest.approx(expected[token], abs=1e-5)
        assert rank[t] == 1 + sorted(-expected).index(-expected[token])


def test_since_when_a_word_is_known(tracer: Tracer, pair: ForcedPair) -> None:
    lens = logit_lens(tracer, pair)
    for t, since in enumerate(lens.known_since):
        right = [row[t] == 1 for row in lens.final_rank]
        assert since is not None
        assert all(right[since:])
        assert since == 0 or not right[since - 1]


def test_portions_change_nothing(tracer: Tracer, pair: ForcedPair, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = decoder_lens(tracer, pair)
    monkeypatch.setattr("core.interpretability.teacher_forcing.MAX_NUMBERS", 1)
    assert np.allclose(decoder_lens(tracer, pair).probability, whole.probability, atol=1e-6)


def test_one_token(tracer: Tracer) -> None:
    pair = ForcedPair.of_texts(tracer.translator, "merci", "thanks")
    assert logit_lens(tracer, pair).final_rank.shape == (tracer.config.num_layers + 1, 2)
