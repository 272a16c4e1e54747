"""Pairs written down as lines and patterns: "chamo-me {0}. | my name is {0}."."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

Patterns = tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
"""Each pattern with what stands for {0}, {1}, …: lines, too."""


def phrase_pairs(phrases: str, patterns: Patterns) -> Iterator[tuple[str, str]]:
    """Source and target of each line, and of all that the patterns make; each once.

    Args:
        phrases: lines, "source | target".
        patterns: lines with places, each with what may stand in them.
    """
    lines = phrases.strip().splitlines()
    for pattern, fillings in patterns:
        source, target = _sides(pattern)
        for filling in product(*fillings):
            sources, targets = zip(*map(_sides, filling), strict=True)
            lines.append(f"{source.format(*sources)} | {target.format(*targets)}")
    return map(_sides, dict.fromkeys(lines))


def _sides(line: str) -> tuple[str, str]:
    source, _, target = line.partition(" | ")
    return source, target
