"""A one-hot row times the embedding matrix, around the one row that it picks out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.figures import theme
from core.figures.number_tables import Mark, Place, number_table, number_tables_html
from core.theory.embedding import Floats, embed, look_up, one_hot

_NEIGHBOURS = 2  # entries of the vocabulary that are shown on either side


@dataclass(frozen=True)
class OneHotInfo:
    """The whole product was computed; this is the part of it that fits on a screen."""

    token_id: int
    vocab_size: int  # V, the length of the one-hot row
    width: int  # D
    entries: tuple[int, ...]  # the ids shown
    names: tuple[str, ...]  # their tokens
    row: tuple[float, ...]  # the one-hot row at these entries
    matrix: tuple[tuple[float, ...], ...]  # (entries, channels)
    product: tuple[float, ...]  # the first channels of one-hot times matrix
    scaled: tuple[float, ...]  # the same times sqrt(D)
    difference: float  # between the whole product and the matrix's row, the largest over all channels

    @property
    def place(self) -> int:
        """Where the token stands among the entries shown."""
        return self.entries.index(self.token_id)


def one_hot_info(token_id: int, matrix: Floats, tokens: Sequence[str], channels: int) -> OneHotInfo:
    """Multiply, and keep what is shown.

    Args:
        token_id: a row of the matrix.
        matrix: the embedding, shape (V, D).
        tokens: V of them.
        channels: how many are shown.
    """
    vocab_size, width = matrix.shape
    row = one_hot(token_id, vocab_size)
    product = row @ matrix
    first = max(0, min(token_id - _NEIGHBOURS, vocab_size - 2 * _NEIGHBOURS - 1))
    shown = list(range(first, min(vocab_size, first + 2 * _NEIGHBOURS + 1)))
    return OneHotInfo(
        token_id=token_id,
        vocab_size=vocab_size,
        width=width,
        entries=tuple(shown),
        names=tuple(tokens[entry] for entry in shown),
        row=tuple(row[shown].tolist()),
        matrix=tuple(map(tuple, matrix[shown, :channels].tolist())),
        product=tuple(product[:channels].tolist()),
        scaled=tuple(embed(token_id, matrix)[:channels].tolist()),
        difference=float(np.abs(product - look_up(token_id, matrix)).max()),
    )


def one_hot_html(info: OneHotInfo) -> str:
    """Draw the row, the matrix, their product, and the product as the model uses it."""
    channels = [str(channel) for channel in range(len(info.product))]
    labels = [
        f"{entry:,} {theme.shortened(name)}" for entry, name in zip(info.entries, info.names, strict=True)
    ]
    here = info.place
    picked: dict[Place, Mark] = {(here, channel): "read" for channel in range(len(channels))}
    result: dict[Place, Mark] = {(0, channel): "now" for channel in range(len(channels))}
    scale = f"× √{info.width} = {math.sqrt(info.width):.4g}: what the positions are added to"
    tables = (
        number_table(
            f"One-hot: entries {info.entries[0]:,} to {info.entries[-1]:,} of {info.vocab_size:,}",
            [info.row],
            [""],
            [f"{entry:,}" for entry in info.entries],
            {(0, here): "now"},
        ),
        number_table(
            f"× the embedding matrix: {info.vocab_size:,} × {info.width:,}",
            info.matrix,
            labels,
            channels,
            picked,
        ),
        number_table("= the vector", [info.product], [labels[here]], channels, result),
        number_table(scale, [info.scaled], [labels[here]], channels),
    )
    return number_tables_html([[table] for table in tables])
