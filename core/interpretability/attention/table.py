"""A view of attention as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from core.records import AttentionView, Translation

_DECIMALS = 6


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


def _nested(values: Any) -> Any:
    """Lists of lists of numbers, with None for NaN."""
    if isinstance(values, list):
        return [_nested(value) for value in values]
    return None if values != values else values
