"""Attention as the stage draws it in the browser: all heads of a sentence, with the words and colors they need."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from core.figures import theme
from core.figures.heatmap import colors_of
from core.records import AttentionView

CAVEAT = (
    "Attention shows where information could flow, not why the model chose a word: very different weights can give "
    "the same translation."
)
MASKED = 65_535  # the code of a cell where a row may not attend to a column
_PAGE = (Path(__file__).parent / "stage_page.html").read_text(encoding="utf-8")

# Of the heads that are compared; the first is another one on a dark page, where BLUE is too faint.
_SKY = "#56B4E9"
COLORS = {
    "light": (theme.BLUE, theme.VERMILLION, theme.GREEN, theme.PURPLE),
    "dark": (_SKY, theme.VERMILLION, theme.GREEN, theme.PURPLE),
    "scale": [f"#{bytes(color).hex()}" for color in colors_of(np.linspace(0, 1, 256))],
}


def stage_kind(view: AttentionView, roles: Sequence[Sequence[str]], first: tuple[int, int]) -> dict[str, Any]:
    """Return one kind of attention as the script in the browser takes it; all text is plain.

    Args:
        view: of all layers and heads.
        roles: a name for what each head does, (L, H).
        first: layer and head, from 0, that is shown at first.

    Returns:
        "weights" are 16-bit numbers (L, names, rows, columns) in base64, the lowest byte first: 65534 is "highest",
        65535 where a row may not attend. So a weight is exact to 8e-6 of the highest. "names" are those of the heads of
        a layer, from 1, and their mean.
    """
    weights, names = view.weights, [str(head + 1) for head in range(view.weights.shape[1])]
    if len(names) > 1:
        weights, names = (
            np.concatenate([weights, weights.mean(axis=1, keepdims=True)], axis=1),
            [*names, "mean"],
        )
        roles = [[*layer, ""] for layer in roles]
    if not view.per_head:
        names, roles, first = ["rollout"], [[""]] * len(weights), (len(weights) - 1, 0)
    highest = view.max_value if np.isfinite(view.max_value) else float(np.nanmax(weights, initial=0.0)) or 1.0
    shares = np.clip(np.nan_to_num(weights) / highest, 0, 1) * (MASKED - 1)
    codes = np.where(np.isnan(weights), MASKED, shares.round()).astype("<u2")
    return {
        "name": view.name,
        "rows": view.rows,
        "columns": view.columns,
        "row_title": view.row_title,
        "column_title": view.column_title,
        "says": view.value_label,
        "notes": " ".join(view.notes),
        "names": names,
        "roles": roles,
        "first": f"{first[0] + 1}.{names[first[1]]}",
        "highest": highest,
        "weights": base64.b64encode(codes.tobytes()).decode(),
    }


def stage_page(data: Mapping[str, Any], script: str, style: str) -> str:
    """Return the stage as an HTML file that needs nothing else.

    Args:
        data: that the script takes, with the sentence as "source" and its translation as "target".
        script: which has `drawStage`.
        style: of the stage.
    """
    sent = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _PAGE.format(
        style=style,
        source=escape(data["source"]),
        target=escape(data["target"]),
        caption=escape(CAVEAT),
        data=sent.replace("<", "\\u003c"),  # so that no token ends the script
        script=script,
    )
