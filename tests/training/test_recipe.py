from itertools import product

import pytest

from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.errors import InputError
from core.presets import CLASSROOM, preset_for
from core.records.text import Pair
from core.tokens.subword import SubwordTokenizer
from core.training.batches import BucketedPairs
from core.training.pairs import SUBWORDS_FROM, hold_out
from core.training.recipe import TrainingCorpus, prepare_corpus_training, prepare_training
from tests.training.test_pairs import TOKENIZER

MODEL = CLASSROOM.model.replace(num_layers=1, num_heads=1, d_model=16, d_ff=16)
TRAINING = TrainingConfig(
    epochs=1, batch_tokens=64, source_tokens="subword", target_tokens="subword", vocab_size=120
)
CORPUS = TrainingCorpus(lambda: PAIRS * 4, lambda: PAIRS[:3], ("fr", "en"))


@pytest.mark.slow
def test_a_part_of_the_pairs_is_held_out() -> None:
    training = TrainingConfig(epochs=1, seed=7)
    held_out = hold_out(PAIRS, 0.2, training.seed)[1]
    prepared = prepare_training(PAIRS, MODEL, training, held_out=held_out)
    assert (len(prepared.pairs), len(prepared.held_out)) == (12, 3)
    assert sorted(prepared.pairs + prepared.held_out, key=PAIRS.index) == list(PAIRS)
    # Words that occur only in held-out pairs are in no vocabulary.
    known = set(prepared.source_tokenizer.vocabulary.tokens)
    assert not all(set(prepared.source_tokenizer.tokens(pair.source)) <= known for pair in prepared.held_out)
    assert len(prepared.validation or ()) == 3
    assert hold_out(PAIRS, 0.2, seed=7)[1] == held_out != hold_out(PAIRS, 0.2, seed=8)[1]
    bucketed = prepare_training(PAIRS, MODEL, TRAINING, held_out=held_out)
    assert isinstance(bucketed.validation, BucketedPairs)
    with pytest.raises(InputError):
        prepare_training(PAIRS, MODEL, training, held_out=PAIRS)


def test_a_thousand_pairs_are_cut_into_subwords_also_where_some_are_held_out() -> None:
    pairs = tuple(Pair(f"le chat {n}", f"the cat {n}") for n in range(SUBWORDS_FROM))
    preset = preset_for(len(pairs))
    prepared = prepare_training(pairs, preset.model, preset.training, held_out=pairs[:100])
    assert prepared.source_tokenizer.kind == prepared.target_tokenizer.kind == "subword"
    assert prepared.model.share_embeddings
    assert prepared.source_tokenizer.vocabulary.tokens == prepared.target_tokenizer.vocabulary.tokens


def test_what_is_held_out_is_nowhere_else() -> None:
    first, second = Pair("un", "one"), Pair("deux", "two")
    for share in (0.01, 0.99):
        kept, held_out = hold_out([first, second, first], share, seed=1)
        assert len(held_out) == 1 and kept and not set(kept) & set(held_out)
    with pytest.raises(InputError, match=r"2.*1"):
        hold_out([first, first], 0.5, seed=1)


def test_pairs_that_do_not_fit_are_counted_and_teach_no_words() -> None:
    pairs = (*PAIRS, Pair("zut !", "🙂"), Pair("mot " * 33, "word"))
    prepared = prepare_training(pairs, MODEL, TrainingConfig(epochs=1), held_out=(*PAIRS[:5], pairs[-1]))
    assert (len(prepared.pairs), len(prepared.held_out), prepared.left_out) == (10, 5, 2)
    assert not {"zut", "mot"} & set(prepared.source_tokenizer.vocabulary.tokens)


def test_a_vocabulary_is_learned_from_a_large_corpus_unless_it_is_there() -> None:
    said: list[str] = []
    prepared = prepare_corpus_training(CORPUS, MODEL, TRAINING, None, said.append)
    assert len(prepared.source_tokenizer.vocabulary) == prepared.model.source_vocab_size == 120
    assert prepared.pairs == PAIRS and prepared.held_out == PAIRS[:3]
    assert (len(prepared.encoded), len(prepared.validation or ())) == (60, 3)
    assert "Learning" in said[0] and prepared.left_out == 0
    source, target = prepared.source_tokenizer, prepared.target_tokenizer
    assert isinstance(source, SubwordTokenizer) and isinstance(target, SubwordTokenizer)
    said.clear()
    again = prepare_corpus_training(CORPUS, MODEL, TRAINING, (source, target), said.append, max_tokens=3)
    assert "Learning" not in said[0] and again.source_tokenizer is source
    # Pairs with more than three subwords are left out.
    assert len(again.encoded) == 60 - again.left_out < 60


def test_no_batch_of_a_large_corpus_is_longer_than_the_model_reads() -> None:
    pairs = [Pair("a " * source, "b " * target) for source, target in product(range(1, 7), repeat=2)]
    model = MODEL.replace(max_source_length=3, max_target_length=4)
    corpus = TrainingCorpus(lambda: pairs, lambda: pairs, ("fr", "en"))
    prepared = prepare_corpus_training(corpus, model, TRAINING, (TOKENIZER, TOKENIZER), lambda said: None)
    assert prepared.validation is not None
    for encoded in (prepared.encoded, prepared.validation):
        batches = [*encoded.batches(TRAINING, epoch=1)]
        assert max(batch.source.shape[1] for batch in batches) == model.max_source_length
        assert max(batch.decoder_input.shape[1] for batch in batches) == model.max_target_length
