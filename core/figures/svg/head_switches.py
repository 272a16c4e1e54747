"""The switches of all attention heads, as SVG: a map for each kind of attention, colored by what each head costs."""

import html
from collections.abc import Collection, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.plotly.heatmap import is_pale
from core.language import _, number
from core.records.attention import ATTENTION_KINDS, AttentionKind, Head

_LEAST_COST = 0.05  # nats, which changes a probability by 5%; if all costs are lower, colors stay pale

# Sizes in SVG units, which are about as large as pixels: more on a phone, and in a model with few heads.
_NAME, _COST = 13, 11.5  # font sizes
_TITLE, _ROW = 24, 36  # heights
_LAYER, _HEAD = 58, 40  # widths
_GAP, _EDGE = 3, 2  # between two switches, and around all
_LEAST, _LARGEST = 0.85, 1.5  # pixels per unit


def layer_name(layer: int) -> str:
    """Return the name of a layer's switch, "1" for layer 0."""
    return str(layer + 1)


def head_name(head: Head) -> str:
    """Return the name of a head's switch among those of its kind, "1.2" for head 1 of layer 0."""
    return f"{head.layer + 1}.{head.head + 1}"


def head_switches_svg(
    costs: NDArray[np.float32], off: Collection[Head], titles: Mapping[AttentionKind, str]
) -> str:
    """Draw a switch for each head and each layer, as many maps side by side as fit.

    The part that a click selects is the kind of attention and the switch's name: "cross 1.2", "cross 1".

    Args:
        costs: what is lost without each head, nats per token, (3, L, H).
        off: the heads that are off, which are framed and crossed out.
        titles: the title of each map.
    """
    layers, heads = costs.shape[1:]
    width = _EDGE + _LAYER + heads * (_GAP + _HEAD) + _EDGE
    height = _TITLE + layers * (_ROW + _GAP) + _EDGE
    shares = costs / max(_LEAST_COST, float(np.abs(costs).max()))
    maps = []
    for kind, costs_of_kind, shares_of_kind in zip(ATTENTION_KINDS, costs, shares, strict=True):
        title = html.escape(titles[kind])
        switches = [
            switch
            for layer in range(layers)
            for switch in _layer_switches(kind, layer, costs_of_kind[layer], shares_of_kind[layer], off)
        ]
        maps.append(
            f'<svg viewBox="0 0 {width} {height}" role="group" aria-label="{title}" '
            f'xmlns="http://www.w3.org/2000/svg" fill="currentColor" font-size="{_NAME}" '
            f'style="display:block;width:100%;max-width:{width * _LARGEST:g}px">'
            f'<text x="{_EDGE}" y="{_NAME}" font-weight="600">{title}</text>{"".join(switches)}</svg>'
        )
    columns = f"repeat(auto-fit, minmax(min(100%, {width * _LEAST:g}px), 1fr))"
    return (
        f'<div style="display:grid;gap:0.8rem 1.5rem;grid-template-columns:{columns}">{"".join(maps)}</div>'
    )


def _layer_switches(
    kind: AttentionKind,
    layer: int,
    costs: NDArray[np.float32],
    shares: NDArray[np.float32],
    off: Collection[Head],
) -> Iterator[str]:
    """Yield the switch of a layer, then those of its heads, with their costs (H,), also as shares from -1 to 1."""
    heads = [Head(kind, layer, head) for head in range(len(costs))]
    top = _TITLE + layer * (_ROW + _GAP)
    title = _("Layer {layer}").format(layer=layer + 1)
    is_off = all(head in off for head in heads)
    text = _text(_EDGE + _LAYER / 2, top + 23, title, is_off=is_off)
    yield _switch(f"{kind} {layer_name(layer)}", title, (_EDGE, top, _LAYER), "none", text, is_off)
    colors = theme.colors_of((shares + 1) / 2, theme.SIGNED_SCALE).tolist()
    for head, cost, share, color in zip(heads, costs.tolist(), shares.tolist(), colors, strict=True):
        left = _EDGE + _LAYER + _GAP + head.head * (_HEAD + _GAP)
        name = head_name(head)
        loss = number(cost, "z.2f")
        ink = theme.BLACK if is_pale(share) else theme.WHITE
        text = _text(left + _HEAD / 2, top + 15, name, color=ink, is_off=head in off)
        # The space keeps name and number apart for those who hear them.
        text += " " + _text(left + _HEAD / 2, top + 30, loss, color=ink, size=_COST)
        fill = f"rgb{tuple(color)}"
        about = _("{head}: {loss} nats").format(head=name, loss=loss)
        yield _switch(f"{kind} {name}", about, (left, top, _HEAD), fill, text, head in off)


def _switch(
    part: str, name: str, place: tuple[float, float, float], fill: str, text: str, is_off: bool
) -> str:
    """Draw a switch as a button, pressed if it is off, at a place: left edge, upper edge and width."""
    left, top, width = place
    stroke = 'stroke-width="3"' if is_off else 'stroke-opacity="0.35"'
    return (
        f'<g data-part="{part}" role="button" tabindex="0" aria-pressed="{"true" if is_off else "false"}" '
        f'aria-label="{html.escape(name)}" style="cursor:pointer">'
        f'<rect x="{left}" y="{top}" width="{width}" height="{_ROW}" '
        f'rx="4" fill="{fill}" pointer-events="all" stroke="currentColor" {stroke}/>{text}</g>'
    )


def _text(
    x: float, y: float, text: str, color: str = "currentColor", size: float = _NAME, is_off: bool = False
) -> str:
    """Write a text around x; it is crossed out if it names something that is off."""
    line = ' text-decoration="line-through"' if is_off else ""
    return (
        f'<text x="{x:g}" y="{y}" text-anchor="middle" font-size="{size}" fill="{color}"{line}>{text}</text>'
    )
