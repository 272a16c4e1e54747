"""One row of a trained head, in numbers that fit on paper: Attention maps sets them, Attention by hand shows them."""

from __future__ import annotations

from collections.abc import Sequence

from pages.components.inputs import Rows, linked_numbers
from pages.components.state import Linked

SHOWN_CHANNELS = 4  # numbers of each vector
SHOWN_KEYS = 4  # tokens attended to
_MAX_TOKEN = 100  # characters

# At first `ted_pt_en`'s cross-attention in layer 2, head 1, while it writes "is" for "este é um problema".
QUERY: Rows = ((1.1, 3.0, 1.79, 0.87),)
KEYS: Rows = (
    (0.95, -0.29, 1.15, 0.24),
    (0.04, 0.49, 1.88, 1.36),
    (1.64, -1.13, 1.01, 1.68),
    (-0.27, -1.03, 0.98, 2.61),
)
VALUES: Rows = (
    (-1.64, -0.15, 0.25, -0.09),
    (0.23, 2.28, -0.14, 1.63),
    (0.41, -0.8, 2.34, 0.02),
    (1.39, 1.76, 0.89, -1.64),
)
TABLES = {"row_query": QUERY, "row_keys": KEYS, "row_values": VALUES}


def _read_tokens(texts: Sequence[str]) -> list[str]:
    if not 2 <= len(texts) <= SHOWN_KEYS + 1:
        raise ValueError(f"There must be the token of the query and 1 to {SHOWN_KEYS} tokens of keys.")
    return [text[:_MAX_TOKEN] for text in texts]


TOKENS: Linked[list[str]] = Linked(
    "row_tokens",
    ["is", "este", "é", "um", "problema"],
    "choice of tokens",
    list,
    _read_tokens,
    is_repeated=True,
)
"""The token of the query, then those of the keys."""


def reset_row() -> None:
    """Set the numbers and tokens shown at first."""
    set_row(TOKENS.default, QUERY, KEYS, VALUES)


def set_row(tokens: Sequence[str], query: Rows, keys: Rows, values: Rows) -> None:
    """Set the numbers that Attention by hand shows.

    Args:
        tokens: the token of the query, then those of the keys.
        query: shape (1, 4).
        keys: a row for each key, (1 to 4, 4).
        values: as many rows.
    """
    TOKENS.set(list(tokens))
    missing = ((0.0,) * SHOWN_CHANNELS,) * (SHOWN_KEYS - len(keys))
    for key, rows in (("row_query", query), ("row_keys", keys + missing), ("row_values", values + missing)):
        linked_numbers(key, TABLES[key]).set(rows)
