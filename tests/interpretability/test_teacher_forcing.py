"""The model run over a finished translation, with changes: lenses, states of another sentence, pads without a mask."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from core.arrays import Bools
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.toy import PAIRS
from core.inference.model import (
    Changes,
    InferenceModel,
    attention_weight_names,
    attention_weights,
    state_names,
)
from core.inference.translator import TranslationError, Translator
from core.interpretability.heads import all_heads, without_heads
from core.interpretability.lens import LensKind, depth_lens
from core.interpretability.padding import padding_comparison
from core.interpretability.patching import MINIMAL_PAIRS, _one_at_a_time, pairs_of_examples, patching_map
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.tokens.vocabulary import PAD_ID
from core.training.recipe import PreparedTraining
from tests.conftest import TINY, random_weights
from tests.interpretability.conftest import log_probabilities, pair_of


@pytest.mark.parametrize("max_numbers", [1, 3000, 8_000_000])
def test_a_batch_of_changes_is_each_alone(
    tracer: Tracer, pair: ForcedPair, max_numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row for each head that is off, for each source token that is hidden, and for each state that is replaced."""
    monkeypatch.setattr("core.interpretability.teacher_forcing.MAX_NUMBERS", max_numbers)
    heads = all_heads(tracer.config)
    states = state_names("encoder", tracer.config)
    zeros = {name: 0 * value for name, value in tracer.results(pair, states).items()}
    rows = len(states) * len(pair.source)
    seen = ~np.eye(len(pair.source), dtype=bool)[:, None, None]
    cases: list[tuple[int, Callable[[slice], Changes], Bools | None]] = [
        (len(heads), lambda rows: without_heads(tracer.config, [{head} for head in heads[rows]]), None),
        (len(seen), lambda rows: {}, seen),
        (rows, partial(_one_at_a_time, zeros), None),
    ]
    for number, changes, mask in cases:
        found = tracer.log_probabilities(pair, number, changes, mask)
        assert len(found) == number
        last = slice(number - 1, number)
        of_last = changes(last)
        alone = tracer.log_probabilities(
            pair, 1, partial(lambda known, _: known, of_last), None if mask is None else mask[last]
        )
        assert np.allclose(found[-1], alone[0], atol=1e-5)
        assert np.abs(found[-1] - found[0]).max() > 1e-4


def test_the_last_layer_s_lens_is_the_model_s_output(tracer: Tracer, pair: ForcedPair) -> None:
    for lens in (depth_lens(tracer, pair, "decoder"), depth_lens(tracer, pair, "encoder")):
        assert np.allclose(np.log(lens.final_probability[-1]), log_probabilities(tracer, pair), atol=1e-4)
        assert lens.tokens[-1] == pair.predicted_tokens  # greedy
        assert (lens.final_rank[-1] == 1).all()
        for t, since in enumerate(lens.known_since):
            right = [row[t] == 1 for row in lens.final_rank]
            assert since is not None
            assert all(right[since:])
            assert since == 0 or not right[since - 1]


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_a_layer_s_lens_is_a_model_whose_later_layers_do_nothing(
    toy: PreparedTraining, stack: LensKind
) -> None:
    """A pre-norm layer whose sublayers add 0 passes its input on."""
    config = TINY.replace(
        source_vocab_size=len(toy.source_tokenizer.vocabulary),
        target_vocab_size=len(toy.target_tokenizer.vocabulary),
        norm="pre",
    )
    weights = random_weights(config)
    tracer = Tracer(Translator(config, weights, toy.source_tokenizer, toy.target_tokenizer))
    pair = pair_of(tracer.translator, "bonne nuit", "good night")
    lens = depth_lens(tracer, pair, stack)
    for place in range(config.num_layers + 1):
        later = tuple(f"{stack}/layer_{layer}/" for layer in range(place, config.num_layers))
        last = ("output/kernel", "output/bias", "outer/kernel", "outer/bias")
        silenced = {
            name: array * np.float32(not (name.startswith(later) and name.endswith(last)))
            for name, array in weights.items()
        }
        logits = InferenceModel(config, silenced).logits(pair.source[None], pair.decoder_input[None])[0]
        for t, token in enumerate(pair.predicted):
            expected = np.exp(logits[t]) / np.exp(logits[t]).sum()
            assert lens.final_probability[place, t] == pytest.approx(expected[token], abs=1e-5)
            assert lens.final_rank[place, t] == 1 + sorted(-expected).index(-expected[token])


def test_all_of_a_difference_is_in_the_embedding_of_the_word(tracer: Tracer, translator: Translator) -> None:
    translations = translator.translate(["j aime apprendre", "j aime tensorflow"])
    first, second = (ForcedPair.of_translation(translator, each) for each in translations)
    found = patching_map(tracer, first, second)
    assert found.encoder[0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-3)  # the last word differs
    assert found.decoder[0] == pytest.approx(0, abs=1e-3)  # both read the same prefix
    assert found.decoder[-1, -1] == pytest.approx(1, abs=1e-3)  # that state alone makes the word
    with pytest.raises(TranslationError, match="translates both sentences alike"):
        patching_map(tracer, first, first)
    longer = pair_of(translator, "j aime apprendre merci", "i like learning")
    with pytest.raises(TranslationError, match="same number of tokens; these have 3 and 4"):
        patching_map(tracer, first, longer)


@pytest.mark.slow
@pytest.mark.parametrize(("language", "name"), [("pt", "ted_pt_en"), ("en", "anki_en_fr"), ("", None)])
def test_models_translate_minimal_pairs_differently(
    translator: Translator, language: str, name: str | None
) -> None:
    """The shipped models, and the classroom's."""
    model = Checkpoint.load(shipped_checkpoints()[name]).translator() if name else translator
    own = pairs_of_examples(model.source_tokenizer, PAIRS)
    pairs = list(own if name is None else MINIMAL_PAIRS[language])
    assert len(pairs) >= 2
    for pair in pairs:
        translations = model.translate([pair.first, pair.second], typed=True)
        found = patching_map(
            Tracer(model), *(ForcedPair.of_translation(model, each) for each in translations)
        )
        # What the decoder reads of the encoder's output brings the difference over, from one or more places.
        assert found.encoder[-1].max() > 0.5, pair


@pytest.mark.slow
def test_masked_pads_change_nothing_and_get_nothing(translator: Translator, untrained: Translator) -> None:
    for number, pair in enumerate(PAIRS):
        for each in (translator, untrained):
            found = padding_comparison(Tracer(each), pair.source, number)
            assert found.masked.change < 1e-4
            assert not np.any(found.masked.encoder_share)  # exactly 0
            assert not np.any(found.masked.cross_share)
            assert found.masked.translation == found.alone.translation


def test_unmasked_pads_are_looked_at(translator: Translator) -> None:
    tracer = Tracer(translator)
    found = padding_comparison(tracer, "je veux un café", 6)
    ids = translator.source("je veux un café").ids
    padded = ForcedPair.of_ids(translator, [*ids, *[PAD_ID] * 6], found.unmasked.ids)
    names = ["encoder", *attention_weight_names(translator.config)]
    results = tracer.results(padded, names, source_mask=np.ones((1, 1, 1, 10), bool))
    encoder, _, cross = attention_weights(results, translator.config).values()
    assert np.allclose(found.unmasked.encoder_share, encoder[:, :, :4, 4:].sum(-1).mean(-1), atol=1e-6)
    assert np.allclose(found.unmasked.cross_share, cross[..., 4:].sum(-1).mean(-1), atol=1e-6)
    alone = tracer.results(replace(padded, source=padded.source[:4]), ["encoder"])["encoder"][0]
    change = np.abs(results["encoder"][0, :4] - alone).max()
    assert found.unmasked.change == pytest.approx(change, rel=1e-4)
    for shares in (found.unmasked.encoder_share, found.unmasked.cross_share):
        assert np.shape(shares) == (2, 4)  # layers, heads
        assert ((shares > 0) & (shares < 1)).all()
    with pytest.raises(TranslationError, match="There are no words to translate"):
        padding_comparison(Tracer(translator), "🙂", 3)
    with pytest.raises(TranslationError, match="has 30 tokens, 33 with padding; this model reads at most 32"):
        padding_comparison(Tracer(translator), "je " * 30, 3)
