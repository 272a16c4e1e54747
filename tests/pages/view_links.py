"""Addresses of views: one for each kind of widget on each explaining page."""

from __future__ import annotations

from pages.components.app.menu import (
    ARCHITECTURE,
    ATTENTION_BY_HAND,
    HOME,
    LEARNING_RATE,
    MASKS,
    POSITIONAL_ENCODING,
    TEXT_AS_NUMBERS,
    PageEntry,
)

Link = tuple[PageEntry, dict[str, str]]

LINKS: list[Link] = [
    (HOME, {"lesson": "60"}),
    (TEXT_AS_NUMBERS, {"numbers": "subwords", "english": "hello, <b>"}),
    (TEXT_AS_NUMBERS, {"numbers": "batch", "tokens": "subwords", "sentence_2": "hello", "row_length": "4"}),
    (TEXT_AS_NUMBERS, {"numbers": "token", "token": "2"}),
    (TEXT_AS_NUMBERS, {"numbers": "tensor", "axis": "channel", "slice_channel": "7"}),
    (TEXT_AS_NUMBERS, {"numbers": "teacher", "pair": "0", "teacher_step": "2"}),
    (POSITIONAL_ENCODING, {"positions": "heatmap", "length": "64", "width": "9"}),
    (POSITIONAL_ENCODING, {"positions": "waves", "channels": "8,3"}),
    (POSITIONAL_ENCODING, {"positions": "waves", "channels": ""}),
    (POSITIONAL_ENCODING, {"positions": "dots", "position": "7"}),
    (POSITIONAL_ENCODING, {"positions": "shuffle", "words": "je ne sais pas", "shuffle": "0"}),
    (ATTENTION_BY_HAND, {"by_hand": "numbers", "x": "0;1;2;7", "count": "4", "step": "15"}),
    (ATTENTION_BY_HAND, {"by_hand": "vectors", "wq": "2,0;0,1.5", "vector_step": "1"}),
    (ATTENTION_BY_HAND, {"by_hand": "dictionary", "query": "45", "strength": "40"}),
    (ATTENTION_BY_HAND, {"by_hand": "heads", "heads": "4", "stage": "join"}),
    (ATTENTION_BY_HAND, {"by_hand": "scale", "d_k": "16"}),
    (MASKS, {"masks": "padding", "masked_sentence_3": "hello"}),
    (MASKS, {"masks": "causal", "triangle": "4"}),
    (MASKS, {"masks": "combined", "which": "3"}),
    (MASKS, {"masks": "softmax", "written": "4"}),
    (MASKS, {"masks": "cheating", "look_ahead": "1"}),
    (LEARNING_RATE, {"width_of_model": "64", "warmup": "400", "total": "1000"}),
    (LEARNING_RATE, {"schedule": "linear", "rate": "0.002"}),
    (
        ARCHITECTURE,
        {"opened": "encoder_feed_forward", "b": "2", "model": "base", "m2_d_ff": "64", "m2_norm": "1"},
    ),
    (ARCHITECTURE, {"architecture": "norms", "depth": "3"}),
    (ARCHITECTURE, {"architecture": "flow", "pairs": "0,1", "training_step": "3"}),
    (ARCHITECTURE, {"architecture": "flow", "what": "translating", "translated": "0", "writing_step": "6"}),
]
