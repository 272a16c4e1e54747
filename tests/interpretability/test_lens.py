"""The lenses against the model's own output, and against sublayers applied by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.inference.transformer import InferenceModel
from core.inference.translator import Translator
from core.interpretability.lens import decoder_lens, logit_lens
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.training.pairs import PreparedPairs
from tests.conftest import TINY, random_weights
from tests.interpretability.conftest import pair_of


def test_the_last_layer_s_lens_is_the_model_s_output(tracer: Tracer, pair: ForcedPair) -> None:
    logits = tracer.trace(pair.source[None], pair.decoder_input[None]).logits[0]
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    for lens in (logit_lens(tracer, pair), decoder_lens(tracer, pair)):
        assert np.allclose(lens.probability[-1], probabilities.max(axis=-1), atol=1e-5)
        assert lens.tokens[-1] == pair.predicted_tokens  # greedy
        assert (lens.final_rank[-1] == 1).all()
        assert np.allclose(lens.final_probability[-1], lens.probability[-1])


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_a_layer_s_lens_is_a_model_whose_later_layers_do_nothing(toy: PreparedPairs, stack: str) -> None:
    """A pre-norm layer whose sublayers add 0 passes its input on."""
    config = TINY.replace(
        source_vocab_size=len(toy.source_tokenizer.vocabulary),
        target_vocab_size=len(toy.target_tokenizer.vocabulary),
        norm="pre",
    )
    weights = random_weights(config)
    tracer = Tracer(Translator(config, weights, toy.source_tokenizer, toy.target_tokenizer))
    pair = pair_of(tracer.translator, "bonne nuit", "good night")
    lens = logit_lens(tracer, pair) if stack == "decoder" else decoder_lens(tracer, pair)
    for place in range(config.num_layers + 1):
        later = tuple(f"{stack}/layer_{layer}/" for layer in range(place, config.num_layers))
        last = ("output/kernel", "output/bias", "outer/kernel", "outer/bias")
        silenced = {
            name: array * np.float32(not (name.startswith(later) and name.endswith(last)))
            for name, array in weights.items()
        }
        logits = InferenceModel(config, silenced).trace(pair.source[None], pair.decoder_input[None]).logits[0]
        for t, token in enumerate(pair.predicted):
            expected = np.exp(logits[t]) / np.exp(logits[t]).sum()
            assert lens.final_probability[place, t] == pytest.approx(expected[token], abs=1e-5)
            assert lens.final_rank[place, t] == 1 + sorted(-expected).index(-expected[token])


def test_since_when_a_word_is_known(tracer: Tracer, pair: ForcedPair) -> None:
    lens = logit_lens(tracer, pair)
    for t, since in enumerate(lens.known_since):
        right = [row[t] == 1 for row in lens.final_rank]
        assert since is not None
        assert all(right[since:])
        assert since == 0 or not right[since - 1]
