from collections.abc import Sequence
from typing import Any

import pytest

from core.corpora.toy import PAIRS
from core.inference.texts import MAX_CHARACTERS, MAX_SENTENCES, TextRun
from core.inference.translator import TranslationError, Translator, has_words
from core.records.text import Translation
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from tests.conftest import SUBWORD_PIECES, subword_checkpoint


def test_texts_are_translated_sentence_by_sentence(translator: Translator) -> None:
    first, second, third = (pair for pair in PAIRS[:3])
    texts = [f"{first.source}. {second.source}!", "  ", third.source]
    found = TextRun(translator, texts).finish()
    assert [text.text for text in found] == [f"{first.target} {second.target}", "", third.target]
    assert [len(text.sentences) for text in found] == [2, 0, 1]
    assert [text.source for text in found] == texts


@pytest.mark.parametrize(
    "text",
    [
        "casa " * 300,
        "a casa, azul; " * 200,
        "casa " * 20 + "casas" * 60 + "a%" * 200 + " casa" * 20,
    ],
)
def test_a_sentence_without_end_is_cut_where_the_model_can_read_it(text: str) -> None:
    translator = subword_checkpoint().translator()
    (found,) = TextRun(translator, [text]).finish()
    assert len(found.sentences) >= 1
    read = "".join(sentence.source for sentence in found.sentences)
    assert "".join(read.split()) == "".join(text.split())
    lengths = [len(sentence.source_tokens) for sentence in found.sentences]
    assert max(lengths) <= 64
    assert len(lengths) <= 1 + 2 * sum(lengths) // 64  # as many together as fit


def test_text_without_words_and_too_much_of_it(translator: Translator) -> None:
    with pytest.raises(TranslationError, match="There are no words to translate"):
        TextRun(translator, ["merci", "bonjour", "?!"])
    # A model that knows punctuation would repeat it, and make something of what it does not know.
    subwords = subword_checkpoint().translator()
    for text in ("???", "...", "😀", "« 😀! »", "$", "€", "\u0301", "\u3164\n???"):
        with pytest.raises(TranslationError, match="There are no words to translate"):
            TextRun(subwords, [text])
    (found,) = TextRun(subwords, ["casa. ??? 😀 Azul."]).finish()
    assert [sentence.source for sentence in found.sentences] == ["casa.", "😀 Azul."]
    (found,) = TextRun(subwords, ["casa " + "😀 " * 150]).finish()
    assert all("casa" in sentence.source for sentence in found.sentences)
    with pytest.raises(TranslationError, match=r"The text has 100,001 characters; at most 100,000"):
        TextRun(translator, ["x" * (MAX_CHARACTERS + 1)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("♪", False), ("☂", False), ("«»", False), ("½", True), ("5\ufe0f\u20e3", True), ("Привет", True)],
)
def test_signs_are_no_words_though_the_model_knows_them(text: str, expected: bool) -> None:
    vocabulary = Vocabulary.from_tokens([*SUBWORD_PIECES, "♪", "«", "»"], start_and_end=True)
    assert has_words(SubwordTokenizer(vocabulary), text) is expected


WORDS = [word for pair in PAIRS for word in pair.source.split()]
TEXTS = ["! ".join(pair.source for pair in PAIRS), " ", *(f"{word} {word}" for word in dict.fromkeys(WORDS))]


def test_a_run_can_be_ended_after_any_batch_and_goes_on_from_there(translator: Translator) -> None:
    run = TextRun(translator, TEXTS)
    steps = run.steps()
    assert next(steps) == MAX_SENTENCES
    whole, blank, single = run.result()
    assert (len(whole.sentences), whole.left) == (15, 0)
    assert (blank.sentences, single.source, single.left) == ((), TEXTS[2], 0)
    assert next(steps) == 2 * MAX_SENTENCES
    assert (*steps, run.done)[-1] == run.total == 15 + len(set(WORDS))
    assert [text.text for text in run.result()] == [text.text for text in TextRun(translator, TEXTS).finish()]


def test_what_stands_there_twice_is_translated_once(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    translate = Translator.translate

    def watched(
        self: Translator, sentences: Sequence[str], *others: Any, **options: Any
    ) -> list[Translation]:
        searched.extend(sentences)
        return translate(self, sentences, *others, **options)

    monkeypatch.setattr(Translator, "translate", watched)
    run = TextRun(translator, ["merci. bonne nuit. merci.", "bonne nuit."])
    first, second = run.finish()
    assert searched == ["merci.", "bonne nuit."]
    assert (first.text, second.text) == ("thank you good night thank you", "good night")
    assert run.total == run.done == 2
    assert [run.explain(0, place).translation.source for place in range(3)] == [
        "merci.",
        "bonne nuit.",
        "merci.",
    ]


def test_a_line_keeps_its_own_problem(translator: Translator) -> None:
    found = TextRun(translator, ["merci", "?!", "", "merci"], keep_problems=True).finish()
    assert [text.text for text in found] == ["thank you", "", "", "thank you"]
    assert [bool(text.problem) for text in found] == [False, True, False, False]


def test_the_pairs_of_a_corpus_are_read_as_they_stand() -> None:
    translator = subword_checkpoint(needs_full_stop=True).translator()
    (typed,) = TextRun(translator, ["a casa. azul"]).finish()
    (unchanged,) = TextRun(translator, ["a casa. azul"], typed=False).finish()
    assert [each.source for each in typed.sentences] == ["a casa.", "azul"]
    assert [each.read for each in unchanged.sentences] == ["a casa. azul"]


def test_one_sentence_keeps_its_attention(translator: Translator) -> None:
    run = TextRun(translator, ["merci. bonne nuit. où est la gare"], explains=True)
    assert list(run.steps()) == [1, 3]
    (text,) = run.result()
    first = run.explain(0, 0)
    assert first is run.explain(0, 0)  # the search is not repeated
    assert first.translation is text.sentences[0]
    chosen = run.explain(0, 2)
    assert chosen.translation.source == "où est la gare"
    assert chosen.attention.source_tokens == chosen.translation.source_tokens
    assert [each.text for each in run.result()[0].sentences] == [each.text for each in text.sentences]


def test_a_text_that_is_too_large_to_explain_is_translated(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.inference.translator._MAX_KEPT_NUMBERS", 10)
    run = TextRun(translator, ["merci. bonne nuit."], explains=True)
    assert list(run.steps()) == [2]
    assert run.result()[0].text == "thank you good night"
    with pytest.raises(TranslationError, match="too large to show"):
        run.explain(0, 0)


def test_what_was_stopped_ends_with_the_first_text_that_is_not_whole(translator: Translator) -> None:
    done = [f"{pair.source}." for pair in PAIRS[:MAX_SENTENCES]]
    words = [f"{word} {word}." for word in dict.fromkeys(WORDS)]
    run = TextRun(translator, [*done, words[0], f"{words[1]} {words[2]}", done[0], "", words[1]])
    next(run.steps())
    assert run.done < run.total
    found = run.result()
    assert [text.source for text in found] == [*done, words[0]]
    assert all(not text.left for text in found)
