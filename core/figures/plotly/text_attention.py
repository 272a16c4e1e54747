"""The attention of a translator and of a decoder alone over the same pair."""

from typing import Any

from core.figures import theme
from core.figures.plotly.heatmap import color_axis, heatmap, side_by_side
from core.figures.theme import Figure
from core.language import _
from core.records.attention import HeadMaps

_CELLS_HEIGHT = 270  # pixels of a map without its labels
_LINE_HEIGHT = 18  # pixels of the line with the model's name
_BLOCK = 3  # width of the frame around the block of the source


def head_figure(maps: HeadMaps, head: str, border: int | None = None) -> Figure:
    """Draw one map large; of a decoder alone with the border of source and translation.

    Args:
        maps: the maps of one kind of attention over a pair.
        head: the map to draw.
        border: the place of the separator. Below it and before it is the block that does the work of cross-attention.
    """
    weights = maps.weights[maps.place(head)]
    figure = heatmap(weights, maps.rows, maps.columns, colors=color_axis((0.0, 1.0), "none"))
    (panel,) = side_by_side([maps.title(head)], [figure], _CELLS_HEIGHT, upright=True)
    layout = panel["layout"]
    (title,) = layout["annotations"]
    title |= {"text": f"<b>{theme.escaped(maps.name)}</b><br>{title['text']}", "align": "left"}
    layout["margin"]["t"] += _LINE_HEIGHT
    if border is not None:
        _mark_block(layout, border, len(maps.rows) - 0.5)
    return panel


def _mark_block(layout: dict[str, Any], border: int, last: float) -> None:
    """Draw the border on both axes, and the block with its name where the mask leaves the map empty."""
    layout["shapes"] = [
        _line(border + 0.5, border + 0.5, border - 0.5, last),
        _line(-0.5, border + 0.5, border - 0.5, border - 0.5),
        _frame(0.5, border - 0.5, border - 0.5, last),
    ]
    says = _("framed: the translation<br>looks at the source")
    at = {"x": last, "xanchor": "right", "y": -0.5, "yanchor": "top", "align": "right"}
    layout["annotations"].append({"text": says, **at})


def _line(x0: float, x1: float, y0: float, y1: float) -> dict[str, Any]:
    look = {"color": theme.GREY, "width": 2, "dash": "dash"}
    return {"type": "line", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": look}


def _frame(x0: float, x1: float, y0: float, y1: float) -> dict[str, Any]:
    look = {"color": theme.VERMILLION, "width": _BLOCK}
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": look}
