"""Words and their translations, found by how often they occur in the same pairs.

A corpus of sentences hardly has single words, so a model trained on it cannot translate one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product

from core.records import Pair

_MAX_WORDS = 12  # of a side; longer sentences pair every word with too many others
_MIN_PAIRS = 4  # that have the two words together
_MIN_DICE = 0.4
_JOINTS = ("'", "-")

Words = Callable[[str], list[str]]


def glossary(pairs: Iterable[Pair], source_words: Words, target_words: Words) -> list[Pair]:
    """The words of both languages that are each other's most likely translation.

    How close two words are is the share of pairs that have both (Dice's coefficient, as in
    Smadja et al. 1996, "Translating Collocations for Bilingual Lexicons").

    Args:
        pairs: read once.
        source_words: cuts a source into words.
        target_words: cuts a target into words.
    """
    sources: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        source, target = whole_words(source_words(pair.source)), whole_words(target_words(pair.target))
        if len(source) <= _MAX_WORDS and len(target) <= _MAX_WORDS:
            sources.update(source)
            targets.update(target)
            together.update(product(source, target))
    often = ((words, count) for words, count in together.items() if count >= _MIN_PAIRS)
    dice = {  # sorted, because the order of sets differs between processes
        (source, target): 2 * count / (sources[source] + targets[target])
        for (source, target), count in sorted(often)
    }
    of_source, of_target = _closest(dice), _closest({(b, a): value for (a, b), value in dice.items()})
    return [
        Pair(source, target)
        for source, target in of_source.items()
        if of_target[target] == source and dice[source, target] >= _MIN_DICE
    ]


def whole_words(words: list[str]) -> set[str]:
    """The words of letters that are not parts of others: not "aujourd" and "hui", cut at the apostrophe."""
    around = ["", *words, ""]
    return {
        word
        for before, word, after in zip(around, words, around[2:], strict=False)
        if word.isalpha() and before not in _JOINTS and after not in _JOINTS
    }


def _closest(dice: dict[tuple[str, str], float]) -> dict[str, str]:
    """For each first word the second that is closest."""
    closest: dict[str, str] = {}
    for (first, second), value in dice.items():
        if first not in closest or value > dice[first, closest[first]]:
            closest[first] = second
    return closest
