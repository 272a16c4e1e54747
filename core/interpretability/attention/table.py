"""A view of attention as files for programs: JSON, and CSV with a row for each weight."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np

from core.corpora.delimited import without_formula
from core.records import AttentionView, Translation

_DECIMALS = 6
_COLUMNS = ("layer", "head", "row", "row_token", "column", "column_token")


def attention_json(view: AttentionView, translation: Translation) -> str:
    """All layers and heads with their tokens; null where a row may not attend."""
    values: dict[str, Any] = {
        "source": translation.source,
        "translation": translation.text,
        "attention": view.name,
        "number": view.says,
        "notes": list(view.notes),
        "rows": list(view.rows),
        "columns": list(view.columns),
        "axes": ["layer", "head", "row", "column"],
        "weights": _nested(view.weights.astype(np.float64).round(_DECIMALS).tolist()),
    }
    return json.dumps(values, ensure_ascii=False, allow_nan=False)


def attention_csv(view: AttentionView) -> str:
    """A row for each weight of each layer and head, all counted from 1; cells that may not attend are left out."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow((*_COLUMNS, view.says))
    rows, columns = (list(map(without_formula, tokens)) for tokens in (view.rows, view.columns))
    for (layer, head, row, column), weight in np.ndenumerate(view.weights):
        if not np.isnan(weight):
            place = (layer + 1, head + 1, row + 1, rows[row], column + 1, columns[column])
            table.writerow((*place, f"{weight:.{_DECIMALS}f}"))
    return text.getvalue()


def _nested(values: Any) -> Any:
    """Lists of lists of numbers, with None for NaN."""
    if isinstance(values, list):
        return [_nested(value) for value in values]
    return None if values != values else values
