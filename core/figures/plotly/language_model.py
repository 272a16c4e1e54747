"""A decoder alone: its next token before and after the cuts, its costs, its size, and rotary positions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Doubles, Reals
from core.figures import theme
from core.figures.plotly.heatmap import add_key, heatmap
from core.figures.plotly.lines import TEXT_ABOVE_BARS, LinePanel, bars, line, named_point, stacked_figure
from core.figures.theme import Figure, PlotlyTrace
from core.language import _, number
from core.theory.decoding_cost import (
    DecoderSize,
    KnownModel,
    cache_bytes,
    multiplications,
    products_of_step,
)
from core.theory.positional_encoding import rotated_pair

_ROW = 36  # pixels, of one candidate
_POINTS = 60  # of a curve
_DISTANCES = 20  # of a query and a key, in each direction
_PANEL = 300  # least width of one of two panels, pixels: on a phone, one is below the other
_TOKENS, _PARAMETERS = (3.5, 14.2), (4.4, 12.6)  # ranges of axes, powers of ten
_NOW, _KEPT, _AGAIN = range(3)  # products of a step
_PRODUCT_COLORS = ((0.0, theme.BLUE), (0.5, theme.GREEN), (1.0, "rgba(128, 128, 128, 0.5)"))
_COSTS_HEIGHT = 420  # pixels
_MOST_TOKENS = 20  # labels along an axis
_COMPUTE = range(10, 28, 3)  # of the dashed lines, powers of ten


def candidates_figure(
    tokens: Sequence[str], before: Sequence[float], kept: Sequence[float], chosen: int | None = None
) -> Figure:
    """Draw two bars for each token: its probability before temperature and cuts, and the one that it is drawn with.

    Args:
        tokens: the likeliest ones, the first on top.
        before: probabilities of the model.
        kept: probabilities to draw with, 0 of tokens that are cut off.
        chosen: the row of the token that was drawn, in color.
    """
    rows = list(range(len(tokens)))
    drawn = [theme.VERMILLION if row == chosen else theme.BLUE for row in rows]
    shown = ((_("the model's"), before, theme.GREY), (_("to draw from"), kept, drawn))
    traces = []
    for name, shares, color in shown:
        hover = [
            theme.escaped(_("{token}: {share}").format(token=token, share=number(share, ".1%")))
            for token, share in zip(tokens, shares, strict=True)
        ]
        texts = [theme.percent(share) if share else "" for share in shares]
        look = {
            "orientation": "h",
            "hovertext": hover,
            "text": list(map(theme.escaped, texts)),
            **TEXT_ABOVE_BARS,
        }
        traces.append(bars(list(shares), rows, color, "%{hovertext}", name=name, **look))
    names = [theme.escaped(theme.shortened(token)) for token in tokens]
    if chosen is not None:
        names[chosen] = f"<b>{names[chosen]}</b>"
    longest = max((*before, *kept), default=1.0)
    layout = {
        "barmode": "group",
        "bargap": 0.25,
        "margin": {"t": 8, "b": 64},
        "legend": {"traceorder": "normal"},
        "xaxis": theme.axis(range=[0, 1.2 * longest], visible=False, fixedrange=True),
        "yaxis": theme.axis(
            tickvals=rows, ticktext=names, range=[len(tokens) - 0.5, -0.5], fixedrange=True, showgrid=False
        ),
        "dragmode": False,
    }
    return theme.plain_figure(traces, layout, 80 + _ROW * len(tokens))


def step_products_figure(tokens: Sequence[str], step: int, size: DecoderSize) -> Figure:
    """Draw which products of a step are computed, what is kept from earlier ones, and what only costs without a cache.

    Args:
        tokens: of the text, from the start token on; a row each.
        step: tokens so far, from 1.
        size: of the model.
    """
    counts = products_of_step(size, step)
    kinds = np.full(counts.shape, _AGAIN)
    kinds[:, 1:3] = _KEPT  # keys and values
    kinds[-1] = _NOW
    meanings = (_("computed now"), _("kept from before"), _("only without the cache"))
    own, rest = [_("query"), _("key"), _("value")], _("rest")
    attention = [_("attention to “{token}”").format(token=token) for token in tokens]
    columns = [*own, "", *attention, "", _("what follows attention")]
    said = _("“{token}”, {product}: {count} multiplications, {meaning}")
    cells, numbers = (_with_gaps(each, len(tokens)) for each in (kinds, counts))
    hover = [
        [
            ""
            if np.isnan(kind)
            else said.format(
                token=token, product=column, count=number(count, ",.0f"), meaning=meanings[int(kind)]
            )
            for column, kind, count in zip(columns, *row, strict=True)
        ]
        for token, *row in zip(tokens, cells, numbers, strict=True)
    ]
    colors = {"cmin": _NOW, "cmax": _AGAIN, "colorscale": _PRODUCT_COLORS, "showscale": False}
    figure = heatmap(
        cells, tokens, columns, hover=hover, colors=colors, most_labels=_MOST_TOKENS, height=_COSTS_HEIGHT
    )
    add_key(figure, dict(zip(meanings, (color for _place, color in _PRODUCT_COLORS), strict=True)))
    # With many tokens, all other columns are wider, so that their labels can be read.
    wide = max(1.0, len(tokens) / 12)
    edges = np.cumsum([0.0, *[wide] * 4, *[1.0] * len(tokens), *[wide] * 2])
    middles = (edges[:-1] + edges[1:]) / 2
    some = theme.tick_positions(len(tokens), _MOST_TOKENS)
    figure["data"][0]["x"] = edges.tolist()
    figure["layout"]["xaxis"] |= {
        "tickvals": middles[[0, 1, 2, *(4 + place for place in some), -1]].tolist(),
        "ticktext": [*own, *(theme.escaped(theme.shortened(tokens[place])) for place in some), rest],
        "tickangle": -90,
        "range": [0.0, float(edges[-1])],
    }
    title = {
        "text": _("attention to"),
        "x": float(edges[4]),
        "y": -0.5,
        "xanchor": "left",
        "yanchor": "bottom",
    }
    figure["layout"]["annotations"] = [title]
    figure["layout"]["margin"] |= {"t": theme.TOOLBAR, "b": 150}
    return figure


def _with_gaps(products: NDArray[np.int64], rows: int) -> Doubles:
    """Return the products of a step in as many rows as there are tokens, with a gap on each side of attention."""
    step = len(products)
    cells = np.full((rows, rows + 6), np.nan)
    cells[:step, :3] = products[:, :3]
    cells[:step, 4 : 4 + step] = products[:, 3:-1]
    cells[:step, -1] = products[:, -1]
    return cells


def decoding_cost_figure(sizes: Mapping[str, DecoderSize], length: int, at: int) -> Figure:
    """Draw the multiplications of each step with and without a cache, and the cache's megabytes, over the tokens so far.

    Args:
        sizes: of each model, by its name; up to four.
        length: tokens at the right end.
        at: tokens at which each curve has a dot.
    """
    curve = np.geomspace(1, length, _POINTS).round()
    lengths = np.union1d(curve, [at]).astype(int).tolist()
    dots = {
        "mode": "lines+markers",
        "marker": {"opacity": 1, "size": [10 if each == at else 0 for each in lengths]},
    }
    steps: list[PlotlyTrace] = []
    memory: list[PlotlyTrace] = []
    for (name, size), color in zip(sizes.items(), theme.SERIES, strict=False):
        for cached, title, dash in (
            (True, _("{name}, with the cache"), "solid"),
            (False, _("{name}, without"), "dot"),
        ):
            title = title.format(name=name)
            counts = [multiplications(size, each, with_cache=cached) for each in lengths]
            hover = _("{name}, {length} tokens: {count} multiplications").format(
                name=theme.escaped(title), length="%{x:,}", count="%{y:.3s}"
            )
            steps.append(line(lengths, counts, title, color, hover, dash=dash) | dots)
        megabytes = [cache_bytes(size, each) / 1e6 for each in lengths]
        hover = _("{name}, {length} tokens: {count} MB").format(
            name=theme.escaped(name), length="%{x:,}", count="%{y:,.3~g}"
        )
        title = _("{name}, with the cache").format(name=name)
        memory.append(line(lengths, megabytes, title, color, hover) | dots)
    logarithmic = {"type": "log", "dtick": 3, "exponentformat": "power"}
    panels = [
        LinePanel(_("Multiplications of one step"), steps, logarithmic),
        LinePanel(_("Cache, MB"), memory, logarithmic),
    ]
    x_axis = theme.axis(_("tokens so far"), type="log", tickvals=[1, 4, 16, 64, 256, 1024], tickformat=",d")
    layout = {
        "margin": {"b": 90 + 26 * len(sizes)},
        "legend": {"traceorder": "normal"},
        "meta": {"min_width": _PANEL},
    }
    return stacked_figure(panels, _COSTS_HEIGHT, 0.25, x_axis, layout)


def model_sizes_figure(models: Sequence[KnownModel], own: KnownModel) -> Figure:
    """Draw parameters over training tokens, both logarithmic; along a dashed line, the compute 6 N D is the same.

    Args:
        models: known ones.
        own: the class's, in another color.
    """
    drawn = [*map(_same_compute, _COMPUTE), *(_model(each, is_own=each is own) for each in (own, *models))]
    axis = {"type": "log", "dtick": 3, "exponentformat": "power"}
    layout = {
        "showlegend": False,
        "annotations": [note for _trace, note in drawn],
        "margin": {"t": 8, "b": 64},
        "xaxis": theme.axis(_("tokens of the training"), range=_TOKENS, **axis),
        "yaxis": theme.axis(_("parameters"), range=_PARAMETERS, **axis),
    }
    return theme.plain_figure([trace for trace, _note in drawn], layout, 460)


def _model(model: KnownModel, *, is_own: bool) -> tuple[PlotlyTrace, dict[str, Any]]:
    """Draw a model as a dot with its name beside it: on the left of encoder-decoders and at the right edge."""
    name = theme.escaped(model.name)
    color = theme.VERMILLION if is_own else theme.BLUE
    is_left = model.tokens > 1e12 or (model.decoder is None and not is_own)
    dot, note = named_point(
        model.tokens, model.parameters, f"<b>{name}</b>" if is_own else name, color, left=is_left
    )
    sizes = _("{name}: {parameters} parameters, {tokens} tokens, {operations} operations").format(
        name=name,
        parameters=_power(model.parameters),
        tokens=_power(model.tokens),
        operations=_power(model.compute),
    )
    says = [sizes, *(theme.escaped(_(each)) for each in (model.paper, model.note) if each)]
    look = {"hovertext": ["<br>".join(says)], "hoverinfo": "text", "marker": {"color": color, "size": 11}}
    # On an axis of powers of ten, Plotly places a note at the power.
    place = {"x": float(np.log10(model.tokens)), "y": float(np.log10(model.parameters)), "yshift": 0}
    return {**dot, **look}, {**note, **place}


def _same_compute(power: int) -> tuple[PlotlyTrace, dict[str, Any]]:
    """Draw the line along which 6 N D is this power of ten, with the power at its lower end."""
    product = power - float(np.log10(6))  # log10 of N D
    text = f"10<sup>{power}</sup>"
    hover = _("{operations} operations").format(operations=text)
    x, y = [10.0**each for each in _TOKENS], [10.0 ** (product - each) for each in _TOKENS]
    end = min(_TOKENS[1], product - _PARAMETERS[0])
    font = {"size": theme.TICK_SIZE, "color": theme.GREY}
    note = {"text": text, "x": end, "y": product - end, "xanchor": "right", "yanchor": "bottom", "font": font}
    return line(x, y, "", theme.GRID, hover, width=1.5, dash="dash"), note


def _power(value: float) -> str:
    """Return a number as people write large ones: 3.1 · 10²³."""
    power = int(np.floor(np.log10(value)))
    return f"{number(value / 10**power, '.1f')} · 10<sup>{power}</sup>"


def rotation_figures(query_at: int, key_at: int, pair: int = 1, width: int = 16) -> tuple[Figure, Figure]:
    """Draw one pair of channels of a query and a key, turned by their positions; and their scores over the distance.

    The score depends on the angle between the two, and that on the distance of their positions alone.

    Args:
        query_at: position of the query, from 0.
        key_at: position of the key.
        pair: number of the pair of channels, from 0; the first turns fastest.
        width: K, of a head.
    """
    turned = rotated_pair(max(query_at, key_at) + _DISTANCES + 1, pair, width)
    looks = ((_("query"), 0, query_at, theme.BLUE), (_("key"), 1, key_at, theme.VERMILLION))
    arrows = []
    for name, row, at, color in looks:
        for title, place, dash in (
            (_("{name} at position 0"), 0, "dot"),
            (_("{name} at position {position}"), at, "solid"),
        ):
            x, y = turned[place, row].tolist()
            title = title.format(name=name, position=at)
            arrows.append(
                line([0, x], [0, y], title, color, title, width=4 if place else 2, dash=dash, markers=True)
            )
    fixed = {"range": [-1.15, 1.15], "tickvals": [-1, 0, 1], "fixedrange": True}
    circle = {"type": "circle", "x0": -1, "y0": -1, "x1": 1, "y1": 1, "line": {"color": theme.GRID}}
    title = _("pair of channels {number} of {count}").format(number=pair + 1, count=width // 2)
    layout = {
        "shapes": [circle],
        "meta": {"min_width": _PANEL},
        "title": {"text": title},
        "margin": {"b": 84},
        "xaxis": {**fixed, "constrain": "domain"},
        "yaxis": {**fixed, "scaleanchor": "x", "constrain": "domain"},
        "dragmode": False,
    }
    return theme.plain_figure(arrows, layout, 360), _scores_figure(turned, query_at - key_at)


def _scores_figure(turned: Reals, distance: int) -> Figure:
    """Draw the scores of a query and a key, turned to all positions (T, 2, 2), over their distance."""
    distances = list(range(-_DISTANCES, _DISTANCES + 1))
    scores = [float(turned[max(each, 0), 0] @ turned[max(-each, 0), 1]) for each in distances]
    hover = _("distance {distance}: {score}").format(distance="%{x}", score="%{y:.2f}")
    score = float(turned[max(distance, 0), 0] @ turned[max(-distance, 0), 1])
    text = _("distance {distance}: <b>{score}</b>").format(
        distance=number(distance), score=number(score, "z.2f")
    )
    dot, _note = named_point(distance, score, text, theme.VERMILLION, left=False)
    layout = {
        "showlegend": False,
        "meta": {"min_width": _PANEL},
        "title": {"text": text},
        "margin": {"b": 64},
        "xaxis": theme.axis(_("position of the query minus that of the key"), nticks=9),
        "yaxis": theme.axis(_("score"), range=[-1.15, 1.25], tickvals=[-1, 0, 1]),
    }
    return theme.plain_figure(
        [line(distances, scores, "", theme.BLUE, hover, markers=True), dot], layout, 360
    )
