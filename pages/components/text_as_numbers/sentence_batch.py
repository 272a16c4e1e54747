"""Three sentences as one matrix of ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.figures.id_table import IdCell
from core.records import Pair
from core.tokens.base import Ids, Tokenizer, pad
from core.tokens.vocabulary import END, PAD, START
from core.training.pairs import encode_pairs
from pages.components.lesson.three_sentences import edit_sentences
from pages.components.text_as_numbers.first_texts import FirstTexts
from pages.components.text_as_numbers.readers import cells_of
from pages.components.widgets.numbers import slider

MAX_LENGTH = 12
_LENGTH = 8  # at first
_NO_LIMIT = 1 << 20  # tokens; one character may become twenty


@dataclass(frozen=True, eq=False)
class SentenceBatch:
    """Sentences in the rows of a matrix, cut and padded to one length."""

    ids: Ids  # (B, T)
    cells: tuple[tuple[IdCell, ...], ...]  # in the shape of the ids
    lost: tuple[tuple[IdCell, ...], ...]  # of each sentence, what was cut off
    empty: tuple[int, ...]  # places of the sentences that have no token at all

    @property
    def pads(self) -> int:
        """How many positions are padding."""
        return int(np.count_nonzero(self.ids == 0))

    @property
    def tokens(self) -> list[list[str]]:
        """The cells' tokens alone."""
        return [[cell.token for cell in row] for row in self.cells]


def sentence_batch(
    texts: Sequence[str], tokenizer: Tokenizer, length: int, *, wrapped: bool
) -> SentenceBatch:
    """Read texts as training reads them, then cut and pad.

    Args:
        texts: one sentence each.
        tokenizer: its vocabulary has start and end.
        length: of every row.
        wrapped: whether start and end tokens are added, as in a target sentence.
    """
    read = [_read(text, tokenizer, wrapped) for text in texts]
    rows = [cells[:length] + (IdCell(PAD, 0, "pad"),) * (length - len(cells)) for cells in read]
    return SentenceBatch(
        ids=cut_and_pad([[cell.id for cell in cells] for cells in read], length),
        cells=tuple(rows),
        lost=tuple(cells[length:] for cells in read),
        empty=tuple(place for place, cells in enumerate(read) if not cells),
    )


def cut_and_pad(sentences: Sequence[Sequence[int]], length: int) -> Ids:
    """Sentences of ids as a matrix (B, length): what is too long is cut off, what is too short is padded."""
    return pad([ids[:length] for ids in sentences], length)


def ask_batch(tokenizer: Tokenizer, first: FirstTexts) -> SentenceBatch:
    """Three boxes for sentences, and the length of the rows."""
    texts = edit_sentences(first.sentences, first.sentence_key)
    length = slider("Length of each row, in positions", 1, MAX_LENGTH, _LENGTH, "row_length")
    return sentence_batch(texts, tokenizer, length, wrapped=True)


def _read(text: str, tokenizer: Tokenizer, wrapped: bool) -> tuple[IdCell, ...]:
    """A sentence as training encodes it; without tokens, which training refuses, it is empty."""
    tokens = tokenizer.tokens(text)
    if not tokens:
        return ()
    encoded = encode_pairs([Pair(text, text)], tokenizer, tokenizer, _NO_LIMIT, _NO_LIMIT)
    if wrapped:  # a target sentence
        return cells_of([START, *tokens, END], encoded.target[0].tolist(), tokenizer.vocabulary)
    return cells_of(tokens, encoded.source[0].tolist(), tokenizer.vocabulary)
