"""Byte-pair encoding step by step: how words are spelled after some merges, and which pair comes next."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

from core.tokens.merges import Merge, Neighbours, PieceOfWord, letters_of, merge, merges


@dataclass(frozen=True)
class BytePairs:
    """A text after some merges."""

    merged: tuple[Merge, ...]  # so far, the newest last
    spelled: Mapping[str, tuple[PieceOfWord, ...]]  # each word in pieces
    counts: Counter[Neighbours]  # how often each pair of neighbours is there now
    letters: tuple[PieceOfWord, ...]  # the vocabulary at the beginning

    @property
    def vocabulary(self) -> tuple[PieceOfWord, ...]:
        """All pieces: the letters, then what has been merged."""
        return tuple(dict.fromkeys((*self.letters, *(step.piece for step in self.merged))))

    def num_tokens(self, words: Mapping[str, int]) -> int:
        """Return how many tokens the text has now."""
        return sum(times * len(self.spelled[word]) for word, times in words.items())


def after_merges(words: Mapping[str, int], steps: int) -> BytePairs:
    """Return what the first `steps` merges make of a text.

    Args:
        words: the different words of the text, each with how often it is there.
        steps: merges; where fewer pairs are there twice, fewer.
    """
    spelled = {word: letters_of(word) for word in words}
    letters = tuple(dict.fromkeys(letter for pieces in spelled.values() for letter in pieces))
    merged = tuple(islice(merges(words), steps))
    for step in merged:
        for pieces in spelled.values():
            merge(pieces, step.pair)
    counts: Counter[Neighbours] = Counter()
    for word, pieces in spelled.items():
        for pair in pairwise(pieces):
            counts[pair] += words[word]
    return BytePairs(merged, {word: tuple(pieces) for word, pieces in spelled.items()}, counts, letters)
