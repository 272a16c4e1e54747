"""Figures as Plotly's own objects, which refuse what Plotly does not know."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.theme import Figure, themed


def drawn(figure: Figure) -> go.Figure:
    """Check every property of a figure and of its template.

    Raises:
        ValueError: one is unknown or has a value that Plotly does not take.
    """
    return go.Figure(themed(figure, "light"))


def array_of(z: Any) -> NDArray[np.float32]:
    """The numbers of a trace that were sent as bytes."""
    shape = tuple(int(size) for size in z["shape"].split(", "))
    return np.frombuffer(base64.b64decode(z["bdata"]), "<f4").reshape(shape)
