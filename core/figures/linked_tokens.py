"""Tokens in two columns with links between them: the lines of one head.

What a token's links lead to is followed in the browser, so pointing at one asks the server nothing.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.records import AttentionView

MAX_LINKS = 3000  # that a browser draws quickly

_HEIGHT = 384  # pixels that are left of a projector's screen
_DECIMALS = 3

SCRIPT = (Path(__file__).parent / "linked_tokens.js").read_text(encoding="utf-8")
STYLE = (Path(__file__).parent / "linked_tokens.css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class TokenColumn:
    """Tokens below each other."""

    title: str  # plain text; empty where it has none
    tokens: tuple[str, ...]
    x: float  # 0 at the left, 1 at the right
    side: Literal["left", "right"]  # of it where the tokens are written


@dataclass(frozen=True)
class LinkedTokens:
    """Columns, those of keys before those of the queries that read them, and links from query to key."""

    title: str
    columns: tuple[TokenColumn, ...]
    links: tuple[tuple[int, int, int, int, float, int], ...]
    """Column and place of the query, column and place of the key, weight, and 1 where it is marked."""
    least: float  # weights below were left out; 0 where none was
    highest: float  # the weight of a full line

    def to_data(self) -> dict[str, Any]:
        """What the script in the browser takes."""
        return {
            "title": self.title,
            "columns": [vars(column) for column in self.columns],
            "links": self.links,
            "highest": self.highest,
            "height": _HEIGHT,
        }


def lines_info(
    view: AttentionView,
    layer: int,
    head: int | None,
    marked: Set[tuple[int, int]] = frozenset(),
) -> LinkedTokens:
    """The lines of one head: what attends at the left, what is attended to at the right.

    Args:
        view: attention of all layers and heads.
        layer: from 0.
        head: from 0, or None for the mean over the heads.
        marked: links to draw in another color, as (row, column).
    """
    weights = np.nan_to_num(view.head(layer, head))
    columns = (
        TokenColumn(view.column_title, view.columns, 1.0, "right"),
        TokenColumn(view.row_title, view.rows, 0.0, "left"),
    )
    found = _links(weights, marked)
    own = float(weights.max(initial=0.0)) or 1.0
    most = view.most if np.isfinite(view.most) else own
    return LinkedTokens(view.title(layer, head), columns, *found, highest=most)


def _links(
    weights: NDArray[np.float32], marked: Set[tuple[int, int]]
) -> tuple[tuple[tuple[int, int, int, int, float, int], ...], float]:
    """The links of weights (rows, columns), and the least weight among them."""
    least = 10.0**-_DECIMALS
    if np.count_nonzero(weights >= least) > MAX_LINKS:
        least = float(np.partition(weights.ravel(), -MAX_LINKS)[-MAX_LINKS])
    links = []
    for row, column in np.argwhere(weights >= least).tolist():
        weight = round(float(weights[row, column]), _DECIMALS)
        links.append((1, row, 0, column, weight, int((row, column) in marked)))
    # The strongest are drawn last, above the others.
    return tuple(sorted(links, key=lambda link: (link[5], link[4]))), least
