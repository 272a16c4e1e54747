"""No text takes longer than its length explains: eight times the characters, about eight times the time."""

import contextlib
import gc
import json
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from core.corpora.anki import space_punctuation
from core.corpora.delimited import read_pairs, write_pairs
from core.evaluation import score, sentence_bleu
from core.figures.theme import escaped, shortened
from core.inference import texts as long_text
from core.records.text import Pair
from core.server.trained_model import file_name
from core.tokens.detokenizer import detokenize
from core.tokens.normalization import SubwordSettings
from core.tokens.sentences import split_sentences
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer, normalize
from pages.checkpoints import card_of
from pages.content.lesson_file import read_lesson
from pages.content.markdown import first_words, parts_of, plain, typed
from pages.translate import badges

TextFunction = Callable[[str], object]

FACTOR = 8  # between two lengths
MAX_RATIO = 16  # of the times for n and 8n characters: linear 8, n log n 11, n^1.5 23
LEAST_SECONDS = 0.004  # that the longer text must take for the ratio to mean something
MAX_LENGTH = 1 << 14  # a function that is faster than LEAST_SECONDS for it needs no ratio
SHORTEST = 32  # characters; more until they take LEAST_SECONDS
REPEATS = 25  # while the ratio is too high; the shortest times count

HOSTILE = (
    "[.", "[", "'", "''' ", "`", "`'", '"', "`` '' ", ". ", ".", "( ", "( a ) ", ") ", "i.", "i . ", "1 , ", "1:", "- ",
    "a", "a ", " ", "\n", "\n ", "\t", "a\t", "\u3000", "\u0301", "e\u0301", "\u0301\u0323", "\u0f73", "😀", "漢", "ΑΣ'",
    "n ' t ", "can not ", "can not only ", "a ' n ' ", "s ' ", "Dr. ", "?!", ": \" ", "##", "##a ", "[UNK]", "![", "](",
    "$a", "[],", '{"":',
)  # fmt: skip

PIECES = Vocabulary.from_tokens((*"abcdest'.[]()", *(f"##{c}" for c in "abcdest"), "the"), start_and_end=True)
SUBWORDS = SubwordTokenizer(PIECES)
SUBWORDS_CASED = SubwordTokenizer(PIECES, SubwordSettings(lower_case=False, split_unknown=False))
WORDS = WordTokenizer(Vocabulary.from_tokens(("the", "a"), start_and_end=True))
# All that cutting a text asks of one.
TRANSLATOR: Any = SimpleNamespace(source_tokenizer=SUBWORDS, config=SimpleNamespace(max_source_length=64))


def unless_refused(function: TextFunction) -> TextFunction:
    """Most of these texts are no files of pairs, and no references."""

    def call(text: str) -> None:
        with contextlib.suppress(ValueError):
            function(text)

    return call


FUNCTIONS: dict[str, TextFunction] = {
    "detokenize en": detokenize,
    "detokenize fr": lambda text: detokenize(text, "fr"),
    "detokenize pt": lambda text: detokenize(text, "pt"),
    "words": normalize,
    "words learned": lambda text: WordTokenizer.fit([text], start_and_end=True),
    "word ids": lambda text: WORDS.decode(WORDS.encode(text)),
    "pieces": lambda text: SUBWORDS.decode_words(SUBWORDS.encode(text)),
    "pieces with capitals": lambda text: SUBWORDS_CASED.encode(text),
    "one piece after the other": lambda text: SUBWORDS.decode_words([PIECES.id_of("##a")] * len(text)),
    "vocabulary": lambda text: Vocabulary(["[PAD]", "[UNK]", *set(text.split())]),
    "sentences": split_sentences,
    "sentences cut": lambda text: list(long_text._pieces(text, TRANSLATOR)),
    "BLEU of a sentence": lambda text: sentence_bleu(text, text + "."),
    "BLEU": unless_refused(lambda text: score([text], [text + "."])),
    "normalized BLEU": unless_refused(lambda text: score([text], [text + "."], "none")),
    "tabs": unless_refused(lambda text: read_pairs(f"a\t{text}".encode())),
    "tabs of UTF-16": unless_refused(lambda text: read_pairs(f"a\t{text}".encode("utf-16"))),
    "commas": unless_refused(lambda text: read_pairs(f"source,target\n{text}".encode())),
    "quoted": unless_refused(lambda text: read_pairs(f'a,"{text}'.encode())),
    "Windows": unless_refused(lambda text: read_pairs(b"\xe9t\xe9\t" + text.encode("cp1252", "replace"))),
    "written": lambda text: write_pairs([Pair(text, text)]),
    "anki": space_punctuation,
    "Markdown": plain,
    "Markdown in parts": parts_of,
    "Markdown that is typed": typed,
    "a lesson": unless_refused(lambda text: read_lesson(text.encode())),
    "a lesson's task": unless_refused(
        lambda text: read_lesson(json.dumps({"steps": [{"task": text}]}).encode())
    ),
    "badges": lambda text: badges([text], [1], [True]),
    "file name": file_name,
    "beginnings": lambda text: (first_words(text), shortened(text)),
    "labels": escaped,
    "card": lambda text: card_of(SimpleNamespace(card=text, shipped=False)),  # type: ignore[arg-type]
}


@pytest.fixture(autouse=True)
def without_garbage_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def seconds(function: TextFunction, part: str, length: int) -> float:
    """Return the CPU time, which other processes do not lengthen, for a text of one repeated part."""
    text = (part * length)[:length]
    start = time.process_time()
    function(text)
    return time.process_time() - start


def is_slow(function: TextFunction, part: str) -> bool:
    """Return whether a function's time grows faster than its text."""
    length = FACTOR * SHORTEST
    short, long = seconds(function, part, SHORTEST), seconds(function, part, length)
    while long < LEAST_SECONDS and length < MAX_LENGTH:
        length, short = FACTOR * length, long
        long = seconds(function, part, length)
    for _ in range(REPEATS):
        if long < LEAST_SECONDS or long <= MAX_RATIO * short:
            return False
        short = min(short, seconds(function, part, length // FACTOR))
        long = min(long, seconds(function, part, length))
    return True


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_grows_with_the_length_alone(name: str) -> None:
    FUNCTIONS[name]("a" * SHORTEST)  # what is made once
    assert [part for part in HOSTILE if is_slow(FUNCTIONS[name], part)] == []
