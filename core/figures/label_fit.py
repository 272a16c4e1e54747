"""How much room labels need: a figure is laid out before a browser has measured its letters."""

from __future__ import annotations

import math
from collections.abc import Iterable

from core.figures import theme

SCREEN, PHONE = 780, 310  # pixels that a page of 1280 (beside the menu) and of 360 has for a figure
_SCREEN_BOTTOM = 716  # pixels of a projector's screen
MIN_COLUMN = 16  # pixels, of a column whose label stands upright

_MIN_PANEL = 160  # pixels: two of them fit a phone
_LETTER = 8.5  # pixels that one takes, with a little air
_ROW_TITLE = 40  # pixels beside the row labels
_GAP = 16  # pixels between two panels


def row_height(rows: int, usual: int, least: int, around: int, top: int) -> int:
    """Return pixels of a row: the usual, or less where all rows then end above the foot of a projector's screen.

    Args:
        rows: of the figure.
        usual: pixels of a comfortable row.
        least: pixels below which its label cannot be read.
        around: pixels of the figure beside its rows.
        top: pixels of the page above the figure.
    """
    return max(least, min(usual, (_SCREEN_BOTTOM - top - around) // max(1, rows)))


def longest_line(texts: Iterable[str]) -> int:
    """Return pixels of the longest line of some texts; 0 where there is none."""
    lines = (line for text in texts for line in text.split("\n"))
    return math.ceil(_LETTER * max(map(len, lines), default=0))


def longest_label(labels: Iterable[str]) -> int:
    """Return the same of labels as an axis shortens them."""
    return longest_line(map(theme.shortened, labels))


def letters_within(pixels: float) -> int:
    """Return how many letters fit beside each other."""
    return int(pixels / _LETTER)


def column_width(row_labels: Iterable[str], columns: int, across: int) -> float:
    """Return pixels of a column on a screen where so many panels stand across, their rows with labels and a title."""
    panel = (SCREEN - _GAP * (across - 1)) / across
    return (panel - longest_label(row_labels) - _ROW_TITLE) / max(1, columns)


def least_width(
    row_labels: Iterable[str], row_title: object, columns: int, column: float, title: str = ""
) -> int:
    """Return pixels that a heatmap needs; never more than a screen has.

    Args:
        row_labels: plain text.
        row_title: beside them, or nothing.
        columns: how many there are room for.
        column: pixels of each.
        title: above it.
    """
    cells = max(columns * column, longest_line([title]))
    beside = longest_label(row_labels) + (_ROW_TITLE if row_title else 0)
    return min(SCREEN, max(_MIN_PANEL, math.ceil(beside + cells)))


def scroll_sign(selector: str, width: int) -> str:
    """Return CSS: a line at the head of what scrolls, where it is narrower than the figure in it; never on paper.

    Args:
        selector: of the element that scrolls.
        width: pixels that the figure in it has at least.
    """
    return f"""{selector} {{ container-type: inline-size; }}
        @media screen {{ @container (max-width: {width - 1}px) {{ {selector}::before {{
        content: "Scroll sideways to see all of it →"; position: sticky; left: 0; justify-self: start;
        font-size: 0.8rem; opacity: 0.75; }} }} }}"""
