"""Subwords as tokens (WordPiece): how a vocabulary of some thousands spells every word.

Wu et al. 2016, "Google's Neural Machine Translation System", section 4.1; Song et al. 2021, "Fast WordPiece
Tokenization", section 2, for the longest-match-first cut. The cut is made here in plain Python; TensorFlow is
loaded only to learn a vocabulary and to put the tokenizer into a graph, and there gives the same ids.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Self

import numpy as np

from core.normal_forms import normal_form, plain_apostrophes
from core.tokens.characters import ASCII_MARKS
from core.tokens.detokenizer import detokenize
from core.tokens.vocabulary import END, PAD, START, UNKNOWN, Vocabulary, VocabularyError
from core.zip_entry import ZIP_ERRORS, read_entry

JOINER = "##"  # begins a subword that continues a word
MAX_WORD_BYTES = 100  # of UTF-8; a longer word is one unknown token, as in tensorflow-text
MAX_VOCABULARY_BYTES = 16 * 1024 * 1024  # that a vocabulary file may unpack to

_LEARN_SLACK = 0.05  # how far above the size asked for the learner may end; the rarest subwords go
_LEARN_LINES = 1024  # texts counted at a time
_WORDS_CACHED = 1 << 16
_PART_NOT_NORMAL = 0.05  # entries that normalization changes; official vocabularies have a few


@dataclass(frozen=True)
class SubwordSettings:
    """How text is normalized before it is cut, and how tokens become text again.

    Raises:
        ValueError: a switch is not a bool, or the language no code.
    """

    lower_case: bool = True  # case folding (NFKC_Casefold); False only normalizes (NFKC)
    strip_accents: bool = False  # "é" becomes "e"
    plain_apostrophes: bool = True  # ’ as typed on a telephone becomes '
    split_unknown: bool = True  # only the unknown character of a word is unknown; False: the whole word is
    language: str = "en"  # whose rules decode() writes by, see detokenize

    def __post_init__(self) -> None:
        for field in fields(self)[:4]:
            if not isinstance(getattr(self, field.name), bool):
                raise ValueError(
                    f"{field.name} must be true or false. Received: {getattr(self, field.name)!r:.80}"
                )
        if not isinstance(self.language, str) or not re.fullmatch("[a-z]{2,4}", self.language):
            raise ValueError(f'language must be a code like "en". Received: {self.language!r:.80}')

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The reverse of `to_dict`; what is not there has its default.

        Raises:
            ValueError: a name is none of the fields, or its value is wrong.
        """
        if unknown := sorted(set(values) - {field.name for field in fields(cls)}):
            raise ValueError(f"Subword settings must not have other fields. Received: {unknown[0]!r:.80}")
        return cls(**values)


OFFICIAL = SubwordSettings(strip_accents=True, plain_apostrophes=False, split_unknown=False)
"""How the tokenizers of TensorFlow's translation tutorial normalize."""


class SubwordTokenizer:
    """Subwords with one id each, as BERT cuts them.

    Text is normalized, split at spaces, punctuation and Chinese characters; each word is then cut from the left,
    every time at the longest subword the vocabulary has.

    Args:
        vocabulary: the subwords; those that continue a word begin with ##.
        settings: how to normalize.

    Raises:
        VocabularyError: the vocabulary has no start and end, no ## subwords, or does not fit the settings.
    """

    kind = "subword"

    def __init__(self, vocabulary: Vocabulary, settings: SubwordSettings | None = None) -> None:
        self._vocabulary = vocabulary
        self.settings = settings or SubwordSettings()
        _check_vocabulary(vocabulary, self.settings)
        # A bounded cache: words repeat, and a server must not keep every word ever typed.
        self._cut_short = lru_cache(_WORDS_CACHED)(self.cut)

    @classmethod
    def learn(cls, texts: Iterable[str], vocab_size: int, settings: SubwordSettings | None = None) -> Self:
        """Learn the subwords from a corpus with tensorflow-text's `bert_vocab_from_dataset`.

        The learner ends near the size asked for; it is asked for a little more, and the rarest subwords of
        several letters go until exactly `vocab_size` entries are left. Single characters all stay, so that every
        word of the corpus can be spelled. A corpus too small for `vocab_size` gives fewer entries.

        Args:
            texts: the sentences, read once; of both languages for a vocabulary they share.
            vocab_size: how many entries, special tokens included.
            settings: how to normalize.

        Raises:
            VocabularyError: the texts have no words, or more different characters than `vocab_size` allows.
        """
        settings = settings or SubwordSettings()
        subwords = _learn_subwords(texts, vocab_size, settings)
        return cls(Vocabulary(_shorten(subwords, vocab_size)), settings)

    @classmethod
    def from_vocabulary(cls, path: Path, settings: SubwordSettings | None = None) -> Self:
        """Read a vocabulary file: one subword a line, in the order of the ids.

        Raises:
            VocabularyError: the file is missing, no text, or no WordPiece vocabulary.
        """
        if not path.is_file():
            raise VocabularyError(f"There is no vocabulary file at {path}.")
        if path.stat().st_size > MAX_VOCABULARY_BYTES:
            raise VocabularyError(f"{path.name} must have at most {MAX_VOCABULARY_BYTES // 2**20} MiB.")
        return cls(Vocabulary.load(path), settings)

    @classmethod
    def from_official_converter(cls, path: Path, language: str) -> Self:
        """One of the two tokenizers of the tutorial's "ted_hrlr_translate_pt_en_converter".

        Only assets/<language>_vocab.txt is read; nothing is extracted, and the SavedModel beside it is not run.

        Args:
            path: the zip as downloaded, or the folder it unpacks to.
            language: "pt" or "en".

        Raises:
            VocabularyError: the zip or folder is damaged or lacks the vocabulary.
        """
        settings = SubwordSettings.from_dict({**OFFICIAL.to_dict(), "language": language})
        name = f"{language}_vocab.txt"
        data = _read_asset_from_folder(path, name) if path.is_dir() else _read_asset_from_zip(path, name)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise VocabularyError(f"{name} must be UTF-8 text, one token a line.") from error
        return cls(Vocabulary.from_text(text.replace("\r\n", "\n")), settings)

    @property
    def vocabulary(self) -> Vocabulary:
        return self._vocabulary

    def words(self, text: str) -> list[str]:
        """The normalized words and punctuation marks, not yet cut into subwords."""
        return _split(_normalize(text, self.settings))

    def normalized(self, text: str) -> str:
        """The words with spaces between: what references go through before `score_normalized`."""
        return " ".join(self.words(text))

    def tokens(self, text: str) -> list[str]:
        return [subword for word in self.words(text) for subword in self._subwords_of(word)]

    def encode(self, text: str) -> list[int]:
        return [self._vocabulary.id_of(subword) for subword in self.tokens(text)]

    def decode_words(self, ids: Sequence[int]) -> str:
        """The words of the ids with spaces between, subwords joined: what `normalized` gives for text."""
        subwords: list[str] = []
        for token_id in ids:
            if self._vocabulary.is_special(token_id):
                continue
            subword = self._vocabulary.tokens[token_id]
            if subword.startswith(JOINER) and len(subword) > len(JOINER):
                subwords.append(subword.removeprefix(JOINER))
            else:
                subwords.extend((" ", subword) if subwords else (subword,))
        return "".join(subwords)

    def detokenized(self, text: str) -> str:
        return detokenize(text, self.settings.language)

    def decode(self, ids: Sequence[int]) -> str:
        return self.detokenized(self.decode_words(ids))

    def ids_of_word(self, word: str) -> list[int]:
        """The ids of one of `words`, as `encode` has them."""
        return [self._vocabulary.id_of(subword) for subword in self._subwords_of(word)]

    def sampled_ids_of_word(self, word: str, dropout: float, random: np.random.Generator) -> list[int]:
        """The ids of another cut, for a training that shall not see only one.

        At each step of the cut a subword of several letters that fits is passed over with probability
        `dropout` (Hiraoka 2022, "MaxMatch-Dropout"); 0 gives the cut `encode` makes.
        """
        subwords = self.cut(word, passed_over=lambda: random.random() < dropout)
        return [self._vocabulary.id_of(subword) for subword in subwords]

    def cut(self, word: str, passed_over: Callable[[], bool] = lambda: False) -> tuple[str, ...]:
        """The subwords of a word, each the longest that fits; those the vocabulary lacks are in the text's own letters.

        Args:
            word: one of `words`.
            passed_over: asked whether to leave out a subword of several letters that fits.
        """
        if len(word.encode()) > MAX_WORD_BYTES:
            return (word,)
        subwords = []
        start = 0
        while start < len(word):
            end = self.end_of_longest_subword(word, start, passed_over)
            if end == start and not self.settings.split_unknown:
                return (word,)
            end = max(end, start + 1)
            subwords.append(_subword(word, start, end))
            start = end
        return tuple(subwords)

    def end_of_longest_subword(self, word: str, start: int, passed_over: Callable[[], bool]) -> int:
        """Where the longest subword that begins at `start` ends; `start` itself where the vocabulary has none."""
        for end in range(len(word), start, -1):
            if _subword(word, start, end) in self._vocabulary and (end == start + 1 or not passed_over()):
                return end
        return start

    def _subwords_of(self, word: str) -> tuple[str, ...]:
        # Words that are not cut stay out of the cache: their length has no limit.
        return self._cut_short(word) if len(word) <= MAX_WORD_BYTES else (word,)


def _subword(word: str, start: int, end: int) -> str:
    return (JOINER if start else "") + word[start:end]


# Normalizing and splitting: what tensorflow-text's BasicTokenizer does, character by character.

_WHITE_SPACE = frozenset("\t\n\f\r ")
_IDEOGRAPHS = (  # Chinese characters, each a word
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_IGNORABLE = re.compile(  # Default_Ignorable_Code_Point, which case folding drops
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


class _Spacing(dict[int, str]):
    """What each character becomes: itself, a space, or itself between spaces. Filled as characters come."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character in _WHITE_SPACE or category in ("Cc", "Cf"):
            spaced = " "
        elif category[0] == "P" or character in ASCII_MARKS or any(a <= code <= b for a, b in _IDEOGRAPHS):
            spaced = f" {character} "
        else:
            spaced = character
        self[code] = spaced
        return spaced


class _Folding(dict[int, str]):
    """What each character folds to on its own, filled as characters come."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKC", chr(code).casefold())
        # Twice, because the compatibility form of a character may have capitals.
        folded = unicodedata.normalize("NFKC", folded.casefold())
        self[code] = _IGNORABLE.sub("", folded)
        return self[code]


_SPACING = _Spacing()
_FOLDING = _Folding()


def _normalize(text: str, settings: SubwordSettings) -> str:
    text = _fold(text) if settings.lower_case else normal_form("NFKC", text)
    if settings.plain_apostrophes:
        text = plain_apostrophes(text)
    if settings.strip_accents and not text.isascii():
        decomposed = normal_form("NFD", text)
        text = "".join(character for character in decomposed if unicodedata.category(character) != "Mn")
    return text


def _fold(text: str) -> str:
    """Unicode's NFKC_Casefold (chapter 3.13, R5), as ICU has it."""
    if text.isascii():
        return text.lower()
    return normal_form("NFC", text.translate(_FOLDING))


def _split(text: str) -> list[str]:
    # Not split() alone, which also splits at spaces that BasicTokenizer takes for letters.
    return [word for word in text.translate(_SPACING).split(" ") if word]


# Vocabularies: checked, learned, read from the official converter.


def _check_vocabulary(vocabulary: Vocabulary, settings: SubwordSettings) -> None:
    if not vocabulary.has_start_and_end:
        raise VocabularyError(f"A WordPiece vocabulary must have {START} and {END} as ids 2 and 3.")
    subwords = [token for token in vocabulary.tokens if not re.fullmatch(r"\[[^\[\]]+\]", token)]
    if not any(subword.startswith(JOINER) and len(subword) > len(JOINER) for subword in subwords):
        raise VocabularyError(
            "A WordPiece vocabulary must have subwords that continue a word, like ##s. Received: none."
        )
    strange = [subword for subword in subwords if _normalize(subword, settings) != subword]
    if len(strange) > _PART_NOT_NORMAL * len(subwords):
        raise VocabularyError(
            f"The vocabulary must fit lower_case={settings.lower_case} and strip_accents="
            f"{settings.strip_accents}: no text could give {len(strange)} of its subwords. "
            f"Received among them: {strange[0]!r:.80}"
        )


def _learn_subwords(texts: Iterable[str], vocab_size: int, settings: SubwordSettings) -> list[str]:
    import tensorflow as tf
    from tensorflow_text.tools.wordpiece_vocab import bert_vocab_from_dataset as learner

    texts = iter(texts)
    first = next((text for text in texts if _split(_normalize(text, settings))), None)
    if first is None:
        raise VocabularyError("There must be text with words to learn a vocabulary from. Received: none.")

    def lines() -> Iterator[list[str]]:
        yield [_normalize(first, settings)]
        while some := [_normalize(text, settings) for text in islice(texts, _LEARN_LINES)]:
            yield some

    dataset = tf.data.Dataset.from_generator(lines, output_signature=tf.TensorSpec((None,), tf.string))
    return learner.bert_vocab_from_dataset(
        dataset,
        vocab_size=int(vocab_size / (1 - _LEARN_SLACK)),
        reserved_tokens=[PAD, UNKNOWN, START, END],
        bert_tokenizer_params={},  # the text is normalized already
        # The default lower threshold of 10 would stop small corpora far below the size asked for.
        learn_params={"slack_ratio": _LEARN_SLACK, "lower_thresh": 2},
    )


def _shorten(subwords: Sequence[str], size: int) -> list[str]:
    """Leave out the last (rarest) subwords of more than one character, down to `size`."""
    several = [subword for subword in subwords[4:] if len(subword.removeprefix(JOINER)) > 1]
    too_many = max(len(subwords) - size, 0)
    if too_many > len(several):
        least = len(subwords) - len(several)
        raise VocabularyError(f"vocab_size must be at least {least} to spell these texts. Received: {size}")
    rare = set(several[len(several) - too_many :])
    return [subword for subword in subwords if subword not in rare]


def _read_asset_from_folder(folder: Path, name: str) -> bytes:
    # Keras unpacks the zip into a folder of its name inside another one.
    found = sorted((*folder.glob(f"assets/{name}"), *folder.glob(f"*/assets/{name}"), *folder.glob(name)))
    if not found:
        raise VocabularyError(f"The folder {folder} must have assets/{name} in it. Received: no such file.")
    if found[0].stat().st_size > MAX_VOCABULARY_BYTES:
        raise VocabularyError(f"{name} must have at most {MAX_VOCABULARY_BYTES // 2**20} MiB.")
    return found[0].read_bytes()


def _read_asset_from_zip(path: Path, name: str) -> bytes:
    """The one member of that name, read in place, so that no name in the zip becomes a path."""
    if not path.is_file():
        raise VocabularyError(f"There is no tokenizer zip or folder at {path}.")
    try:
        with zipfile.ZipFile(path) as archive:
            found = [info for info in archive.infolist() if PurePosixPath(info.filename).name == name]
            if len(found) != 1:
                raise VocabularyError(
                    f"{path.name} must have assets/{name} in it once. Received: {len(found)} times."
                )
            if found[0].file_size > MAX_VOCABULARY_BYTES:
                raise VocabularyError(f"{name} must unpack to at most {MAX_VOCABULARY_BYTES // 2**20} MiB.")
            return read_entry(archive, found[0])
    except VocabularyError:
        raise
    except ZIP_ERRORS as error:
        raise VocabularyError(f"{path.name} must be a zip that can be read. Download it again.") from error
