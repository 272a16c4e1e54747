"""Inside a model: lens, contributions, faithfulness, heads, padding, patching. Axis letters: see `core.config`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Floats, Reals
from core.figures import theme
from core.figures.heatmap import (
    color_axis,
    colored_text,
    colors_of,
    heatmap,
    is_bright,
    is_pale,
    side_by_side,
    signed_axis,
)
from core.figures.label_fit import MIN_COLUMN, longest_label, longest_line, row_height
from core.figures.lines import bars, line
from core.figures.theme import Figure, PlotlyTrace
from core.records.analysis import PaddingOutcome

_TOP = 270  # pixels of the page above a figure with a row per word
_MAX_WORDS = 128  # with a label

_LENS_ROW, _LEAST_LENS_ROW, _AROUND_LENS = 30, 20, 76  # pixels
_PERCENT = " 100 %"

_BARS, _GAP = 0.24, 0.03  # shares of the width of cells and bars together
_WORD_ROW, _LEAST_WORD_ROW, _MIN_WORDS = 26, 18, 120  # pixels
_AROUND_WORDS = 150  # pixels for column labels and the legend

_MAX_WRITTEN = 100  # heads with a number in the cell
_LEAST_COST = 1e-3  # nats; if all costs are lower, colors stay pale

_PATCHING_ROW = 44  # pixels
_MAX_WITH_NUMBERS = 14  # columns
_SHARES_ROW = 46  # pixels

_LOOKS = (
    (theme.BLUE, "solid"), (theme.VERMILLION, "solid"), (theme.GREEN, "solid"),
    (theme.PURPLE, "solid"), (theme.BLUE, "dot"),
)  # fmt: skip


def lens_figure(
    written: Sequence[str],
    words: Sequence[Sequence[str]],
    probabilities: ArrayLike,
    final_probabilities: ArrayLike,
    final_ranks: ArrayLike,
    known_since: Sequence[int | None],
    place_title: str,
) -> Figure:
    """Draw the logit lens: tokens of the translation as rows, places of a stack as columns.

    The color is the probability of the translation's token. The token is bold where it is the likeliest, and framed from
    where it stays so.

    Args:
        written: the translation's tokens, T.
        words: the likeliest token at each place and position, (L + 1, T).
        probabilities: probabilities of `words`, (L + 1, T), 0 to 1.
        final_probabilities: probabilities of the translation's tokens, (L + 1, T).
        final_ranks: ranks of the translation's tokens, (L + 1, T), from 1.
        known_since: for each position, the place from which on the translation's token is the likeliest, if any.
        place_title: title of the columns.
    """
    likeliest, final, ranks = (
        np.asarray(each).T for each in (probabilities, final_probabilities, final_ranks)
    )
    texts, hover = [], []
    for t, token in enumerate(written):
        cells = list(zip((place[t] for place in words), likeliest[t], final[t], ranks[t], strict=True))
        texts.append([_lens_text(word, share, rank == 1, is_bright(own)) for word, share, own, rank in cells])
        hover.append(
            [
                f"after layer {layer}: “{word}” {share:.1%}; “{token}”, which was written: {own:.1%}, rank {rank:,}"
                for layer, (word, share, own, rank) in enumerate(cells)
            ]
        )
    row = row_height(len(written), _LENS_ROW, _LEAST_LENS_ROW, _AROUND_LENS, _TOP)
    figure = heatmap(
        final,
        [f"{number}. {token}" for number, token in enumerate(written, start=1)],
        [*map(str, range(len(words) - 1)), f"{len(words) - 1} = output"],
        column_title=place_title,
        hover=hover,
        texts=texts,
        colors=color_axis((0.0, 1.0)),
        column=longest_label([*(word + _PERCENT for place in words for word in place)]),
        most_labels=_MAX_WORDS,
        height=_AROUND_LENS + row * len(written),
    )
    return _framed(figure, known_since)


def _framed(figure: Figure, columns: Sequence[int | None]) -> Figure:
    """Frame one cell in each row of a heatmap, or none."""
    frame = {"type": "rect", "line": {"color": theme.VERMILLION, "width": 3}}
    figure["layout"]["shapes"] = [
        {**frame, "x0": column - 0.48, "x1": column + 0.48, "y0": row - 0.42, "y1": row + 0.42}
        for row, column in enumerate(columns)
        if column is not None
    ]
    return figure


def _lens_text(word: str, probability: float, is_final: bool, on_bright: bool) -> str:
    shown = theme.escaped(theme.shortened(word))
    named = f"<b>{shown}</b>" if is_final else shown
    return colored_text(f"{named} {probability:.0%}", on_bright)


def contributions_figure(
    words: Sequence[str],
    source_words: Sequence[str],
    prefix_words: Sequence[str],
    values: Floats,
    source_share: Floats,
    marked: Collection[int] = (),
) -> Figure:
    """Draw the contributions to each generated word: a bar for source and prefix, then a cell for each word.

    Args:
        words: the generated words.
        source_words: the source's words.
        prefix_words: words that can precede a generated word.
        values: a row per generated word, a column per source and prefix word; NaN for words that do not precede it.
        source_share: the source's share of each generated word, 0 to 1.
        marked: rows of possible hallucinations.
    """
    columns = (*source_words, *prefix_words)
    row = row_height(len(words), _WORD_ROW, _LEAST_WORD_ROW, _AROUND_WORDS, _TOP)
    hover = [  # without the sign that a row's label may have
        [
            "" if np.isnan(value) else f"“{word}” from “{column}”: {value:.1%}"
            for column, value in zip(columns, cells, strict=True)
        ]
        for word, cells in zip(words, values, strict=True)
    ]
    figure = heatmap(
        values,
        [f"{'⚠ ' if row in marked else ''}{word}" for row, word in enumerate(words)],
        columns,
        hover=hover,
        colors=color_axis((0.0, float(np.nanmax(values, initial=0.0)) or 1.0)),
        column=MIN_COLUMN / (1 - _BARS),
        most_labels=_MAX_WORDS,
        height=max(_MIN_WORDS, row * len(words)) + _AROUND_WORDS,
    )
    if words:
        boundary = len(source_words) - 0.5 if prefix_words else None
        _put_beside(figure, _share_bars(source_share.tolist(), marked), boundary)
    return figure


def _put_beside(figure: Figure, traces: Sequence[PlotlyTrace], boundary: float | None) -> None:
    """Put bars to the left of a heatmap, in its rows, and a line at a boundary between columns."""
    ends = {"x0": boundary, "x1": boundary, "xref": "x2", "y0": 0, "y1": 1, "yref": "paper"}
    between = {"type": "line", **ends, "line": {"color": theme.GREY, "width": 3}}
    (cells,), layout = figure["data"], figure["layout"]
    figure["data"] = [*traces, {**cells, "xaxis": "x2", "yaxis": "y"}]
    layout["margin"] |= {"t": 30, "b": 44}
    layout |= {
        "barmode": "stack",
        "bargap": 0.15,
        "shapes": [] if boundary is None else [between],
        "xaxis2": {**layout["xaxis"], "domain": [_BARS + _GAP, 1], "anchor": "y", "tickangle": -90},
        "xaxis": theme.axis(domain=[0, _BARS], range=[0, 1], tickformat=".0%", nticks=3, side="top"),
        "yaxis": {**layout["yaxis"], "anchor": "x"},
    }


def _share_bars(shares: Sequence[float], marked: Collection[int]) -> list[PlotlyTrace]:
    rows = list(range(len(shares)))
    colors = [theme.VERMILLION if row in marked else theme.BLUE for row in rows]
    axes = {"orientation": "h", "xaxis": "x", "yaxis": "y"}
    source = bars(shares, rows, colors, "%{x:.0%} from the source", name="source", **axes)
    rest, hover = [1 - share for share in shares], "%{x:.0%} from the words before"
    return [source, bars(rest, rows, theme.GREY, hover, name="words before", **axes)]


def erasure_figure(erased: Sequence[int], curves: Mapping[str, Sequence[float]], chance: str) -> Figure:
    """Draw a translation's probability while its source words are erased: a line per order, dashed for chance.

    Args:
        erased: number of erased words at each point.
        curves: mean log P per token at each point, nats, by name for the legend.
        chance: the name of the curve of random orders.
    """
    looks = iter(_LOOKS)
    traces = []
    for name, curve in curves.items():
        color, dash = (theme.GREY, "dash") if name == chance else next(looks)
        hover = f"{theme.escaped(name)}: %{{y:.2f}} nats with %{{x}} words gone"
        traces.append(line(list(erased), curve, name, color, hover, width=3, dash=dash, markers=True))
    layout = {
        "margin": {"t": 12, "b": 112},
        "xaxis": theme.axis("source words erased", dtick=-(-erased[-1] // 8)),
        "yaxis": theme.axis("log P per token, nats", nticks=6),
    }
    return theme.plain_figure(traces, layout)


def head_map_figure(values: Reals, name: str, title: str, color_range: tuple[float, float]) -> Figure:
    """Draw one number for each head, layer by layer, with the numbers in the cells.

    Args:
        values: (L, H); NaN for undefined numbers.
        name: name of the number.
        title: title above the figure.
        color_range: range of the colors.
    """
    layers, heads = values.shape
    return heatmap(
        values,
        [f"Layer {layer}" for layer in range(1, layers + 1)],
        [f"Head {head}" for head in range(1, heads + 1)],
        title=title,
        hover=f"{{row}}, {{column}}: {name} {{value:.2f}}",
        texts=".2f" if values.size <= _MAX_WRITTEN else "",
        colors=color_axis(color_range),
    )


def head_colors(costs: Floats) -> list[list[tuple[str, str]]]:
    """Return CSS background and text colors (3, L * H) for the heads' costs (3, L, H), nats per token."""
    shares = costs.reshape(len(costs), -1) / max(_LEAST_COST, float(np.abs(costs).max()))
    colors = colors_of((shares + 1) / 2, theme.SIGNED_SCALE).tolist()
    return [
        [
            (f"rgb{tuple(color)}", theme.BLACK if is_pale(share) else theme.WHITE)
            for color, share in zip(*kind, strict=True)
        ]
        for kind in zip(colors, shares.tolist(), strict=True)
    ]


def padding_shares_figures(outcome: PaddingOutcome) -> tuple[Figure, ...]:
    """Draw the share of attention that goes to padding, in percent, by layer and head."""
    shares = (outcome.encoder_share, outcome.cross_share)
    layers, heads = ([str(number) for number in range(1, count + 1)] for count in shares[0].shape)
    figures = [
        heatmap(
            100 * share,
            layers,
            heads,
            row_title="layer",
            column_title="head",
            hover="layer {row}, head {column}: {value:.1f}% of the attention goes to padding",
            texts=".0f",
            colors=color_axis((0.0, 100.0), "none"),
        )
        for share in shares
    ]
    titles = ("Encoder self-attention", "Cross-attention")
    return side_by_side(titles, figures, len(layers) * _SHARES_ROW, longest_line(["100"]))


def patching_figures(
    encoder: Floats,
    decoder: Floats,
    source_tokens: Sequence[str],
    other_tokens: Sequence[str],
    prefix_tokens: Sequence[str],
) -> tuple[Figure, ...]:
    """Draw where a difference between two sentences lies: layer × position, the output on top, in percent.

    Args:
        encoder: the difference that each encoder state carries, (L + 1, S), 0 for none to 1 for all.
        decoder: the difference that each decoder state carries, (L + 1, T).
        source_tokens: tokens of the patched sentence, S.
        other_tokens: tokens of the sentence that the states come from, S.
        prefix_tokens: the decoder's input so far, T.
    """
    pairs = zip(source_tokens, other_tokens, strict=True)
    columns = [mine if mine == theirs else f"{mine}→{theirs}" for mine, theirs in pairs]
    rows = ["embedding", *(f"layer {layer}" for layer in range(1, len(encoder)))]
    figures = [
        heatmap(
            100 * recovered[::-1],
            rows[::-1],
            tokens,
            column_title=title,
            hover="{row}, “{column}”: brings over {value:z.1f}% of the difference",
            texts=".0f" if len(tokens) <= _MAX_WITH_NUMBERS else "",
            colors=signed_axis(100.0),
        )
        for recovered, tokens, title in (
            (encoder, columns, "source token"),
            (decoder, prefix_tokens, "decoder-input token"),
        )
    ]
    titles = ("Encoder states", "Decoder states")
    return side_by_side(titles, figures, len(rows) * _PATCHING_ROW, longest_line(["100"]), upright=True)
