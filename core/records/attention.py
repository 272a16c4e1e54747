"""Attention of a sentence pair. Axis letters: see `core.config`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from core.arrays import Floats

AttentionKind = Literal["encoder", "decoder", "cross"]
ATTENTION_KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")


@dataclass(frozen=True)
class AttentionRecord:
    """Attention of every layer and head over one sentence pair, from one teacher-forced pass.

    Row t of `decoder` and `cross` is the attention when the model has read `decoder_input_tokens[: t + 1]` and predicts
    `predicted_tokens[t]`.
    """

    source_tokens: tuple[str, ...]  # S
    decoder_input_tokens: tuple[str, ...]  # T, from the start token on
    predicted_tokens: tuple[str, ...]  # T, with the end token if the sentence has ended
    encoder: Floats  # (L, H, S, S)
    decoder: Floats  # (L, H, T, T)
    cross: Floats  # (L, H, T, S)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, for JSON."""
        return {
            "source_tokens": list(self.source_tokens),
            "decoder_input_tokens": list(self.decoder_input_tokens),
            "predicted_tokens": list(self.predicted_tokens),
            **{name: getattr(self, name).astype(float).round(6).tolist() for name in ATTENTION_KINDS},
        }


@dataclass(frozen=True, eq=False)
class AttentionView:
    """Attention of one sentence pair, prepared for display, between all or some of its tokens or words.

    Rows attend to columns. Measures that combine the heads, such as rollout, have H = 1.
    """

    name: str  # "Cross-attention"
    weights: Floats  # (L, H, rows, columns); NaN where a row may not attend to a column
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    value_label: str = "weight"
    notes: tuple[str, ...] = ()  # sentences on what was left out or merged
    per_head: bool = True  # False if the heads are combined
    max_value: float = 1.0  # infinite for norms
