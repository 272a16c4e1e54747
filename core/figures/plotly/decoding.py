"""Decoding step by step: candidates, chosen tokens, cross-attention, and the tree of beam search."""

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from core.figures import theme
from core.figures.label_fit import letters_within, longest_label, row_height
from core.figures.plotly.heatmap import color_axis, heatmap, on_share
from core.figures.plotly.lines import TEXT_ABOVE_BARS, bars
from core.figures.theme import Figure, PlotlyTrace
from core.language import N_, _, number
from core.records.analysis import BeamStatus, BeamTree, DecodingStep
from core.records.text import Candidate, ExplainedTranslation

_COLUMN = 60  # pixels, minimum width of a step: a short word
_ROW, _TITLE, _EDGE = 22, 34, 8  # pixels
_ROOM_FOR_TEXT = 1.22  # length of the axis in longest bars, with room for text behind it
_MOST_FOR_LABELS = 0.5  # of the width of the figure of next tokens
_AIR = "\N{NO-BREAK SPACE}" * 2

MAX_COLUMNS = 8  # steps of a tree shown side by side: the last ones up to the current step
_TREE_ROW, _LEAST_ROW, _EDGES, _LEAST_HEIGHT = 27, 16, 98, 280  # pixels
_TREE_COLUMN = 90  # pixels, minimum width of a point and its label
_LABEL = 9  # characters of a token beside its point
_POINT, _LETTER = 0.14, 0.075  # widths of a point and of a letter of its label, in columns
_LOOKS = {  # color, symbol, text of the legend
    BeamStatus.LIVE: (theme.BLUE, "circle", N_("kept")),
    BeamStatus.FINISHED: (theme.GREEN, "square", N_("complete")),
    BeamStatus.PRUNED: (theme.GREY, "x", N_("pruned")),
}


def candidates_figure(explained: ExplainedTranslation, steps: range, width: int) -> Figure:
    """Draw one column per step, the most likely token on top, colored by probability.

    Args:
        explained: a translation with its candidates.
        steps: the indices of the steps to draw.
        width: width that the figure should have at most, pixels.
    """
    chosen = [f"{step + 1}. {explained.attention.predicted_tokens[step]}" for step in steps]
    ranks = list(zip(*(explained.candidates[step] for step in steps), strict=True))
    columns = 1 + len(steps)
    # The longest token sets the width of columns; if there is too little room, tokens are shortened.
    needed = longest_label(candidate.token for rank in ranks for candidate in rank)
    column = max(_COLUMN, min(needed, width / columns))
    figure = heatmap(
        [[candidate.probability for candidate in rank] for rank in ranks],
        [f"{rank}" for rank in range(1, len(ranks) + 1)],
        chosen,
        row_title=_("rank"),
        column_title=_("chosen token"),
        hover=[
            [
                _("{token}: {share}").format(token=each.token, share=number(each.probability, ".1%"))
                for each in rank
            ]
            for rank in ranks
        ],
        texts=[[_cell_text(each, letters_within(column)) for each in rank] for rank in ranks],
        colors=color_axis((0.0, 1.0), "none"),
        height=100 + 40 * len(ranks),
    )
    figure["layout"]["meta"] = {"min_width": round(column * columns)}
    return figure


def _cell_text(candidate: Candidate, letters: int) -> str:
    """Return a token, shortened to its column's width, above its probability; hover shows all of it."""
    shown = theme.escaped(theme.shortened(candidate.token, letters))
    return on_share(
        f"{shown}<br>{theme.escaped(theme.percent(candidate.probability))}", candidate.probability
    )


def next_tokens_figure(step: DecodingStep, forced: bool, width: int) -> Figure:
    """Draw the likeliest tokens of a step as bars, with the written token in color.

    The written token comes last if it is not among them. Its color says whether the user has `forced` it. A click
    anywhere in a row selects its token: `customdata` holds the id. The figure is about `width` pixels wide.
    """
    shown = list(step.likeliest)
    if step.chosen not in shown:
        shown.append(step.chosen)
    chosen = shown.index(step.chosen)
    positions = list(range(len(shown)))
    probabilities = [exp(token.log_probability) for token in shown]
    written = theme.VERMILLION if forced else theme.BLUE
    hover = [
        theme.escaped(
            _("{token}: {share}, log P {log_p} nats").format(
                token=token.token,
                share=number(share, ".1%"),
                log_p=number(token.log_probability, "z.2f"),
            )
        )
        for token, share in zip(shown, probabilities, strict=True)
    ]
    pointed = {"orientation": "h", "customdata": [token.id for token in shown], "hovertext": hover}
    trace = bars(
        probabilities,
        positions,
        [written if row == chosen else theme.GREY for row in positions],
        "%{hovertext}",
        text=[theme.escaped(theme.percent(share)) for share in probabilities],
        **TEXT_ABOVE_BARS,
        **pointed,
    )
    names = [theme.shortened(f"{number(token.rank, ',')}. {token.token}") for token in shown]
    labels = list(map(theme.escaped, names))
    labels[chosen] = f"<b>{labels[chosen]}</b>"
    # The labels are in the plot, since a click on those of an axis selects nothing.
    longest = _ROOM_FOR_TEXT * max(probabilities)
    share = min(_MOST_FOR_LABELS, longest_label(names) / width)
    left = longest * share / (1 - share)
    label_trace = {
        "type": "scatter",
        "mode": "text",
        "x": [-left] * len(shown),
        "y": positions,
        "text": labels,
        "textposition": "middle right",
        "textfont": {"size": theme.TICK_SIZE},
        "hoverinfo": "skip",
    }
    # These take the clicks beside the bars, since those of unlikely tokens are too thin.
    rows = bars(
        [left + longest] * len(shown),
        positions,
        theme.TRANSPARENT,
        "%{hovertext}",
        base=-left,
        width=1,
        **pointed,
    )
    layout = {
        "bargap": 0.25,
        "barmode": "overlay",
        "title": {"text": _("probability of the next token")},
        "margin": {"t": _TITLE, "b": _EDGE},
        "xaxis": theme.axis(range=[-left, longest], visible=False, fixedrange=True),
        "yaxis": theme.axis(range=[len(shown) - 0.5, -0.5], visible=False, fixedrange=True),
        "showlegend": False,
        "clickmode": "event+select",
        "dragmode": False,
    }
    return theme.plain_figure([trace, label_trace, rows], layout, _TITLE + _EDGE + _ROW * len(labels))


def step_attention_figure(
    steps: Sequence[DecodingStep], index: int, source_tokens: Sequence[str], height: int
) -> Figure:
    """Draw the cross-attention of a step: one row per layer, the mean over its heads.

    Args:
        steps: all steps of a translation, which share a color scale; the title has its maximum.
        index: the step's index.
        source_tokens: the source's tokens.
        height: height of the figure beside it, pixels.
    """
    means = [step.cross.mean(axis=1, dtype=np.float64) for step in steps]  # (L, H, S) -> (L, S)
    highest = max(float(mean.max()) for mean in means)
    figure = heatmap(
        means[index],
        [_("Layer {layer}").format(layer=layer) for layer in range(1, len(means[index]) + 1)],
        source_tokens,
        title=_("Cross-attention weight: the bluest is {share}").format(share=number(highest, ".0%")),
        hover=N_("{row}, {column}: {value:.0%}"),
        colors=color_axis((0.0, highest), "none"),
        height=height,
    )
    layout = figure["layout"]
    # Plotly rotates labels only if they touch. With spaces around each, two labels do not read as one.
    layout["xaxis"]["ticktext"] = [f"{_AIR}{text}{_AIR}" for text in layout["xaxis"]["ticktext"]]
    layout["margin"] |= {"t": _TITLE, "b": _EDGE}
    return figure


def beam_tree_figure(
    tree: BeamTree, until: int, text_of: Callable[[Sequence[int]], str], room: int
) -> Figure:
    """Draw the tree after a step: a column per step, the likeliest hypothesis on top, and lines to parents.

    Args:
        tree: the tree of the whole search.
        until: number of the last step to show, from 1.
        text_of: detokenizes ids.
        room: height that the figure should have at most, pixels.
    """
    rows = max(map(len, tree.steps), default=0)
    height = max(_LEAST_HEIGHT, _EDGES + row_height(rows, _TREE_ROW, _LEAST_ROW, room - _EDGES) * rows)
    if not rows:
        message = _("There was nothing to search: your prefix is the whole translation")
        return theme.message_figure(message, height)
    first = max(1, until - MAX_COLUMNS + 1)
    shown = range(first, until + 1)
    says = _("step") if first == 1 else _("step (before {step}: further back)").format(step=first)
    ends = [first - 0.4, max(until, first + 3) + 0.9]
    layout = {
        "margin": {"t": theme.TOOLBAR, "b": 60},
        "meta": {"min_width": _TREE_COLUMN * (until - first + 2)},
        "xaxis": {
            "title": {"text": says, "standoff": 0},
            "range": ends,
            "tickmode": "array",
            "tickvals": list(shown),
        },
        "yaxis": theme.axis(_("rank"), range=[rows + 0.6, 0.4], nticks=9, showgrid=False),
    }
    way = _winners_way(tree)
    traces = [
        *(_lines(tree, shown, way, wins) for wins in (False, True)),
        *(_points(tree, shown, status, text_of) for status in BeamStatus),
    ]
    return theme.plain_figure(traces, layout, height)


def _winners_way(tree: BeamTree) -> set[tuple[int, int]]:
    """Return (step from 0, child) of the winning hypothesis and of all its ancestors."""
    way: set[tuple[int, int]] = set()
    if tree.best:
        step, child = tree.best[0].step, tree.best[0].number
        while step >= 0 and child >= 0:
            way.add((step, child))
            step, child = step - 1, tree.steps[step][child].parent
    return way


def _points(
    tree: BeamTree, shown: Sequence[int], status: BeamStatus, text_of: Callable[[Sequence[int]], str]
) -> PlotlyTrace:
    """Draw the hypotheses of one status, each with its last token."""
    color, symbol, name = _LOOKS[status]
    points = [
        (step, rank, child)
        for step in shown
        for rank, child in enumerate(tree.steps[step - 1], start=1)
        if child.status is status
    ]
    hover = [
        _("{text} ({token}): log P {log_p}, score {score}, {status}").format(
            text=text_of(child.ids),
            token=child.token,
            log_p=number(child.log_probability, "z.2f"),
            score=number(child.score, "z.2f"),
            status=_(name),
        )
        for step, rank, child in points
    ]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [step for step, rank, child in points],
        "y": [rank for step, rank, child in points],
        "text": [theme.escaped(theme.shortened(child.token, _LABEL)) for step, rank, child in points],
        "textposition": "middle right",
        "textfont": {"size": theme.TICK_SIZE},
        "cliponaxis": False,
        "marker": {"color": color, "symbol": symbol, "size": 12},
        "customdata": list(map(theme.escaped, hover)),
        "hovertemplate": "%{customdata}<extra></extra>",
        "name": _(name),
    }


def _lines(tree: BeamTree, shown: Sequence[int], way: set[tuple[int, int]], wins: bool) -> PlotlyTrace:
    """Draw lines from parents to their children: those of the winner, or all others."""
    x: list[float | None] = []
    y: list[float | None] = []
    for step in shown[1:]:
        for index, child in enumerate(tree.steps[step - 1]):
            if ((step - 1, index) in way) is wins:
                label = tree.steps[step - 2][child.parent].token
                start = step - 1 + _POINT + _LETTER * min(_LABEL, len(label))
                x += [start, step - _POINT / 2, None]
                y += [child.parent + 1, index + 1, None]
    look = {"color": theme.VERMILLION if wins else theme.GREY, "width": 4 if wins else 1}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": look,
        "hoverinfo": "skip",
        "name": _("the winner's path"),
        "showlegend": wins,
    }
