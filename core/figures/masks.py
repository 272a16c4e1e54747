"""Masks as heatmaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from core.theory.masks import padding_mask

TEXTS = ("False", "True")
"""The values for blocked and for allowed."""
ANSWER = "★"


@dataclass(frozen=True)
class MaskInfo:
    """One mask. All text is plain: nothing is shortened or escaped yet."""

    title: str
    allowed: tuple[tuple[bool, ...], ...]  # rows of columns; decides the color
    texts: tuple[tuple[str, ...], ...]  # in the cells
    short_texts: tuple[tuple[str, ...], ...]  # where the cells are too narrow for that
    hover: tuple[tuple[str, ...], ...]
    row_labels: tuple[str, ...]  # from the top
    column_labels: tuple[str, ...]  # from the left
    row_title: str
    column_title: str


def mask_info(
    title: str,
    mask: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    row_title: str = "query position",
    column_title: str = "key position",
) -> MaskInfo:
    """Write a mask out.

    Args:
        title: above it.
        mask: Boolean, shape (rows, columns); True = may be attended to.
        rows: labels of the query positions.
        columns: labels of the key positions.
        row_title: what the rows are.
        column_title: what the columns are.
    """
    matrix = np.asarray(mask, np.bool_)
    allowed = tuple(tuple(row) for row in matrix.tolist())
    texts = tuple(tuple(TEXTS[cell] for cell in row) for row in allowed)
    hover = tuple(
        tuple(
            f"“{row}” {'may' if cell else 'may not'} attend to “{column}”"
            for column, cell in zip(columns, cells, strict=True)
        )
        for row, cells in zip(rows, allowed, strict=True)
    )
    return MaskInfo(
        title, allowed, texts, tuple(tuple(text[0] for text in row) for row in texts), hover,
        tuple(rows), tuple(columns), row_title, column_title,
    )  # fmt: skip


def padding_info(words: Sequence[Sequence[str]], ids: Sequence[Sequence[int]]) -> tuple[MaskInfo, MaskInfo]:
    """A padded batch and, of the same shape, its padding mask.

    Args:
        words: of each sentence, padding included.
        ids: of the words.
    """
    rows = [f"sentence {number}" for number in range(1, len(ids) + 1)]
    columns = [str(position) for position in range(len(ids[0]))]
    allowed = padding_mask(ids)[:, 0, 0]  # (B, S)
    title = "The padding mask: is there a word?"
    mask = mask_info(title, allowed, rows, columns, row_title="", column_title="position")
    batch = MaskInfo(
        "The batch of ids",
        mask.allowed,
        tuple(
            tuple(f"{word}\n{number}" for word, number in zip(*row, strict=True))
            for row in zip(words, ids, strict=True)
        ),
        tuple(tuple(str(number) for number in row) for row in ids),
        tuple(
            tuple(f"“{word}” has the id {number}" for word, number in zip(*row, strict=True))
            for row in zip(words, ids, strict=True)
        ),
        mask.row_labels, mask.column_labels, "", "position",
    )  # fmt: skip
    return batch, mask


def answers_info(words: Sequence[str], mask: ArrayLike, end: str) -> MaskInfo:
    """What the decoder may attend to in training, a star where the word to be predicted stands in its input.

    Args:
        words: the decoder's input, from the start token on; the label of each is the next.
        mask: Boolean, shape (T, T); True = may be attended to.
        end: the label of the last word, which stands nowhere in the input.
    """
    plain = mask_info(
        "", mask, [*words[1:], end], words, row_title="to be predicted", column_title="the decoder reads"
    )
    texts = tuple(
        tuple(f"{ANSWER} answer" if column == row + 1 else "" for column in range(len(words)))
        for row in range(len(words))
    )
    return replace(plain, texts=texts, short_texts=tuple(tuple(text[:1] for text in row) for row in texts))
