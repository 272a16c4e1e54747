"""Beam search as a tree: a column for each step, a row for each rank, a line from parent to child."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.figures import theme
from core.figures.label_fit import SCREEN, row_height
from core.figures.theme import Figure, Trace
from core.records import BeamChild, BeamTree, Fate

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


@dataclass(frozen=True)
class TreePoint:
    """A hypothesis."""

    step: int  # from 1
    rank: int  # among the children of its step, 1 is the likeliest
    label: str  # its last token, plain text
    hover: str  # plain text
    fate: Fate


@dataclass(frozen=True)
class TreeLine:
    """From a hypothesis to one that continues it."""

    steps: tuple[int, int]
    ranks: tuple[int, int]
    wins: bool  # whether it is on the winner's path


@dataclass(frozen=True)
class BeamTreeInfo:
    """What a figure of the tree shows."""

    points: tuple[TreePoint, ...]
    lines: tuple[TreeLine, ...]
    steps: tuple[int, int]  # the first and the last one shown, from 1
    rows: int  # the most children of a step


def beam_tree_info(tree: BeamTree, until: int, text_of: Callable[[Sequence[int]], str]) -> BeamTreeInfo:
    """The tree as it was after a step.

    Args:
        tree: of the whole search.
        until: the last step that is shown, from 1.
        text_of: ids as people read them.
    """
    first = max(1, until - MAX_COLUMNS + 1)
    on_the_way = _winners_way(tree)
    points, lines = [], []
    for number in range(first, until + 1):
        for index, child in enumerate(tree.steps[number - 1]):
            points.append(_point(child, number, index, text_of))
            if number > first:
                wins = (number - 1, index) in on_the_way
                lines.append(TreeLine((number - 1, number), (child.parent + 1, index + 1), wins))
    return BeamTreeInfo(tuple(points), tuple(lines), (first, until), max(map(len, tree.steps), default=0))


def beam_tree_figure(info: BeamTreeInfo) -> Figure:
    """Draw the tree, the likeliest hypothesis of each step on top."""
    height = max(_LEAST_HEIGHT, _EDGES + row_height(info.rows, _ROW, _LEAST_ROW, _EDGES, _TOP) * info.rows)
    if not info.points:
        return theme.message_figure(
            "There was nothing to search: your beginning is the whole translation", height
        )
    first, last = info.steps
    layout = {
        "margin": {"t": 4, "b": 60},
        "meta": {"min_width": min(SCREEN, _COLUMN * (last - first + 2))},
        "xaxis": {
            "range": [first - 0.4, max(last, first + 3) + 0.9],
            "tickmode": "array",
            "tickvals": list(range(first, last + 1)),
            "title": {
                "text": "step" if first == 1 else f"step (before {first}: further back)",
                "standoff": 0,
            },
        },
        "yaxis": {"range": [info.rows + 0.6, 0.4], "nticks": 9, "title": {"text": "rank"}, "showgrid": False},
    }
    lines = [_lines(info, wins=False), _lines(info, wins=True)]
    return theme.plain_figure([*lines, *(_points(info, fate) for fate in Fate)], layout, height)


def _winners_way(tree: BeamTree) -> set[tuple[int, int]]:
    """(step from 0, child) of the hypothesis that won and of all that it grew from."""
    way: set[tuple[int, int]] = set()
    if tree.best:
        step, child = tree.best[0].step, tree.best[0].child
        while step >= 0 and child >= 0:
            way.add((step, child))
            step, child = step - 1, tree.steps[step][child].parent
    return way


def _point(child: BeamChild, step: int, index: int, text_of: Callable[[Sequence[int]], str]) -> TreePoint:
    said = f"{text_of(child.ids)} ({child.token})"
    hover = f"{said}: log P {child.log_probability:z.3f}, score {child.score:z.3f}, {_LOOKS[child.fate][2]}"
    return TreePoint(step, index + 1, child.token, hover, child.fate)


def _points(info: BeamTreeInfo, fate: Fate) -> Trace:
    points = [point for point in info.points if point.fate is fate]
    color, symbol, name = _LOOKS[fate]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [point.step for point in points],
        "y": [point.rank for point in points],
        "text": [theme.escaped(theme.shortened(point.label, _LABEL)) for point in points],
        "textposition": "middle right",
        "textfont": {"size": theme.TICK_SIZE},
        "cliponaxis": False,
        "marker": {"color": color, "symbol": symbol, "size": 12},
        "customdata": [theme.escaped(point.hover) for point in points],
        "hovertemplate": "%{customdata}<extra></extra>",
        "name": name,
    }


def _lines(info: BeamTreeInfo, wins: bool) -> Trace:
    """From behind the label of a parent to the point of its child."""
    behind = {
        (point.step, point.rank): point.step + _POINT + _LETTER * min(_LABEL, len(point.label))
        for point in info.points
    }
    lines = [line for line in info.lines if line.wins is wins]
    starts = [behind[line.steps[0], line.ranks[0]] for line in lines]
    ends = [line.steps[1] - _POINT / 2 for line in lines]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for both in zip(starts, ends, strict=True) for x in (*both, None)],
        "y": [y for line in lines for y in (*line.ranks, None)],
        "line": {"color": theme.VERMILLION if wins else theme.GREY, "width": 4 if wins else 1},
        "hoverinfo": "skip",
        "name": "the winner's path",
        "showlegend": wins,
    }
