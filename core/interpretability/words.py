"""Attention between words instead of subwords, and without some tokens. Axis letters: see `core.config`."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Floats
from core.tokens.merges import JOINER
from core.tokens.vocabulary import END, PAD, START, UNKNOWN


class Words(NamedTuple):
    """Tokens grouped to words."""

    texts: tuple[str, ...]
    positions: tuple[tuple[int, ...], ...]  # of each word's tokens

    def keep(self, wanted: Sequence[bool]) -> Words:
        """Return the words where `wanted` is True."""
        kept = [index for index, is_wanted in enumerate(wanted) if is_wanted]
        return Words(tuple(self.texts[i] for i in kept), tuple(self.positions[i] for i in kept))

    def membership(self, num_tokens: int) -> Floats:
        """Return the matrix (words, tokens) that is 1 where a word has a token, else 0."""
        found = np.zeros((len(self.texts), num_tokens), np.float32)
        for word, positions in enumerate(self.positions):
            found[word, list(positions)] = 1
        return found


def single_tokens(tokens: Sequence[str]) -> Words:
    """Return every token as a word."""
    return Words(tuple(tokens), tuple((position,) for position in range(len(tokens))))


def merged_words(tokens: Sequence[str]) -> Words:
    """Merge subwords to words: "es", "##tação" -> "estação"."""
    texts: list[str] = []
    positions: list[tuple[int, ...]] = []
    for position, token in enumerate(tokens):
        if texts and token.startswith(JOINER) and len(token) > len(JOINER):
            texts[-1] += token.removeprefix(JOINER)
            positions[-1] += (position,)
        else:
            texts.append(token)
            positions.append((position,))
    return Words(tuple(texts), tuple(positions))


def is_special(text: str) -> bool:
    """Return whether a token is the start, end, unknown or padding token."""
    return text in (PAD, UNKNOWN, START, END)


def is_punctuation(text: str) -> bool:
    """Return whether a text has only punctuation marks."""
    return all(unicodedata.category(character).startswith("P") for character in text)


def attention_of_words(weights: Floats, rows: Words, columns: Words) -> Floats:
    """Return attention between words: rows are averaged, columns are summed (Clark et al. 2019, section 4.1).

    Args:
        weights: attention between tokens, (..., T, S).
        rows: the words of the T queries to show.
        columns: the words of the S keys to show; if some are left out, rows sum to less than 1.
    """
    averaged = rows.membership(weights.shape[-2])
    summed = columns.membership(weights.shape[-1])
    averaged /= averaged.sum(axis=-1, keepdims=True)
    found: Floats = np.matmul(averaged, weights @ summed.T)
    return found
