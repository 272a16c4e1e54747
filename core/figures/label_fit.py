"""Estimates whether labels fit: a figure is laid out before a browser has measured its letters."""

from __future__ import annotations

import math
from collections.abc import Iterable

from core.figures import theme

SCREEN, PHONE = 920, 310  # pixels, the minimum width of a page
MIN_COLUMN = 16  # pixels, of a column whose label stands upright

_LETTER = 8.5  # pixels, with some space
_ROW_TITLE = 40  # pixels beside the row labels
_GAP = 16  # pixels between two panels


def longest_line(texts: Iterable[str]) -> int:
    """Pixels of the longest line of some texts; 0 where there is none."""
    lines = (line for text in texts for line in text.split("\n"))
    return math.ceil(_LETTER * max(map(len, lines), default=0))


def longest_label(labels: Iterable[str]) -> int:
    """As `longest_line`, of labels as an axis shortens them."""
    return longest_line(map(theme.shortened, labels))


def column_width(row_labels: Iterable[str], columns: int, across: int) -> float:
    """Pixels of a column on a screen, where panels stand side by side.

    Args:
        row_labels: with a title beside them.
        columns: of one panel.
        across: panels side by side.
    """
    panel = (SCREEN - _GAP * (across - 1)) / across
    return (panel - longest_label(row_labels) - _ROW_TITLE) / max(1, columns)


def panel_width(row_labels: Iterable[str], columns: int, column: float) -> int:
    """Pixels that a panel with columns of a given width needs; never more than a screen has."""
    return min(SCREEN, math.ceil(longest_label(row_labels) + _ROW_TITLE + columns * column))
