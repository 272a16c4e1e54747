from __future__ import annotations

import pytest

from core.corpora.toy import PAIRS
from core.inference.texts import MAX_CHARACTERS, MAX_SENTENCES, TextRun, translate_texts
from core.inference.translator import TranslationError, Translator, has_words
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from tests.conftest import SUBWORD_PIECES, subword_checkpoint


def test_texts_are_translated_sentence_by_sentence(translator: Translator) -> None:
    first, second, third = (pair for pair in PAIRS[:3])
    texts = [f"{first.source}. {second.source}!", "  ", third.source]
    found = translate_texts(translator, texts)
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
    (found,) = translate_texts(translator, [text])
    assert len(found.sentences) >= 1
    read = "".join(sentence.source for sentence in found.sentences)
    assert "".join(read.split()) == "".join(text.split())
    lengths = [len(sentence.source_tokens) for sentence in found.sentences]
    assert max(lengths) <= 64
    assert len(lengths) <= 1 + 2 * sum(lengths) // 64  # as many together as fit


def test_text_without_words_and_too_much_of_it(translator: Translator) -> None:
    with pytest.raises(TranslationError, match="There are no words to translate") as raised:
        translate_texts(translator, ["merci", "bonjour", "?!"])
    assert raised.value.row == 2
    # A model that knows punctuation would repeat it, and make something of what it does not know.
    subwords = subword_checkpoint().translator()
    for text in ("???", "...", "😀", "« 😀! »", "$", "€", "\u0301", "\u3164\n???"):
        with pytest.raises(TranslationError, match="There are no words to translate"):
            translate_texts(subwords, [text])
    (found,) = translate_texts(subwords, ["casa. ??? 😀 Azul."])
    assert [sentence.source for sentence in found.sentences] == ["casa.", "😀 Azul."]
    (found,) = translate_texts(subwords, ["casa " + "😀 " * 150])
    assert all("casa" in sentence.source for sentence in found.sentences)
    with pytest.raises(TranslationError, match=r"The text has 100,001 characters; at most 100,000"):
        translate_texts(translator, ["x" * (MAX_CHARACTERS + 1)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("♪", False), ("☂", False), ("«»", False), ("½", True), ("5\ufe0f\u20e3", True), ("Привет", True)],
)
def test_signs_are_no_words_though_the_model_knows_them(text: str, expected: bool) -> None:
    vocabulary = Vocabulary.from_tokens([*SUBWORD_PIECES, "♪", "«", "»"], start_and_end=True)
    assert has_words(SubwordTokenizer(vocabulary), text) is expected


TEXTS = ["! ".join(pair.source for pair in PAIRS), " ", *(pair.source for pair in PAIRS)]


def test_a_run_can_be_ended_after_any_batch_and_goes_on_from_there(translator: Translator) -> None:
    texts = [*TEXTS, "merci. " * 20]
    run = TextRun(translator, texts)
    steps = run.steps()
    assert next(steps) == MAX_SENTENCES
    whole, blank, single = run.result()
    assert (len(whole.sentences), whole.left) == (15, 0)
    assert (blank.sentences, single.source, single.left) == ((), TEXTS[2], 0)
    assert (next(steps), next(steps), run.result()[-1].left) == (32, 48, 2)
    assert list(run.steps()) == [run.total] == [run.done] == [50]
    assert [text.text for text in run.result()] == [text.text for text in translate_texts(translator, texts)]


def test_a_line_keeps_its_own_problem(translator: Translator) -> None:
    found = translate_texts(translator, ["merci", "?!", "", "merci"], keep_problems=True)
    assert [text.text for text in found] == ["thank you", "", "", "thank you"]
    assert [bool(text.problem) for text in found] == [False, True, False, False]
