"""Data of the attention stage: all heads of a sentence, with their words and colors."""

import base64
from typing import Any

import numpy as np

from core.figures import theme
from core.language import _
from core.records.attention import HeadMaps

MASKED = 65_535  # code of a masked cell

# Of the heads that are compared; the first is another one on a dark page, where BLUE is too faint.
_SKY = "#56B4E9"
COLORS = {
    "light": theme.SERIES,
    "dark": (_SKY, *theme.SERIES[1:]),
    "shades": theme.SHADES,
    "strong": theme.STRONG,
}


def stage_kind(maps: HeadMaps) -> dict[str, Any]:
    """Return the data of one kind of attention for stage.js; all text is plain.

    "weights" are little-endian 16-bit numbers (L, names, rows, columns) in base64: "masked" stands for a masked cell, the
    number below it for "highest". A weight is exact to 8e-6 of the highest. "names" are the numbers of a layer's heads,
    from 1, and "mean".
    """
    weights = maps.weights
    shares = np.clip(np.nan_to_num(weights) / maps.highest, 0, 1) * (MASKED - 1)
    codes = np.where(np.isnan(weights), MASKED, shares.round()).astype("<u2")
    return {
        "name": maps.name,
        "rows": maps.rows,
        "columns": maps.columns,
        "row_title": maps.row_title,
        "column_title": maps.column_title,
        "notes": " ".join(maps.notes),
        "names": list(maps.names),
        "roles": [[_(role) for role in layer] for layer in maps.roles],
        "first": maps.first,
        "highest": maps.highest,
        "masked": MASKED,
        "weights": base64.b64encode(codes.tobytes()).decode(),
    }
