"""How far a word alignment is from one made by hand (Och & Ney 2003, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Set

Link = tuple[int, int]  # source word, target word


def alignment_error_rate(sentences: Iterable[tuple[Set[Link], Set[Link], Set[Link]]]) -> float:
    """AER = 1 - (|A and S| + |A and P|) / (|A| + |S|), counted over all sentences: 0 is perfect.

    Args:
        sentences: of each, the links found (A), the sure ones (S) and the possible ones (P, with the sure).

    Raises:
        ValueError: there is no link at all.
    """
    hits = total = 0
    for found, sure, possible in sentences:
        hits += len(found & sure) + len(found & possible)
        total += len(found) + len(sure)
    if not total:
        raise ValueError("An alignment error needs at least one link.")
    return 1 - hits / total
