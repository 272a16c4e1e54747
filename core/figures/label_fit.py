"""Estimates of the room that labels need, for layouts made before a browser measures the text."""

import math
from collections.abc import Iterable

from core.figures import theme

MIN_COLUMN = 16  # width of a column with an upright label, pixels

_MIN_PANEL = 160  # width, pixels; two panels fit a phone
_LETTER = 8.5  # average width of a letter, pixels
_ROW_TITLE = 40  # width of the rows' title, pixels


def row_height(rows: int, usual: int, least: int, room: int) -> int:
    """Return the height of a row, pixels: the usual one, or less so that all rows fit.

    Args:
        rows: number of rows of the figure.
        usual: comfortable height of a row, pixels.
        least: smallest height with a readable label, pixels.
        room: height for all rows, pixels.
    """
    return max(least, min(usual, room // max(1, rows)))


def longest_line(texts: Iterable[str]) -> int:
    """Return the width of the longest line of some texts, pixels; 0 without texts."""
    lines = (line for text in texts for line in text.split("\n"))
    return math.ceil(_LETTER * max(map(len, lines), default=0))


def longest_label(labels: Iterable[str]) -> int:
    """Return the width of the longest label, shortened as on an axis, pixels."""
    return longest_line(map(theme.shortened, labels))


def letters_within(pixels: float) -> int:
    """Return how many letters fit into a width."""
    return int(pixels / _LETTER)


def column_width(row_labels: Iterable[str], columns: int, width: float) -> float:
    """Return the width of a column in a heatmap of a given width, pixels."""
    return (width - longest_label(row_labels) - _ROW_TITLE) / max(1, columns)


def least_width(
    row_labels: Iterable[str], row_title: object, columns: int, column: float, title: str = ""
) -> int:
    """Return the minimum width of a heatmap, pixels.

    Args:
        row_labels: labels in plain text.
        row_title: title of the rows, if any.
        columns: number of columns.
        column: minimum width of a column, pixels.
        title: title above the heatmap.
    """
    cells = max(columns * column, longest_line([title]))
    beside = longest_label(row_labels) + (_ROW_TITLE if row_title else 0)
    return max(_MIN_PANEL, math.ceil(beside + cells))
