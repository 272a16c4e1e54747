"""The softmax of scores: a fuzzy dictionary lookup, and the effect of dividing by sqrt(d_k)."""

import math
from collections.abc import Sequence

from core.figures import theme
from core.figures.plotly.lines import TEXT_ABOVE_BARS, LinePanel, bars, line, stacked_figure, vertical_line
from core.figures.theme import Figure, PlotlyTrace
from core.language import _, number
from core.theory.fuzzy_dictionary import ENTRIES
from core.theory.score_scale import NUM_KEYS, ScoreScale, score_scale

WIDTHS = tuple(2**power for power in range(11))  # 1 to 1024


def fuzzy_dictionary_figure(degrees: float, weights: Sequence[float]) -> Figure:
    """Draw a bar for each entry at its key's direction, as high as its weight, and the query as a line."""
    texts = [
        f"<b>{_(entry.name)}</b><br>{number(weight, '.0%')} × {number(entry.value, 'g')}"
        for entry, weight in zip(ENTRIES, weights, strict=True)
    ]
    keys = [entry.degrees for entry in ENTRIES]
    hover = [
        _("key at {degrees}°: {share}").format(degrees=number(key, "g"), share=number(weight, ".1%"))
        for key, weight in zip(keys, weights, strict=True)
    ]
    shown = {"text": texts, "hovertext": hover, **TEXT_ABOVE_BARS}
    trace = bars(keys, weights, theme.BLUE, "%{hovertext}", width=7, **shown)
    note = {
        "text": _("query: {degrees}°").format(degrees=number(degrees, "g")),
        "x": degrees,
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
    }
    layout = {
        "shapes": [vertical_line(degrees, theme.VERMILLION, 2)],
        "annotations": [note],
        "xaxis": theme.axis(_("direction of the key, degrees"), range=[-8, 98], dtick=15),
        "yaxis": theme.axis(_("attention weight"), range=[0, 1.3], **theme.percent_ticks(0, 0.5, 1)),
    }
    return theme.plain_figure([trace], layout, 360)


def score_scale_figure(chosen: ScoreScale) -> Figure:
    """Draw the entropy at all widths, with the chosen one marked, and one query's attention weights below."""
    scales = [score_scale(width) for width in WIDTHS]
    curves = (
        (_("not divided"), theme.VERMILLION, chosen.raw, [scale.raw.entropy for scale in scales]),
        (_("divided by √d_k"), theme.BLUE, chosen.scaled, [scale.scaled.entropy for scale in scales]),
    )
    entropies: list[PlotlyTrace] = []
    shares: list[PlotlyTrace] = []
    for name, color, weights, values in curves:
        hover = _("d_k = {d_k}, {name}: {entropy} bits").format(d_k="%{x}", name=name, entropy="%{y:.2f}")
        entropies.append(line(WIDTHS, values, name, color, hover, width=3))
        dot = line([chosen.d_k], [weights.entropy], name, color, hover)
        entropies.append({**dot, "marker": {"size": 14}})
        shares.append(_weights(name, color, weights.first.tolist()))
    bits = math.log2(NUM_KEYS)
    panels = [
        LinePanel(
            _("Entropy of the softmax, at most {bits} bits").format(bits=number(bits, ".0f")),
            entropies,
            theme.axis(_("bits"), range=[0, bits + 0.1]),
            theme.axis("d_k", type="log", tickvals=WIDTHS[::2]),
        ),
        LinePanel(
            _("One query's attention weights, d_k = {d_k}").format(d_k=number(chosen.d_k, ",")),
            shares,
            theme.axis(range=[0, 1.15], **theme.percent_ticks(0, 0.2, 0.4, 0.6, 0.8, 1)),
            theme.axis(_("key, the largest weight first"), dtick=1),
        ),
    ]
    return stacked_figure(panels, 510, 0.38, layout={"barmode": "group", "margin": {"b": 90}})


def _weights(name: str, color: str, weights: Sequence[float]) -> PlotlyTrace:
    """Draw a bar for each key, the largest weight first."""
    weights = sorted(weights, reverse=True)
    texts = [number(weight, ".0%") if weight >= 0.005 else "" for weight in weights]
    keys = list(range(1, len(weights) + 1))
    hover = [_("{name}: {share}").format(name=name, share=number(weight, ".1%")) for weight in weights]
    shown = {"text": texts, "hovertext": hover, **TEXT_ABOVE_BARS}
    return bars(keys, weights, color, "%{hovertext}", name=name, **shown)
