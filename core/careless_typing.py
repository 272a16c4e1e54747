"""Training pairs written as people type in a hurry: no final punctuation, no accents, typos, emoji.

A model that has only read edited text breaks on a missing full stop, because it has learned that a sentence ends
with one. So some pairs are typed carelessly, different ones in each epoch. Capitals are left alone, because the
tokenizers fold them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from core.pipeline import BucketedPairs, RaggedIds, ResampledIds
from core.records import Pair

FINAL_MARKS = frozenset(".!?…")
EMOJI = "🙂"  # for all: a vocabulary learned from edited text has none

# The setting is the share of pairs without final marks; the other habits are rarer by these factors.
_NO_ACCENTS = 0.5
_SLIP = 0.5
_EMOJI = 0.125
_JOINED = 0.5
_MAX_JOINED_WORDS = 8  # of a sentence that another may follow; longer ones would make batches too large
_SLIPS = 4  # misspelled forms drawn for each word, some perhaps alike
_MIN_SLIP_LETTERS = 4  # of a word that may be misspelled: a shorter one easily becomes another word


@dataclass(frozen=True)
class Carelessness:
    """How much of a corpus is typed carelessly."""

    rate: float  # the share of pairs without final punctuation
    seed: int  # of the slips


class Spellings(NamedTuple):
    """Other ways to write the words of a corpus, as numbers of words."""

    unaccented: NDArray[np.int32]  # (W,), the word itself where it has no accents
    misspelled: NDArray[np.int32]  # (W, _SLIPS), the word itself where it is short
    emoji: int

    @classmethod
    def of(cls, words: Sequence[str], number: Callable[[str], int], seed: int) -> Self:
        """Other spellings of each word.

        Args:
            words: those with the numbers 0, 1, ….
            number: gives a word's number; a new word gets a new one.
            seed: of the slips.
        """
        random = np.random.default_rng((seed, len(words)))
        unaccented = [number(without_accents(word)) for word in words]
        misspelled = [[number(with_slip(word, random)) for _ in range(_SLIPS)] for word in words]
        return cls(np.array(unaccented, np.int32), np.array(misspelled, np.int32), number(EMOJI))

    @property
    def misspellable(self) -> NDArray[np.bool_]:
        """Which words have a misspelled form, (W,)."""
        return (self.misspelled != np.arange(len(self.misspelled))[:, None]).any(axis=1)


@dataclass(frozen=True)
class CarelessTyping:
    """Types the pairs of one corpus."""

    rate: float
    source_marks: NDArray[np.int64]  # (N,), the final marks of each sentence
    target_marks: NDArray[np.int64]  # (N,)
    spellings: Spellings  # of the source's words

    def typed(
        self, source: RaggedIds, target: RaggedIds, random: np.random.Generator
    ) -> tuple[RaggedIds, RaggedIds]:
        """All pairs, some of them typed carelessly.

        Final marks are dropped on both sides or on neither: the translation learns to end as its source does.
        Missing accents, slips and emoji are in the source alone: the translation is written well.

        Args:
            source: numbers of words.
            target: the same, between start and end.
            random: of the epoch.
        """
        bare, joined = self._chosen(source, random)
        source = self._misspelled(source, random)
        source = _without_last(source, self.source_marks * bare, before=0)
        target = _without_last(target, self.target_marks * bare, before=1)
        with_emoji = random.random(len(bare)) < self.rate * _EMOJI
        return _joined(_ending_with(source, self.spellings.emoji, with_emoji), joined), _joined(
            target, joined, wrapped=True
        )

    def _chosen(
        self, source: RaggedIds, random: np.random.Generator
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which pairs lose their final marks, (N,), and which of those are joined with another, (N,)."""
        pairs = len(source.lengths)
        bare = random.random(pairs) < self.rate
        joined = random.random(pairs) < self.rate * _JOINED
        joined &= source.lengths - self.source_marks <= _MAX_JOINED_WORDS
        return bare | joined, joined

    def _misspelled(self, source: RaggedIds, random: np.random.Generator) -> RaggedIds:
        """Some sentences without their accents, some with one word misspelled."""
        drawn = random.random(len(source.lengths)) / self.rate
        no_accents = np.repeat(drawn < _NO_ACCENTS, source.lengths)
        slips = (drawn >= _NO_ACCENTS) & (drawn < _NO_ACCENTS + _SLIP)
        places = self._slip_places(source, slips, random)
        form = random.integers(_SLIPS, size=len(places))
        ids = np.where(no_accents, self.spellings.unaccented[source.ids], source.ids)
        ids[places] = self.spellings.misspelled[source.ids[places], form]
        return RaggedIds(ids, source.ends)

    def _slip_places(
        self, source: RaggedIds, chosen: NDArray[np.bool_], random: np.random.Generator
    ) -> NDArray[np.intp]:
        """Where the word to misspell stands, in each chosen sentence, (N,), that has one long enough."""
        places = np.flatnonzero(self.spellings.misspellable[source.ids])
        first = np.searchsorted(places, source.ends - source.lengths)
        after = np.searchsorted(places, source.ends)
        sentences = np.flatnonzero(chosen & (after > first))
        return places[random.integers(first[sentences], after[sentences])]


@dataclass(frozen=True)
class CarelessPairs(BucketedPairs):
    """Pairs of which some are typed carelessly in each epoch."""

    source: ResampledIds
    target: ResampledIds
    typing: CarelessTyping

    def drawn(self, random: np.random.Generator) -> tuple[RaggedIds, RaggedIds]:
        source, target = self.typing.typed(self.source.words, self.target.words, random)
        return self.source.cut(source, random), self.target.cut(target, random)


def count_final_marks(sentences: Iterable[Sequence[int]], words: Sequence[str]) -> NDArray[np.int64]:
    """How many final marks each sentence, as numbers of words, has; 0 for one of marks alone."""
    marks = {number for number, word in enumerate(words) if word in FINAL_MARKS}
    return np.array([_final_marks(sentence, marks) for sentence in sentences], np.int64)


def _final_marks(sentence: Sequence[int], marks: set[int]) -> int:
    for count, number in enumerate(reversed(sentence)):
        if number not in marks:
            return count
    return 0


def typed_carelessly(pair: Pair, rate: float, random: np.random.Generator) -> Pair:
    """One pair as text, perhaps typed carelessly, as often as the settings say; nothing is joined or gets an emoji."""
    source, target = pair.source.rstrip(), pair.target.rstrip()
    if random.random() < rate:
        source, target = (text.rstrip(f" {''.join(FINAL_MARKS)}") or text for text in (source, target))
    drawn = random.random()
    if drawn < rate * _NO_ACCENTS:
        source = without_accents(source)
    elif drawn < rate * (_NO_ACCENTS + _SLIP):
        source = with_one_slip(source, random)
    return Pair(source, target)


def without_accents(word: str) -> str:
    """The word in letters that every keyboard has."""
    letters = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Mn") or word


def with_one_slip(source: str, random: np.random.Generator) -> str:
    """The sentence with a slip in one of its longer words; as it is where it has none."""
    words = source.split()
    slipped = [with_slip(word, random) for word in words]
    changed = [at for at, word in enumerate(words) if slipped[at] != word]
    if changed:
        at = changed[random.integers(len(changed))]
        words[at] = slipped[at]
    return " ".join(words)


def with_slip(word: str, random: np.random.Generator) -> str:
    """The word with two letters swapped, or one left out or doubled; a short one as it is."""
    if len(word) < _MIN_SLIP_LETTERS or not word.isalpha():
        return word
    at = int(random.integers(1, len(word) - 1))
    before, letter, following, after = word[:at], word[at], word[at + 1], word[at + 2 :]
    kinds = (following + letter, following, letter + letter + following)
    return before + kinds[random.integers(len(kinds))] + after


def _without_last(sentences: RaggedIds, counts: NDArray[np.int64], before: int) -> RaggedIds:
    """The sentences without their last `counts` words, (N,); `before` is how many words after those stay."""
    lengths = sentences.lengths
    from_end = np.repeat(sentences.ends - before, lengths) - np.arange(len(sentences.ids)) - 1
    return _only(sentences, (from_end < 0) | (from_end >= np.repeat(counts, lengths)))


def _only(sentences: RaggedIds, kept: NDArray[np.bool_]) -> RaggedIds:
    """The words for which `kept`, (number of words,), is true; some of each sentence."""
    return RaggedIds(sentences.ids[kept], np.cumsum(kept, dtype=np.int64)[sentences.ends - 1])


def _ending_with(sentences: RaggedIds, word: int, chosen: NDArray[np.bool_]) -> RaggedIds:
    """The sentences, with one more word at the end of the chosen ones, (N,)."""
    ids = np.insert(sentences.ids, sentences.ends[chosen], word)
    return RaggedIds(ids, sentences.ends + np.cumsum(chosen, dtype=np.int64))


def _joined(sentences: RaggedIds, chosen: NDArray[np.bool_], wrapped: bool = False) -> RaggedIds:
    """The sentences, each chosen one, (N,), followed by the next chosen one.

    Args:
        sentences: as numbers of words.
        chosen: which.
        wrapped: whether each has a start and an end; of two joined, only the outer ones stay.
    """
    number = np.flatnonzero(chosen)
    order = np.insert(np.arange(len(chosen)), number + 1, np.roll(number, -1))
    parts = sentences.take(order)
    last = np.arange(len(chosen)) + np.cumsum(chosen)  # the last part of each sentence
    if wrapped:
        kept = np.ones(len(parts.ids), bool)
        kept[parts.ends[last[number] - 1] - 1] = False  # the end of the first part
        kept[parts.ends[last[number] - 1]] = False  # the start of the second
        parts = _only(parts, kept)
    return RaggedIds(parts.ids, parts.ends[last])
