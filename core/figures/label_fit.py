"""Whether words fit where they are to stand; a figure is laid out before any browser has measured its letters."""

from __future__ import annotations

import math
from collections.abc import Iterable

from core.figures import theme

SCREEN, PHONE = 920, 310  # pixels that a figure has in its width, at least

_LETTER = 8.5  # pixels that one takes, with a little air


def longest_line(texts: Iterable[str]) -> int:
    """Pixels of the longest line of some texts; 0 where there is none."""
    lines = (line for text in texts for line in text.split("\n"))
    return math.ceil(_LETTER * max(map(len, lines), default=0))


def longest_label(labels: Iterable[str]) -> int:
    """As `longest_line`, of labels as an axis shortens them."""
    return longest_line(map(theme.shortened, labels))


def column_width(row_labels: Iterable[str], columns: int, across: int, narrow: bool) -> float:
    """Pixels of a column where panels stand side by side and share the row labels at the left.

    Args:
        row_labels: with a title beside them.
        columns: of one panel.
        across: panels side by side.
        narrow: whether it is for a phone.
    """
    return ((PHONE if narrow else SCREEN) - longest_label(row_labels) - 40) / (across * max(1, columns))
