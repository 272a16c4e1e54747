"""One row of a trained head, in numbers that fit on paper: Attention maps sets them, Attention by hand shows them."""

from collections.abc import Sequence

from core.language import N_, _
from pages.components.widgets.numbers import Rows, linked_numbers
from pages.components.widgets.state import Linked

SHOWN_CHANNELS = 4  # numbers of each vector
SHOWN_KEYS = 4  # tokens attended to
_MAX_TOKEN = 100  # characters

# At first `ted_pt_en`'s cross-attention in layer 2, head 1, while it writes "is" for "este é um problema".
QUERY: Rows = ((0.98, 3.7, 1.25, 1.38),)
KEYS: Rows = (
    (1.48, -1.07, 1.93, 1.54),
    (0.15, 0.05, 1.36, 2.44),
    (1.94, -1.84, 0.48, 2.41),
    (-0.01, -2.28, 1.53, 3.57),
)
VALUES: Rows = (
    (-0.93, 0.08, -0.18, -0.47),
    (0.37, 1.29, 0.18, 0.43),
    (0.71, 0.12, 0.96, 0.11),
    (1.47, 1.43, -0.3, -1.6),
)
TABLES = {"row_query": QUERY, "row_keys": KEYS, "row_values": VALUES}


def _read_tokens(texts: Sequence[str]) -> list[str]:
    if not 2 <= len(texts) <= SHOWN_KEYS + 1:
        raise ValueError(
            _("There must be the token of the query and 1 to {count} tokens of keys.").format(
                count=SHOWN_KEYS
            )
        )
    return [text[:_MAX_TOKEN] for text in texts]


# The token of the query, then those of the keys.
TOKENS: Linked[list[str]] = Linked(
    "row_tokens",
    ["is", "este", "é", "um", "problema"],
    N_("choice of tokens"),
    list,
    _read_tokens,
    is_repeated=True,
)


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
