"""Figures as Plotly's own objects, which refuse what Plotly does not know, and whether their words can be read."""

import base64
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.theme import Figure, themed

READABLE = 4.5  # contrast that WCAG 2.2 asks of text
PAGES = {"light": "#ffffff", "dark": "#0e1117"}  # what Streamlit draws behind figures


def drawn(figure: Figure) -> go.Figure:
    """Check every property of a figure and of its template, and the contrast of texts in cells and bars."""
    light, dark = (go.Figure(themed(figure, mode)) for mode in ("light", "dark"))
    for complete in (light, dark):
        for trace in complete.data:
            for color, behind in (*_cells(trace, complete.layout), *_bars(trace)):
                assert contrast(color, behind) >= READABLE, (trace.type, color, behind)
    return light


def contrast(color: str, behind: str) -> float:
    """From 1 to 21, as WCAG 2.2 defines it."""
    dark, bright = sorted((_luminance(color), _luminance(behind)))
    return (bright + 0.05) / (dark + 0.05)


def mixed(color: str, behind: str, opacity: float) -> str:
    """What one sees of a color that something shines through."""
    pairs = zip(_channels(color), _channels(behind), strict=True)
    return f"rgb({', '.join(str(opacity * front + (1 - opacity) * back) for front, back in pairs)})"


def _cells(trace: Any, layout: Any) -> list[tuple[str, str]]:
    """The color of each cell's text, which must have one, and of the cell."""
    if trace.type != "heatmap" or trace.text is None:
        return []
    axis = layout[trace.coloraxis]
    template = layout.template
    scale = axis.colorscale or template.layout.coloraxis.colorscale
    if axis.autocolorscale:
        scale = template.layout.colorscale.diverging
    values = array_of(trace.z) if isinstance(trace.z, dict) else np.array(trace.z, np.float64)
    low, span = axis.cmin, axis.cmax - axis.cmin
    found = []
    for row, texts in zip(values, trace.text, strict=True):
        for value, text in zip(row, texts, strict=True):
            if text and not np.isnan(value):
                own = re.search("color:(#\\w+)", text)
                color = own.group(1) if own else template.data.heatmap[0].textfont.color
                assert color, f"Plotly's own choice of a color is a grey. The text: {text}"
                share = float(np.clip((value - low) / span, 0, 1))
                found.append((color, _on_scale(scale, share)))
    return found


def _on_scale(scale: Any, share: float) -> str:
    places, colors = zip(*scale, strict=True)
    channels = zip(*map(_channels, colors), strict=True)
    return f"rgb({', '.join(str(np.interp(share, places, channel)) for channel in channels)})"


def _bars(trace: Any) -> list[tuple[str, str]]:
    """The color of the text inside bars, and of the bars, which have one."""
    inside = trace.type == "bar" and trace.textposition == "inside"
    return [(trace.textfont.color, trace.marker.color)] if inside else []


def _channels(color: str) -> list[float]:
    if color.startswith("#"):
        return [int(color[place : place + 2], 16) for place in (1, 3, 5)]
    return [float(part) for part in re.findall(r"[\d.]+", color)[:3]]


def _luminance(color: str) -> float:
    shares = [channel / 255 for channel in _channels(color)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def array_of(z: Any) -> NDArray[np.float32]:
    """The numbers of a trace that were sent as bytes."""
    shape = tuple(int(size) for size in z["shape"].split(", "))
    return np.frombuffer(base64.b64decode(z["bdata"]), "<f4").reshape(shape)
