"""The attention of a translator and of a decoder alone over the same pair, side by side."""

from collections.abc import Sequence
from typing import Any

from core.arrays import Floats
from core.figures import theme
from core.figures.plotly.heatmap import color_axis, heatmap, side_by_side
from core.figures.theme import Figure
from core.language import _
from core.records.attention import HeadMaps, TokenAttention

_CELLS_HEIGHT = 300  # pixels of a map without its labels
_BLOCK = 3  # width of the frame around the block of the source


def pair_maps_figures(
    cross: TokenAttention | None, best: tuple[int, int], maps: HeadMaps, head: str, border: int
) -> tuple[Figure, ...]:
    """Draw one head of the translator's cross-attention, if there is one, and one map of the decoder alone.

    Args:
        cross: the translator's cross-attention over the pair.
        best: layer and head of it, from 0.
        maps: the maps of the decoder alone over the pair in one row.
        head: the map to draw.
        border: the place of the separator. Below it and before it is the block that does the work of cross-attention.
    """
    titles = [_("Decoder alone: {head}").format(head=maps.title(head))]
    figures = [_map(maps.weights[maps.place(head)], maps.rows, maps.columns)]
    if cross is not None:
        layer, number_of_head = best
        of_head = _("Layer {layer}, head {head}").format(layer=layer + 1, head=number_of_head + 1)
        titles.insert(0, _("Translator, cross-attention: {head}").format(head=of_head))
        figures.insert(0, _map(cross.weights[layer, number_of_head], cross.rows, cross.columns))
    panels = side_by_side(titles, figures, _CELLS_HEIGHT, upright=True)
    layout = panels[-1]["layout"]
    last = len(maps.rows) - 0.5
    layout["shapes"] = [
        _line(border + 0.5, border + 0.5, -0.5, last),
        _line(-0.5, last, border - 0.5, border - 0.5),
        _frame(0.5, border - 0.5, border - 0.5, last),
    ]
    return panels


def _map(weights: Floats, rows: Sequence[str], columns: Sequence[str]) -> Figure:
    return heatmap(weights, rows, columns, colors=color_axis((0.0, 1.0), "none"))


def _line(x0: float, x1: float, y0: float, y1: float) -> dict[str, Any]:
    look = {"color": theme.GREY, "width": 2, "dash": "dash"}
    return {"type": "line", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": look}


def _frame(x0: float, x1: float, y0: float, y1: float) -> dict[str, Any]:
    look = {"color": theme.VERMILLION, "width": _BLOCK}
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": look}
