"""Addresses as the app wrote them when titles stood in them, and what they still open.

One for each kind of widget on each explaining page.
"""

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

Address = dict[str, str | list[str]]  # a list where the address repeats a key
Link = tuple[PageEntry, Address, dict[str, object]]

OLD_LINKS: list[Link] = [
    (HOME, {"lesson": "60 minutes"}, {"lesson": 60}),
    (
        TEXT_AS_NUMBERS,
        {"numbers": "Words and pieces", "english": "hello, <b>"},
        {"numbers": "subwords", "english": "hello, <b>"},
    ),
    (
        TEXT_AS_NUMBERS,
        {
            "numbers": "A batch",
            "tokens": "Pieces",
            "sentence_2": "hello",
            "row_length": "4",
        },
        {"numbers": "batch", "tokens": "subwords", "sentence_2": "hello", "row_length": 4},
    ),
    (TEXT_AS_NUMBERS, {"numbers": "One token", "token": "2"}, {"numbers": "token", "token": 2}),
    (
        TEXT_AS_NUMBERS,
        {"numbers": "The whole batch", "axis": "Channels", "slice_channel": "7"},
        {"numbers": "tensor", "axis": "channel", "slice_channel": 7},
    ),
    (
        TEXT_AS_NUMBERS,
        {"numbers": "Teacher forcing", "pair": "bonjour → hello", "teacher_step": "2"},
        {"numbers": "teacher", "pair": 0, "teacher_step": 2},
    ),
    (
        POSITIONAL_ENCODING,
        {"positions": "Heatmap", "length": "64", "width": "9"},
        {"positions": "heatmap", "length": 64, "width": 9},
    ),
    (
        POSITIONAL_ENCODING,
        {"positions": "Single waves", "channels": ["8", "3"]},
        {"positions": "waves", "channels": [8, 3]},
    ),
    (
        POSITIONAL_ENCODING,
        {"positions": "Single waves", "channels": ""},
        {"positions": "waves", "channels": []},
    ),
    (
        POSITIONAL_ENCODING,
        {"positions": "Dot products", "position": "7"},
        {"positions": "dots", "position": 7},
    ),
    (
        POSITIONAL_ENCODING,
        {"positions": "Shuffle the words", "words": "je ne sais pas", "shuffle": "0"},
        {"positions": "shuffle", "words": "je ne sais pas", "shuffle": 0},
    ),
    (
        ATTENTION_BY_HAND,
        {"by_hand": "Single numbers", "x": "0;1;2;7", "count": "4", "step": "15"},
        {"by_hand": "numbers", "x": ((0.0,), (1.0,), (2.0,), (7.0,)), "count": 4, "step": 15},
    ),
    (
        ATTENTION_BY_HAND,
        {"by_hand": "Small vectors", "wq": "2,0;0,1.5", "vector_step": "1"},
        {"by_hand": "vectors", "wq": ((2.0, 0.0), (0.0, 1.5)), "vector_step": 1},
    ),
    (
        ATTENTION_BY_HAND,
        {"by_hand": "Fuzzy dictionary", "query": "45", "strength": "40"},
        {"by_hand": "dictionary", "query": 45, "strength": 40},
    ),
    (
        ATTENTION_BY_HAND,
        {"by_hand": "Heads", "heads": "4", "stage": "4 Concatenate"},
        {"by_hand": "heads", "heads": 4, "stage": "join"},
    ),
    (ATTENTION_BY_HAND, {"by_hand": "Why √d_k", "d_k": "16"}, {"by_hand": "scale", "d_k": 16}),
    (
        MASKS,
        {"masks": "Padding", "masked_sentence_3": "hello"},
        {"masks": "padding", "masked_sentence_3": "hello"},
    ),
    (MASKS, {"masks": "Look-ahead", "triangle": "4"}, {"masks": "causal", "triangle": 4}),
    (MASKS, {"masks": "Both", "which": "3"}, {"masks": "combined", "which": 3}),
    (MASKS, {"masks": "Softmax", "written": "4"}, {"masks": "softmax", "written": 4}),
    (MASKS, {"masks": "No look-ahead mask", "look_ahead": "true"}, {"masks": "cheating", "look_ahead": True}),
    (
        LEARNING_RATE,
        {"width_of_model": "64", "warmup": "400", "total": "1000"},
        {"width_of_model": 64, "warmup": 400, "total": 1000},
    ),
    (
        LEARNING_RATE,
        {
            "schedule": "Straight up and down",
            "rate": "0.002",
        },
        {"schedule": "linear", "rate": 0.002},
    ),
    (
        ARCHITECTURE,
        {
            "opened": "Encoder: Feed-forward",
            "b": "2",
            "model": "Paper's base",
            "m2_d_ff": "64",
            "m2_norm": "true",
        },
        {"opened": "encoder_feed_forward", "b": 2, "model": "base", "m2_d_ff": 64, "m2_norm": True},
    ),
    (
        ARCHITECTURE,
        {"architecture": "Pre- and post-norm", "depth": "3"},
        {"architecture": "norms", "depth": 3},
    ),
    (
        ARCHITECTURE,
        {
            "architecture": "Training and translating",
            "pairs": ["bonjour → hello", "merci → thank you"],
            "training_step": "3",
        },
        {"architecture": "flow", "pairs": [0, 1], "training_step": 3},
    ),
    (
        ARCHITECTURE,
        {
            "architecture": "Training and translating",
            "what": "Translating: one sentence",
            "translated": "bonjour → hello",
            "writing_step": "6",
        },
        {"architecture": "flow", "what": "translating", "translated": 0, "writing_step": 6},
    ),
]
