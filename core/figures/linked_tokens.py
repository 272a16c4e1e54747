"""Tokens in two columns with links between them: the lines of one head.

What a token's links lead to is followed in the browser, so pointing at one asks the server nothing.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures.attention import highest_weight
from core.records import AttentionView

MAX_LINKS = 3000  # that a browser draws quickly

_HEIGHT = 384  # pixels that are left of a projector's screen
_DECIMALS = 3

SCRIPT = (Path(__file__).parent / "linked_tokens.js").read_text(encoding="utf-8")
STYLE = (Path(__file__).parent / "linked_tokens.css").read_text(encoding="utf-8")


def linked_tokens(
    view: AttentionView,
    layer: int,
    head: int | None,
    marked: Set[tuple[int, int]] = frozenset(),
) -> dict[str, Any]:
    """Return the lines of one head: what attends at the left, what is attended to at the right.

    Args:
        view: attention of all layers and heads.
        layer: from 0.
        head: from 0, or None for the mean over the heads.
        marked: links to draw in another color, as (row, column).

    Returns:
        What the script in the browser takes; all text is plain. "links" are from query to key: column and place of the
        query, column and place of the key, weight, and 1 where it is marked. Weights below "least" were left out;
        "highest" is the weight of a full line.
    """
    weights = np.nan_to_num(view.head(layer, head))
    columns = [
        {"title": view.column_title, "tokens": view.columns, "x": 1.0, "side": "right"},
        {"title": view.row_title, "tokens": view.rows, "x": 0.0, "side": "left"},
    ]
    links, least = _links(weights, marked)
    return {
        "title": view.title(layer, head),
        "columns": columns,
        "links": links,
        "least": least,
        "highest": highest_weight(view, weights),
        "height": _HEIGHT,
    }


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
