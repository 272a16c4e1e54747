"""Data of the attention stage: all heads of a sentence, with their words and colors."""

import base64
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from core.figures import theme
from core.language import N_, _, language
from core.records.attention import HeadMaps

_CAVEAT = N_(
    "Attention shows where information could flow, not why the model chose a word: very different weights can give "
    "the same translation."
)
MASKED = 65_535  # code of a masked cell
_PAGE = (Path(__file__).parent / "stage_page.html").read_text(encoding="utf-8")

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


def stage_page(data: Mapping[str, Any], reader: Mapping[str, Any], script: str, style: str) -> str:
    """Return the stage as a standalone HTML file.

    Args:
        data: the data for the script, with the sentence as "source" and its translation as "target".
        reader: what the script must know of its reader's language.
        script: the JavaScript, which defines `speakTo` and `mount`.
        style: the CSS of the stage.
    """
    encoded = json.dumps({**data, "reader": reader}, ensure_ascii=False, separators=(",", ":"))
    return _PAGE.format(
        language=language().code,
        style=style,
        source=escape(data["source"]),
        target=escape(data["target"]),
        caption=escape(_(_CAVEAT)),
        data=encoded.replace("<", "\\u003c"),  # no token can end the script
        script=script,
    )
