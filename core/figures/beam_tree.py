"""Beam search as a tree: a column for each step, a row for each rank, a line from parent to child."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.figures import theme
from core.figures.label_fit import SCREEN, row_height
from core.figures.theme import Figure, Trace
from core.records import BeamTree, Fate

MAX_COLUMNS = 8  # steps that are read side by side; the last ones before the step that is shown

_ROW, _LEAST_ROW, _EDGES, _LEAST_HEIGHT = 27, 16, 74, 280  # pixels
_TOP = 388  # pixels of the page above
_COLUMN = 90  # pixels, the least for a point and its label
_LABEL = 9  # characters of a token beside its point
_POINT, _LETTER = 0.14, 0.075  # of a column, which a point and a letter of its label take
_LOOKS = {  # color, symbol, and what the legend says
    Fate.KEPT: (theme.BLUE, "circle", "kept"),
    Fate.ENDED: (theme.GREEN, "square", "complete"),
    Fate.PRUNED: (theme.GREY, "x", "pruned"),
}


def beam_tree_figure(tree: BeamTree, until: int, text_of: Callable[[Sequence[int]], str]) -> Figure:
    """Draw the tree as it was after a step, the likeliest hypothesis of each step on top.

    Args:
        tree: of the whole search.
        until: the last step that is shown, from 1.
        text_of: ids as people read them.
    """
    rows = max(map(len, tree.steps), default=0)
    height = max(_LEAST_HEIGHT, _EDGES + row_height(rows, _ROW, _LEAST_ROW, _EDGES, _TOP) * rows)
    if not rows:
        return theme.message_figure(
            "There was nothing to search: your beginning is the whole translation", height
        )
    first = max(1, until - MAX_COLUMNS + 1)
    layout = {
        "margin": {"t": 4, "b": 60},
        "meta": {"min_width": min(SCREEN, _COLUMN * (until - first + 2))},
        "xaxis": {
            "range": [first - 0.4, max(until, first + 3) + 0.9],
            "tickmode": "array",
            "tickvals": list(range(first, until + 1)),
            "title": {
                "text": "step" if first == 1 else f"step (before {first}: further back)",
                "standoff": 0,
            },
        },
        "yaxis": {"range": [rows + 0.6, 0.4], "nticks": 9, "title": {"text": "rank"}, "showgrid": False},
    }
    shown = range(first, until + 1)
    traces = [
        *(_lines(tree, shown, wins) for wins in (False, True)),
        *(_points(tree, shown, fate, text_of) for fate in Fate),
    ]
    return theme.plain_figure(traces, layout, height)


def _winners_way(tree: BeamTree) -> set[tuple[int, int]]:
    """Return (step from 0, child) of the hypothesis that won and of all that it grew from."""
    way: set[tuple[int, int]] = set()
    if tree.best:
        step, child = tree.best[0].step, tree.best[0].child
        while step >= 0 and child >= 0:
            way.add((step, child))
            step, child = step - 1, tree.steps[step][child].parent
    return way


def _points(
    tree: BeamTree, shown: Sequence[int], fate: Fate, text_of: Callable[[Sequence[int]], str]
) -> Trace:
    """Draw the hypotheses of one fate, each with its last token."""
    color, symbol, name = _LOOKS[fate]
    points = [
        (step, rank, child)
        for step in shown
        for rank, child in enumerate(tree.steps[step - 1], start=1)
        if child.fate is fate
    ]
    hover = [
        f"{text_of(child.ids)} ({child.token}): log P {child.log_probability:z.3f}, score {child.score:z.3f}, {name}"
        for _, _, child in points
    ]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [step for step, _, _ in points],
        "y": [rank for _, rank, _ in points],
        "text": [theme.escaped(theme.shortened(child.token, _LABEL)) for _, _, child in points],
        "textposition": "middle right",
        "textfont": {"size": theme.TICK_SIZE},
        "cliponaxis": False,
        "marker": {"color": color, "symbol": symbol, "size": 12},
        "customdata": list(map(theme.escaped, hover)),
        "hovertemplate": "%{customdata}<extra></extra>",
        "name": name,
    }


def _lines(tree: BeamTree, shown: Sequence[int], wins: bool) -> Trace:
    """Draw lines from behind the label of a parent to the point of its child: the winner's, or all others."""
    way = _winners_way(tree)
    x: list[float | None] = []
    y: list[float | None] = []
    for step in shown[1:]:
        for index, child in enumerate(tree.steps[step - 1]):
            if ((step - 1, index) in way) is wins:
                label = tree.steps[step - 2][child.parent].token
                start = step - 1 + _POINT + _LETTER * min(_LABEL, len(label))
                x += [start, step - _POINT / 2, None]
                y += [child.parent + 1, index + 1, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": theme.VERMILLION if wins else theme.GREY, "width": 4 if wins else 1},
        "hoverinfo": "skip",
        "name": "the winner's path",
        "showlegend": wins,
    }
