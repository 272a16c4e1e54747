"""Byte-pair encoding: the most frequent pair of neighbours becomes one piece, again and again.

Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section 3.2. A piece
that continues a word begins with ##, as in WordPiece: so no mark for the end of a word is needed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

JOINER = "##"  # begins a piece that continues a word

PieceOfWord = str
Neighbours = tuple[PieceOfWord, PieceOfWord]


@dataclass(frozen=True)
class Merge:
    """One step: two neighbours become one piece."""

    pair: Neighbours
    piece: PieceOfWord
    count: int  # how often they stand side by side in the text


def letters_of(word: str) -> list[PieceOfWord]:
    """Return the pieces that a word is made of at the beginning: its characters."""
    return [word[0], *(JOINER + letter for letter in word[1:])]


def joined(pair: Neighbours) -> PieceOfWord:
    """Return the piece that two neighbours become."""
    first, second = pair
    return first + second.removeprefix(JOINER)


def merges(words: Mapping[str, int], least: int = 2) -> Iterator[Merge]:
    """Yield the merges of a text, the most frequent pair first; of equally frequent ones, the first in the alphabet.

    The text is counted once: after a merge, only what stands beside the new pieces is counted anew.

    Args:
        words: the different words of the text, each with how often it is there.
        least: a pair is merged if it is there at least so often.
    """
    spelled = {word: letters_of(word) for word in words}
    counts: Counter[Neighbours] = Counter()
    words_with: defaultdict[Neighbours, set[str]] = defaultdict(set)
    for word, pieces in spelled.items():
        for pair in pairwise(pieces):
            counts[pair] += words[word]
            words_with[pair].add(word)
    # A pair whose count changes is put in again; an entry whose count is no longer true is passed over.
    queue = [(-count, pair) for pair, count in counts.items()]
    heapify(queue)
    while queue and -queue[0][0] >= least:
        negative, pair = heappop(queue)
        if -negative != counts[pair]:
            continue
        yield Merge(pair, joined(pair), counts.pop(pair))
        changes: Counter[Neighbours] = Counter()
        for word in words_with.pop(pair):
            for added, removed in merge(spelled[word], pair):
                changes[added] += words[word]
                changes[removed] -= words[word]
                words_with[added].add(word)
        for each, change in changes.items():
            if change and each != pair:
                counts[each] += change
                heappush(queue, (-counts[each], each))


def merge(pieces: list[PieceOfWord], pair: Neighbours) -> list[tuple[Neighbours, Neighbours]]:
    """Make each such pair one piece, from the left; return the new neighbours, each with those they take the place of."""
    first, second = pair
    piece = joined(pair)
    changes: list[tuple[Neighbours, Neighbours]] = []
    place = 0
    while place < len(pieces) - 1:
        if pieces[place] == first and pieces[place + 1] == second:
            pieces[place : place + 2] = [piece]
            if place > 0:
                before = pieces[place - 1]
                changes.append(((before, piece), (before, first)))
            if place + 1 < len(pieces):
                after = pieces[place + 1]
                changes.append(((piece, after), (second, after)))
        place += 1
    return changes
