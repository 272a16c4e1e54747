"""Inside a model: lens, contributions, faithfulness, heads, padding, patching. Axis letters: see `core.config`."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from core.figures import theme
from core.figures.label_fit import MIN_COLUMN, longest_label, longest_line, row_height
from core.figures.plotly.heatmap import color_axis, heatmap, on_share, side_by_side, signed_axis
from core.figures.plotly.lines import bars, line
from core.figures.theme import Figure, PlotlyTrace
from core.language import N_, _, number
from core.records.analysis import (
    CHANCE,
    Contributions,
    ErasureCurves,
    Lens,
    LensKind,
    PaddingOutcome,
    PatchingMap,
)
from core.records.attention import HeadFacts

_MAX_WORDS = 128  # with a label

_LENS_ROW, _LEAST_LENS_ROW, _AROUND_LENS = 30, 20, 76  # pixels
_PERCENT = " 100%"
_LENS_TITLES: dict[LensKind, str] = {
    "decoder": N_("decoder layer that predicts"),
    "encoder": N_("encoder layer that the decoder attends to"),
}

_BARS, _GAP = 0.24, 0.03  # shares of the width of cells and bars together
_WORD_ROW, _LEAST_WORD_ROW, _MIN_WORDS = 26, 18, 120  # pixels
_AROUND_WORDS = 150  # pixels for column labels and the legend

_MAX_WRITTEN = 100  # heads with a number in the cell

_PATCHING_ROW = 44  # pixels
_MAX_WITH_NUMBERS = 14  # columns
_SHARES_ROW = 46  # pixels

_LOOKS = (*((color, "solid") for color in theme.SERIES), (theme.BLUE, "dot"))


def lens_figure(lens: Lens, room: int, *, settled_shown: bool = True) -> Figure:
    """Draw the logit lens: tokens of the translation as rows, places of a stack as columns.

    A cell has the likeliest token, its probability as a number and as a color. It is bold where it is the translation's
    token, and framed from where it stays so, if `settled_shown`. As many rows fit into `room`, pixels, as can be read.
    """
    likeliest = lens.probability.T
    final = lens.final_probability.T
    ranks = lens.final_rank.T
    texts = []
    hover = []
    for t, token in enumerate(lens.predicted_tokens):
        cells = list(zip((place[t] for place in lens.tokens), likeliest[t], final[t], ranks[t], strict=True))
        texts.append([_lens_text(word, share, rank == 1) for word, share, own, rank in cells])
        hover.append(
            [
                _(
                    "after layer {layer}: “{word}” {share}; “{token}”, which was written: {own}, rank {rank}"
                ).format(
                    layer=layer,
                    word=word,
                    share=number(share, ".1%"),
                    token=token,
                    own=number(own, ".1%"),
                    rank=number(rank, ","),
                )
                for layer, (word, share, own, rank) in enumerate(cells)
            ]
        )
    rows = len(lens.predicted_tokens)
    last = len(lens.tokens) - 1
    figure = heatmap(
        likeliest,
        [f"{place}. {token}" for place, token in enumerate(lens.predicted_tokens, start=1)],
        [*map(str, range(last)), _("{layer} = output").format(layer=last)],
        column_title=_(_LENS_TITLES[lens.kind]),
        hover=hover,
        texts=texts,
        colors=color_axis((0.0, 1.0)),
        column=longest_label(word + _PERCENT for place in lens.tokens for word in place),
        most_labels=_MAX_WORDS,
        height=_AROUND_LENS + rows * row_height(rows, _LENS_ROW, _LEAST_LENS_ROW, room - _AROUND_LENS),
    )
    return _framed(figure, lens.known_since) if settled_shown else figure


def _framed(figure: Figure, columns: Sequence[int | None]) -> Figure:
    """Frame one cell in each row of a heatmap, or none."""
    frame = {"type": "rect", "line": {"color": theme.VERMILLION, "width": 3}}
    figure["layout"]["shapes"] = [
        {**frame, "x0": column - 0.48, "x1": column + 0.48, "y0": row - 0.42, "y1": row + 0.42}
        for row, column in enumerate(columns)
        if column is not None
    ]
    return theme.without_zoom(figure)


def _lens_text(word: str, probability: float, is_final: bool) -> str:
    shown = theme.escaped(theme.shortened(word))
    named = f"<b>{shown}</b>" if is_final else shown
    return on_share(f"{named} {number(probability, '.0%')}", probability)


def contributions_figure(found: Contributions, room: int) -> Figure:
    """Draw the contributions to each generated word: a bar for source and prefix, then a cell for each word.

    As many rows fit into `room`, pixels, as can be read.
    """
    values = np.concatenate([found.source, found.prefix], axis=1)
    columns = (*found.source_words, *found.prefix_words)
    marked = found.possible_hallucinations
    rows = len(found.words)
    row = row_height(rows, _WORD_ROW, _LEAST_WORD_ROW, room - _AROUND_WORDS)
    hover = [  # without the sign that a row's label may have
        [
            ""
            if np.isnan(value)
            else _("“{word}” from “{column}”: {share}").format(
                word=word, column=column, share=number(value, ".1%")
            )
            for column, value in zip(columns, cells, strict=True)
        ]
        for word, cells in zip(found.words, values, strict=True)
    ]
    figure = heatmap(
        values,
        [f"{'⚠ ' if row in marked else ''}{word}" for row, word in enumerate(found.words)],
        columns,
        hover=hover,
        colors=color_axis((0.0, float(np.nanmax(values, initial=0.0)) or 1.0)),
        column=MIN_COLUMN / (1 - _BARS),
        most_labels=_MAX_WORDS,
        height=max(_MIN_WORDS, row * rows) + _AROUND_WORDS,
    )
    if rows:
        _put_beside(figure, _share_bars(found.source_share.tolist(), marked), len(found.source_words) - 0.5)
    return theme.without_zoom(figure)


def _put_beside(figure: Figure, traces: Sequence[PlotlyTrace], boundary: float) -> None:
    """Put bars to the left of a heatmap, in its rows, and a line at a boundary between columns."""
    ends = {"x0": boundary, "x1": boundary, "xref": "x2", "y0": 0, "y1": 1, "yref": "paper"}
    between = {"type": "line", **ends, "line": {"color": theme.GREY, "width": 3}}
    (cells,), layout = figure["data"], figure["layout"]
    figure["data"] = [*traces, {**cells, "xaxis": "x2", "yaxis": "y"}]
    layout["margin"] |= {"t": 30, "b": 44}
    layout |= {
        "barmode": "stack",
        "bargap": 0.15,
        "shapes": [between],
        "xaxis2": {**layout["xaxis"], "domain": [_BARS + _GAP, 1], "anchor": "y", "tickangle": -90},
        "xaxis": theme.axis(domain=[0, _BARS], range=[0, 1], side="top", **theme.percent_ticks(0, 0.5, 1)),
        "yaxis": {**layout["yaxis"], "anchor": "x"},
    }


def _share_bars(shares: Sequence[float], marked: Collection[int]) -> list[PlotlyTrace]:
    rows = list(range(len(shares)))
    colors = [theme.VERMILLION if row in marked else theme.BLUE for row in rows]
    axes = {"orientation": "h", "xaxis": "x", "yaxis": "y"}
    rest = [1 - share for share in shares]
    of_source, of_rest = _("{share} from the source"), _("{share} from the words before")
    hover = [of_source.format(share=number(share, ".0%")) for share in shares]
    rest_hover = [of_rest.format(share=number(share, ".0%")) for share in rest]
    return [
        bars(shares, rows, colors, "%{hovertext}", hovertext=hover, name=_("source"), **axes),
        bars(rest, rows, theme.GREY, "%{hovertext}", hovertext=rest_hover, name=_("words before"), **axes),
    ]


def erasure_figure(found: ErasureCurves, names: Mapping[str, str]) -> Figure:
    """Draw a translation's probability while its source words are erased: a line per order, dashed for chance."""
    looks = iter(_LOOKS)
    traces = []
    for measure, curve in found.curves.items():
        name = names[measure]
        color, dash = (theme.GREY, "dash") if measure == CHANCE else next(looks)
        hover = _("{measure}: {log_p} nats with {count} words gone").format(
            measure=theme.escaped(name), log_p="%{y:.2f}", count="%{x}"
        )
        traces.append(
            line(found.erased, curve.tolist(), name, color, hover, width=3, dash=dash, markers=True)
        )
    layout = {
        "margin": {"t": 12, "b": 112},
        "xaxis": theme.axis(_("source words erased"), dtick=-(-found.erased[-1] // 8)),
        "yaxis": theme.axis(_("log P per token, nats"), nticks=6),
    }
    return theme.plain_figure(traces, layout)


def head_map_figure(facts: HeadFacts, fact: str, title: str) -> Figure:
    """Draw one property of each head, layer by layer, with the numbers in the cells."""
    values = getattr(facts, fact)
    layers, heads = values.shape
    return heatmap(
        values,
        [_("Layer {layer}").format(layer=layer) for layer in range(1, layers + 1)],
        [_("Head {head}").format(head=head) for head in range(1, heads + 1)],
        title=title,
        hover=_("{row}, {column}: {fact} {value:.2f}").replace("{fact}", title.lower()),
        texts=".2f" if values.size <= _MAX_WRITTEN else "",
        colors=color_axis((0.0, facts.highest(fact))),
    )


def padding_shares_figures(outcome: PaddingOutcome) -> tuple[Figure, ...]:
    """Draw the share of attention that goes to padding, in percent, by layer and head."""
    shares = (outcome.encoder_share, outcome.cross_share)
    layers, heads = ([str(each) for each in range(1, count + 1)] for count in shares[0].shape)
    figures = [
        heatmap(
            100 * share,
            layers,
            heads,
            row_title=_("layer"),
            column_title=_("head"),
            hover=N_("layer {row}, head {column}: {value:.1f}% of the attention goes to padding"),
            texts=".0f",
            colors=color_axis((0.0, 100.0), "none"),
        )
        for share in shares
    ]
    titles = (_("Encoder self-attention"), _("Cross-attention"))
    return side_by_side(titles, figures, len(layers) * _SHARES_ROW, longest_line(["100"]))


def patching_figures(found: PatchingMap) -> tuple[Figure, ...]:
    """Draw where a difference between two sentences lies: layer × position, the output on top, in percent."""
    pairs = zip(found.source_tokens, found.other_tokens, strict=True)
    columns = [mine if mine == theirs else f"{mine}→{theirs}" for mine, theirs in pairs]
    rows = [
        _("embedding"),
        *(_("layer {layer}").format(layer=layer) for layer in range(1, len(found.encoder))),
    ]
    figures = [
        heatmap(
            100 * recovered[::-1],
            rows[::-1],
            tokens,
            column_title=title,
            hover=N_("{row}, “{column}”: brings over {value:z.1f}% of the difference"),
            texts=".0f" if len(tokens) <= _MAX_WITH_NUMBERS else "",
            colors=signed_axis(100.0),
        )
        for recovered, tokens, title in (
            (found.encoder, columns, _("source token")),
            (found.decoder, found.prefix_tokens, _("decoder-input token")),
        )
    ]
    titles = (_("Encoder states"), _("Decoder states"))
    return side_by_side(titles, figures, len(rows) * _PATCHING_ROW, longest_line(["100"]), upright=True)
