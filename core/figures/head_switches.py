"""The switches of all attention heads, as SVG: a map for each kind of attention, colored by what each head costs."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.heatmap import colors_of, is_pale
from core.figures.number_tables import with_true_minus
from core.records.attention import ATTENTION_KINDS, AttentionKind, Head

_LEAST_COST = 1e-3  # nats; if all costs are lower, colors stay pale

# Sizes in SVG units, which are about as large as pixels: more on a phone, and in a model with few heads.
_NAME, _COST = 13, 11.5  # font sizes
_TITLE, _ROW, _GAP = 24, 36, 3
_LAYER, _HEAD = 58, 40  # widths
_LEAST, _LARGEST = 0.85, 1.5  # pixels per unit


def layer_name(layer: int) -> str:
    """Return the name of a layer's switch, "Layer 1" for layer 0."""
    return f"Layer {layer + 1}"


def head_name(head: Head) -> str:
    """Return the name of a head's switch among those of its kind, "1.2" for head 1 of layer 0."""
    return f"{head.layer + 1}.{head.head + 1}"


def head_switches_svg(
    costs: NDArray[np.float32], off: Collection[Head], titles: Mapping[AttentionKind, str]
) -> str:
    """Draw a switch for each head and each layer, as many maps side by side as fit.

    The part that a click selects is the kind of attention and the switch's name: "cross 1.2", "cross Layer 1".

    Args:
        costs: what is lost without each head, nats per token, (3, L, H).
        off: the heads that are off, which are framed and crossed out.
        titles: the title of each map.
    """
    _, layers, heads = costs.shape
    width = _LAYER + heads * (_GAP + _HEAD) + 2 * _GAP
    height = _TITLE + layers * (_ROW + _GAP) + _GAP
    shares = costs / max(_LEAST_COST, float(np.abs(costs).max()))
    colors = colors_of((shares + 1) / 2, theme.SIGNED_SCALE)
    maps = []
    for kind, of_kind, shares_of_kind, colors_of_kind in zip(
        ATTENTION_KINDS, costs, shares, colors, strict=True
    ):
        parts = [f'<text x="{_GAP}" y="{_NAME}" font-weight="600">{html.escape(titles[kind])}</text>']
        for layer in range(layers):
            of_layer = [Head(kind, layer, head) for head in range(heads)]
            y = _TITLE + layer * (_ROW + _GAP)
            name = layer_name(layer)
            label = _text(_LAYER / 2 + _GAP, y + 23, name, _NAME, is_off=set(of_layer) <= set(off))
            parts.append(
                _switch(f"{kind} {name}", name, (_GAP, y, _LAYER), "none", label, set(of_layer) <= set(off))
            )
            for head in of_layer:
                x = _GAP + _LAYER + _GAP + head.head * (_HEAD + _GAP)
                cost = with_true_minus(f"{of_kind[layer, head.head]:z.2f}")
                color = theme.BLACK if is_pale(float(shares_of_kind[layer, head.head])) else theme.WHITE
                middle, name = x + _HEAD / 2, head_name(head)
                label = _text(middle, y + 15, name, _NAME, is_off=head in off, color=color)
                label += _text(middle, y + 30, cost, _COST, color=color)
                fill = f"rgb{tuple(colors_of_kind[layer, head.head].tolist())}"
                place = (x, y, _HEAD)
                parts.append(
                    _switch(f"{kind} {name}", f"{name}: {cost} nats", place, fill, label, head in off)
                )
        maps.append(
            f'<svg viewBox="0 0 {width} {height}" role="group" aria-label="{html.escape(titles[kind])}" '
            f'xmlns="http://www.w3.org/2000/svg" fill="currentColor" font-size="{_NAME}" '
            f'style="display:block;width:100%;max-width:{width * _LARGEST:g}px">{"".join(parts)}</svg>'
        )
    columns = f"repeat(auto-fit, minmax(min(100%, {width * _LEAST:g}px), 1fr))"
    return (
        f'<div style="display:grid;gap:0.8rem 1.5rem;grid-template-columns:{columns}">{"".join(maps)}</div>'
    )


def _switch(
    part: str, name: str, place: tuple[float, float, float], fill: str, label: str, is_off: bool
) -> str:
    """Draw a switch as a button, pressed if it is off, at a place: left edge, upper edge and width."""
    x, y, width = place
    stroke = 'stroke-width="3"' if is_off else 'stroke-opacity="0.35"'
    return (
        f'<g data-part="{part}" role="button" tabindex="0" aria-pressed="{"true" if is_off else "false"}" '
        f'aria-label="{name}" style="cursor:pointer"><rect x="{x}" y="{y}" width="{width}" height="{_ROW}" rx="4" '
        f'fill="{fill}" pointer-events="all" stroke="currentColor" {stroke}/>{label}</g>'
    )


def _text(
    x: float, y: float, text: str, size: float, *, is_off: bool = False, color: str = "currentColor"
) -> str:
    crossed_out = ' text-decoration="line-through"' if is_off else ""
    return f'<text x="{x:g}" y="{y}" text-anchor="middle" font-size="{size}" fill="{color}"{crossed_out}>{text}</text>'
