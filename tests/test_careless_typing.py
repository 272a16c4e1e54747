from __future__ import annotations

import numpy as np
import pytest

from core.careless_typing import (
    EMOJI,
    FINAL_MARKS,
    Carelessness,
    CarelessPairs,
    CarelessTyping,
    Spellings,
    count_final_marks,
    typed_carelessly,
    with_slip,
    without_accents,
)
from core.config import TrainingConfig
from core.pipeline import RaggedIds
from core.records import Pair
from core.subword_pairs import SubwordDropout, encode_subwords, prepare_subwords
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from tests.conftest import TINY

LETTERS = "abcdefghijklmnopqrstuvwxyzáéãç.!?,"
TOKENIZER = SubwordTokenizer(
    Vocabulary.from_tokens([*LETTERS, *(f"##{letter}" for letter in LETTERS)], start_and_end=True)
)
START, END = TOKENIZER.vocabulary.start_id, TOKENIZER.vocabulary.end_id
PAIRS = [
    Pair("está amanhã frio.", "will be cold tomorrow."),
    Pair("quem és?!", "who is that?!"),
    Pair("sem ponto", "without stop"),
    Pair("!", "..."),
    Pair("uma frase muito longa com mais de oito palavras dentro dela.", "a long one."),
] * 200
RATE = 0.4


def careless_pairs(rate: float = RATE, dropout: SubwordDropout | None = None) -> CarelessPairs:
    pairs = encode_subwords(PAIRS, TOKENIZER, TOKENIZER, 100, 100, dropout, Carelessness(rate, seed=1)).pairs
    assert isinstance(pairs, CarelessPairs)
    return pairs


def texts(sentences: RaggedIds) -> list[str]:
    unknown = TOKENIZER.vocabulary.unknown_id
    rows = [row.tolist() for row in sentences.rows(np.arange(len(sentences.ends)))]
    return [
        TOKENIZER.decode_words([id_ for id_ in row if id_ != unknown]) + EMOJI * (unknown in row)
        for row in rows
    ]


def epoch(pairs: CarelessPairs, number: int) -> list[tuple[str, str]]:
    source, target = pairs.drawn(np.random.default_rng((7, number)))
    for row in target.rows(np.arange(len(target.ends))):
        assert (row[0], row[-1]) == (START, END)
        assert START not in row[1:] and END not in row[:-1]
    return list(zip(texts(source), texts(target), strict=True))


def test_an_epoch_is_drawn_from_seed_and_number_alone() -> None:
    pairs = careless_pairs()
    assert epoch(pairs, 1) == epoch(pairs, 1) == epoch(careless_pairs(), 1) != epoch(pairs, 2)
    training = TrainingConfig(batch_tokens=256, seed=5)
    first, again = ([batch.source.tolist() for batch in pairs.batches(training, 3)] for _ in range(2))
    assert first == again
    assert len(first) == pairs.steps_per_epoch(training)
    assert sum(map(len, first)) == len(PAIRS)


def test_final_marks_go_on_both_sides_of_the_share_asked_for() -> None:
    drawn = epoch(careless_pairs(), 1)
    for pair, (source, target) in zip(PAIRS, drawn, strict=True):
        source = source.removesuffix(EMOJI).strip()
        assert source and target  # never empty, not even where a side is nothing but marks
        if pair.source[-1] not in FINAL_MARKS or pair.source in FINAL_MARKS:
            continue
        assert (source[-1] in FINAL_MARKS) == (target[-1] in FINAL_MARKS)
        assert (target.split("?")[0].strip() and "? !" not in source) or source.endswith("? !")
    bare = sum(target == "a long one" for _, target in drawn[4::5])  # which no other sentence follows
    assert bare / 200 == pytest.approx(RATE, abs=0.1)
    assert "!" in {source.removesuffix(EMOJI).strip() for source, _ in drawn[3::5]}


def test_accents_slips_and_emoji_are_the_sources_alone() -> None:
    drawn = epoch(careless_pairs(), 1)
    first = drawn[0::5]
    sources = [source for source, _ in first]
    assert sum(source.startswith("esta amanha frio") for source in sources) / 200 == pytest.approx(
        0.2, abs=0.08
    )
    assert sum(source.endswith(EMOJI) for source in sources) / 200 == pytest.approx(0.05, abs=0.04)
    assert {target.removesuffix(" .") for _, target in first if len(target.split()) < 6} == {
        "will be cold tomorrow"
    }


def test_a_slip_is_in_a_word_long_enough_for_one() -> None:
    pairs, typed = careless_pairs(), []
    for number in range(1, 6):
        typed += [source.replace(EMOJI, "").split()[:2] for source, _ in epoch(pairs, number)[1::5]]
    known = {"quem", "és", "es"}
    slipped = [words for words in typed if not known.issuperset(words)]
    assert len(slipped) / len(typed) == pytest.approx(RATE / 2, abs=0.04)  # not "és", "?" or "!"
    assert all(words[1] in known for words in slipped)
    assert 2 < len({words[0] for words in slipped}) <= 4  # its forms


def test_a_sentence_has_at_most_one_slip_and_its_own() -> None:
    """Sentences of words 0 and 2, which have a misspelled form, and 1 and 3, which have none."""
    source = RaggedIds.from_sequences([[0, 1, 3], [1, 3], [2], [1, 2, 0]])
    misspelled = np.array([[4], [1], [5], [3]], np.int32)
    nothing = np.zeros(4, np.int64)
    typing = CarelessTyping(RATE, nothing, nothing, Spellings(np.arange(4, dtype=np.int32), misspelled, 6))
    random = np.random.default_rng(0)
    drawn = {tuple(typing._slip_places(source, np.ones(4, bool), random).tolist()) for _ in range(50)}
    assert drawn == {(0, 5, 7), (0, 5, 8)}
    chosen = np.array([False, True, True, False])
    assert typing._slip_places(source, chosen, random).tolist() == [5]


def test_short_sentences_go_on_with_another_and_long_ones_do_not() -> None:
    drawn = epoch(careless_pairs(0.8), 1)
    joined = [(source, target) for source, target in drawn[2::5] if target != "without stop"]
    assert len(joined) / 200 == pytest.approx(0.4, abs=0.1)
    followed_by = {target.removeprefix("without stop ") for _, target in joined}
    assert followed_by == {"without stop", "will be cold tomorrow", "who is that", ". . ."}
    assert all(source.split()[2:] for source, _ in joined)
    sources = [source for source, target in joined if target.endswith("who is that")]
    assert sources and all(source.removesuffix(EMOJI)[-2:] in ("és", "es") for source in sources)
    assert all(target.removesuffix(" .") == "a long one" for _, target in drawn[4::5])


def test_subword_dropout_cuts_careless_words_too() -> None:
    plain, cut = careless_pairs(), careless_pairs(dropout=SubwordDropout(0.5, seed=3))
    assert epoch(plain, 1)[:1] and len(epoch(cut, 1)) == len(PAIRS)
    assert np.array_equal(plain.source.lengths, cut.source.lengths)  # batches are made by the plain pairs


def test_no_carelessness_is_no_change_and_a_share_brings_the_glossary() -> None:
    config = TINY.replace(max_source_length=64, max_target_length=64)
    sizes = []
    for rate in (0.0, RATE):
        training = TrainingConfig(careless_typing=rate)
        prepared, _ = prepare_subwords(lambda: iter(PAIRS), config, training, (TOKENIZER, TOKENIZER))
        assert isinstance(prepared.encoded, CarelessPairs) == (rate > 0)
        sizes.append(len(prepared.encoded))
    assert sizes[0] == len(PAIRS) < sizes[1]


def test_final_marks_are_counted_where_something_is_before_them() -> None:
    words = ["a", ".", "!", ","]
    assert count_final_marks([[0], [0, 1], [0, 1, 2], [1, 0], [1, 2], [0, 1, 3]], words).tolist() == [
        0, 1, 2, 0, 0, 0,
    ]  # fmt: skip


def test_words_lose_accents_and_get_slips() -> None:
    assert [without_accents(word) for word in ("está", "çã", "the")] == ["esta", "ca", "the"]
    random = np.random.default_rng(0)
    assert {with_slip("abcd", random) for _ in range(200)} == {
        "acbd", "acd", "abbcd", "abdc", "abd", "abccd",
    }  # fmt: skip
    assert [with_slip(word, random) for word in ("abc", "12345", "!")] == ["abc", "12345", "!"]


def test_one_pair_as_text_is_typed_as_often_as_the_settings_say() -> None:
    pair = Pair("está amanhã frio . ", "will be cold tomorrow .")
    still = np.random.default_rng(0)
    assert typed_carelessly(pair, 0.0, still) == Pair(pair.source.rstrip(), pair.target)
    random = np.random.default_rng(1)
    typed = [typed_carelessly(pair, RATE, random) for _ in range(2000)]
    bare = [each for each in typed if not each.target.endswith(".")]
    assert len(bare) / len(typed) == pytest.approx(RATE, abs=0.05)
    for each in typed:  # on both sides or on neither; the translation is written well
        assert each.source.endswith(".") == each.target.endswith(".")
        assert each.target in (pair.target, pair.target.rstrip(" ."))
    plain = [each for each in typed if each.source.startswith("esta amanha")]
    slipped = [
        each for each in typed if each.source.rstrip(" .") not in ("está amanhã frio", "esta amanha frio")
    ]
    for some in (plain, slipped):
        assert len(some) / len(typed) == pytest.approx(RATE / 2, abs=0.1)
    assert typed_carelessly(Pair("!", "..."), 0.999, random) == Pair("!", "...")
