"""What the living picture draws is what the model computes."""

import base64
import json

import numpy as np
import pytest

from core.arrays import Floats
from core.config import ModelConfig
from core.figures.browser.living_picture import picture_data, shown_channels
from core.inference.model import (
    attention_weight_names,
    attention_weights,
    stacked,
    state_names,
    sublayer_path,
)
from core.inference.search import log_softmax
from core.inference.translator import Translator
from core.interpretability.head_numbers import head_numbers
from core.interpretability.sentence_run import MAX_TOKENS, follow
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.model.forward import recording
from core.records.analysis import SUM, HeadNumbers
from core.records.attention import ATTENTION_KINDS, AttentionKind, Head
from core.theory.model_parts import SIDES
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import TINY, VARIANTS, random_weights

HOSTILE = "</script><b>\u202e{word}"


def opened(config: ModelConfig, source: int = 5, target: int = 6) -> tuple[Tracer, ForcedPair]:
    """A model of random weights and a pair of so many tokens, one of them no word."""
    source_words = ["[PAD]", "[UNK]", HOSTILE, *(f"s{n}" for n in range(3, config.source_vocab_size))]
    target_words = [
        "[PAD]",
        "[UNK]",
        "[START]",
        "[END]",
        *(f"t{n}" for n in range(4, config.target_vocab_size)),
    ]
    reads, writes = (WordTokenizer(Vocabulary(words)) for words in (source_words, target_words))
    translator = Translator(config, random_weights(config), reads, writes)
    random = np.random.default_rng(1)
    ids = (
        random.integers(2, config.source_vocab_size, source),
        random.integers(4, config.target_vocab_size, target),
    )
    return Tracer(translator), ForcedPair.of_ids(translator, *(each.tolist() for each in ids))


@pytest.mark.parametrize("config", VARIANTS)
def test_the_levels_are_the_results_of_the_pass(config: ModelConfig) -> None:
    tracer, pair = opened(config)
    run = follow(tracer, pair)
    for side in SIDES:
        names = [*state_names(side, config), side]
        found = tracer.results(pair, names)
        levels = run.levels[side]
        assert np.allclose(levels[0] + levels[1], levels[SUM], atol=1e-6)
        places = [run.input_level(side, layer) for layer in range(config.num_layers + 1)]
        assert np.array_equal(levels[[*places, -1]], stacked(found, names))


@pytest.mark.parametrize("config", VARIANTS)
@pytest.mark.parametrize("kind", ATTENTION_KINDS)
def test_the_numbers_of_a_head_lead_to_the_weights_of_the_search(
    config: ModelConfig, kind: AttentionKind
) -> None:
    tracer, pair = opened(config)
    found = tracer.translator.explain(" ".join(token for token in pair.source_tokens if token != HOSTILE))
    own_pair = ForcedPair.of_translation(tracer.translator, found.translation)
    drawn = found.attention.of_kind(kind)
    for layer, head in np.ndindex(drawn.weights.shape[:2]):
        numbers = head_numbers(tracer, own_pair, Head(kind, layer, head))
        assert (numbers.rows, numbers.columns) == (drawn.rows, drawn.columns)
        assert np.allclose(numbers.steps.weights, drawn.weights[layer, head], atol=1e-5)
        assert (numbers.steps.weights[~numbers.mask] == 0).all()
        assert np.allclose(_queries(tracer, numbers), numbers.steps.queries, atol=1e-5)


def _queries(tracer: Tracer, numbers: HeadNumbers) -> Floats:
    """What the pass makes of the vectors that a head reads."""
    kind, layer, head = numbers.head
    path, x = sublayer_path(kind, layer), numbers.row_vectors[None]
    found: dict[str, Floats] = {}
    model = tracer.translator.model.forward.hooked(recording(found))
    if kind == "cross":
        keys_values = model.heads(path, "key_value", numbers.column_vectors[None], "keys", "values")
        model.cross_attention(path, x, keys_values, None)
    else:
        model.self_attention(path, x, None, None)
    return found[f"{path}/queries"][0, head]


def test_a_browser_gets_the_trace_rounded() -> None:
    config = TINY
    tracer, pair = opened(config)
    run = follow(tracer, pair)
    found = tracer.results(pair, [*attention_weight_names(config), "output"])
    picture = json.loads(json.dumps(picture_data(run)))
    for kind, text in picture["weights"].items():
        heads = attention_weights(found, config)[kind]
        weights = np.insert(heads, 0, heads.mean(axis=1), axis=1)
        sent = np.frombuffer(base64.b64decode(text), np.uint8).reshape(weights.shape)
        assert np.abs(sent / 255 - weights).max() <= 0.5 / 255 + 1e-6
    channels = shown_channels(config.d_model)
    for side, text in picture["levels"].items():
        shown = run.levels[side][..., channels]
        numbers = np.frombuffer(base64.b64decode(text), np.int8).reshape(shown.shape)
        assert (np.sign(numbers) * np.sign(shown) >= 0).all()
    probabilities = np.exp(log_softmax(found["output"][0]))
    for row, candidates in zip(probabilities, picture["candidates"], strict=True):
        assert [chance for _, chance in candidates] == pytest.approx(sorted(row, reverse=True)[:6], abs=5e-5)
    assert HOSTILE in picture["source"]
    assert picture["target"] == [*pair.decoder_input_tokens, pair.predicted_tokens[-1]]


@pytest.mark.parametrize(("length", "heads", "most"), [(20, 8, 200_000), (40, 8, 300_000), (40, 4, 300_000)])
def test_it_stays_small(length: int, heads: int, most: int) -> None:
    config = TINY.replace(
        num_layers=4, num_heads=heads, d_model=64, max_source_length=50, max_target_length=50
    )
    assert len(json.dumps(picture_data(follow(*opened(config, length, length))))) < most


def test_a_sentence_too_long_to_be_seen() -> None:
    config = TINY.replace(max_source_length=80)
    with pytest.raises(ValueError, match=f"up to {MAX_TOKENS} tokens.*80"):
        follow(*opened(config, 80))
