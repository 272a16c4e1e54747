import math
from itertools import islice

import numpy as np
import pytest

from core.config import DecodingConfig
from core.errors import InputError
from core.evaluation import EvaluationRun, score, sentence_bleu
from core.inference import translator as inference
from core.inference.search import log_softmax
from core.inference.translator import Translator
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.records.text import Pair
from core.tokens.vocabulary import END_ID
from tests.conftest import subword_checkpoint

SUBWORD_PAIRS = [
    Pair("a casa azul é grande .", "the blue house is big ."),
    Pair("casas", "i 've a house ."),
    Pair("é a casa ?", "is the house big ?"),
] * 3


def finish(run: EvaluationRun) -> EvaluationRun:
    for _ in run.steps():
        pass
    return run


def log_probability(translator: Translator, pair: Pair) -> float:
    """Return log P(target | source) in nats, end included, from one teacher-forced pass over a single pair."""
    tokenizer = translator.target_tokenizer
    ids = [*tokenizer.encode(pair.target), END_ID]
    read = ForcedPair.of_ids(translator, translator.source_tokenizer.encode(pair.source), ids)
    logits = Tracer(translator).results(read, ["output"])["output"]
    return float(log_softmax(logits)[0, np.arange(len(ids)), ids].sum())


def test_the_loss_of_padded_batches_is_that_of_each_pair_alone() -> None:
    checkpoint = subword_checkpoint()
    pairs = SUBWORD_PAIRS * 3  # some more than are computed together
    result = finish(EvaluationRun(checkpoint.translator(), pairs, DecodingConfig())).result()
    translator = checkpoint.translator()
    total = -3 * sum(log_probability(translator, pair) for pair in SUBWORD_PAIRS)
    tokens = sum(len(checkpoint.target_tokenizer.encode(pair.target)) + 1 for pair in pairs)
    assert result.loss == pytest.approx(total / tokens, rel=1e-4)
    assert result.perplexity == pytest.approx(math.exp(result.loss))


@pytest.mark.parametrize("decoding", [DecodingConfig(), DecodingConfig(beam_size=3)])
def test_translations_are_those_of_the_translator(decoding: DecodingConfig) -> None:
    """Without the full stop that the app would add: it measures the model as it is."""
    checkpoint = subword_checkpoint(needs_full_stop=True)
    run = finish(EvaluationRun(checkpoint.translator(), SUBWORD_PAIRS, decoding))
    found = checkpoint.translator().translate([pair.source for pair in SUBWORD_PAIRS], decoding)
    sentences = [run.sentences[row] for row in range(len(SUBWORD_PAIRS))]
    assert [each.translation for each in sentences] == [each.text for each in found]
    assert sentences[1].normalized_reference == "i ' ve a house ."
    written = sum(len(each.best.tokens) for each in found)
    assert run.result().length_ratio == written / (3 * (6 + 6 + 5))


@pytest.mark.slow
def test_ended_early_it_shows_what_is_done_and_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "MAX_BATCH_ROWS", 16)
    pairs = [*SUBWORD_PAIRS * 8, *(Pair("casa " * n, "house " * n) for n in (5, 12, 20, 40))]
    run = EvaluationRun(subword_checkpoint().translator(), pairs, DecodingConfig())
    with pytest.raises(InputError):
        run.result()
    (first,) = islice(run.steps(), 1)
    assert 0 < first == run.done == run.result().pairs < run.total == 76
    whole = finish(run).result()
    other = finish(EvaluationRun(subword_checkpoint().translator(), pairs, DecodingConfig())).result()
    assert (whole.pairs, whole.detokenized, whole.accuracy) == (76, other.detokenized, other.accuracy)
    assert np.isclose(whole.loss, other.loss)


def test_half_of_it_is_a_fair_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped evaluation has not seen only short sentences, although batches hold sentences of similar length.

    A step is a few batches however many cores there are: between two, other visitors have their turn.
    """
    monkeypatch.setattr("core.evaluation.num_cores", lambda: 32)
    monkeypatch.setattr(inference, "MAX_BATCH_ROWS", 4)
    pairs = [Pair("casa " * length, "house") for length in range(1, 16) for _ in range(8)]
    run = EvaluationRun(subword_checkpoint().translator(), pairs, DecodingConfig())
    done = list(run.steps())
    assert done[0] <= 4 * 4
    half = next(number for number in done if number >= run.total / 2)
    lengths = [len(each.source.split()) for each in list(run.sentences.values())[:half]]
    assert min(lengths) <= 5 and max(lengths) >= 11  # the shorter half ends at 8


def test_pairs_the_model_cannot_read_are_left_out() -> None:
    unread = [Pair("", "big"), Pair("a", ""), Pair("casa " * 100, "big"), Pair("a", "big " * 64)]
    run = finish(
        EvaluationRun(subword_checkpoint().translator(), [*SUBWORD_PAIRS, *unread], DecodingConfig())
    )
    assert (run.result().pairs, run.result().left_out) == (9, 4)
    with pytest.raises(InputError):
        EvaluationRun(subword_checkpoint().translator(), unread, DecodingConfig())


def test_only_the_detokenized_score_cuts_words_itself() -> None:
    hypothesis, reference = ["so the cat sat on the mat."], ["so the cat sat on the mat ."]
    assert score(hypothesis, reference).bleu == pytest.approx(100)
    assert score(hypothesis, reference, "none").bleu < 90


def test_sentences_without_spaces_are_scored_by_their_characters() -> None:
    """As one word each, they could only be all right or all wrong, and BLEU of four words would be 0 for both."""
    right, wrong = ["あなたは本を見ます", "私は猫を買います"], ["あなたは本を買います", "私は猫を買います"]
    assert score(right, right).bleu == pytest.approx(100)
    assert 50 < score(wrong, right).bleu < 100
    assert 50 < sentence_bleu(wrong[0], right[0]) < 100


def test_a_sentence_of_two_words_can_score_100() -> None:
    assert sentence_bleu("thank you", "Thank you") == pytest.approx(100)
    assert sentence_bleu("", "Thank you") == 0
