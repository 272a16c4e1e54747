"""Tokens in columns with links between them: the lines of one head, and attention followed through all layers.

What a token's links lead to is followed in the browser, so pointing at one asks the server nothing.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.records import AttentionRecord, AttentionView

MAX_LINKS = 3000  # that a browser draws quickly

_HEIGHT = 384  # pixels that are left of a projector's screen
_DECIMALS = 3
_HALF = np.float32(0.5)  # of the residual connection, in rollout

SCRIPT = (Path(__file__).parent / "linked_tokens.js").read_text(encoding="utf-8")
STYLE = (Path(__file__).parent / "linked_tokens.css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class TokenColumn:
    """Tokens below each other."""

    title: str  # plain text; empty where it has none
    tokens: tuple[str, ...]
    x: float  # 0 at the left, 1 at the right
    side: Literal["left", "right", ""] = ""  # of it where the tokens are written; nowhere among many columns


@dataclass(frozen=True)
class LinkedTokens:
    """Columns, those of keys before those of the queries that read them, and links from query to key."""

    title: str
    columns: tuple[TokenColumn, ...]
    links: tuple[tuple[int, int, int, int, float, int], ...]
    """Column and place of the query, column and place of the key, weight, and 1 where it is marked."""
    least: float  # weights below were left out; 0 where none was
    highest: float  # the weight of a full line
    verb: str = "Attends to"

    def to_data(self) -> dict[str, Any]:
        """What the script in the browser takes."""
        return {
            "title": self.title,
            "columns": [vars(column) for column in self.columns],
            "links": self.links,
            "highest": self.highest,
            "verb": self.verb,
            "height": _HEIGHT,
        }


def lines_info(
    view: AttentionView,
    layer: int,
    head: int | None,
    fixed_scale: bool = True,
    marked: Set[tuple[int, int]] = frozenset(),
) -> LinkedTokens:
    """The lines of one head: what attends at the left, what is attended to at the right.

    Args:
        view: attention of all layers and heads.
        layer: from 0.
        head: from 0, or None for the mean over the heads.
        fixed_scale: whether a full line is a weight of 1, else the highest shown.
        marked: links to draw in another color, as (row, column).
    """
    weights = np.nan_to_num(view.head(layer, head))
    columns = (
        TokenColumn(view.column_title, view.columns, 1.0, "right"),
        TokenColumn(view.row_title, view.rows, 0.0, "left"),
    )
    found = _links([(1, 0, weights)], marked)
    own = float(weights.max(initial=0.0)) or 1.0
    most = view.most if fixed_scale and np.isfinite(view.most) else own
    return LinkedTokens(view.title(layer, head), columns, *found, highest=most)


def flow_info(record: AttentionRecord, encoder_alone: bool) -> LinkedTokens:
    """Attention through all layers, as rollout counts it: mean of the heads, and half by the residual connection.

    Following a token's links back multiplies their weights, which is rollout (Abnar & Zuidema 2020) but for the
    weak links that are left out.

    Args:
        record: of one sentence pair.
        encoder_alone: whether the decoder is left out.
    """
    layers, source = len(record.encoder), len(record.source_tokens)
    last = layers if encoder_alone else 2 * layers + 1
    columns = [
        TokenColumn("source" if layer == 0 else f"{layer}", record.source_tokens, layer / last)
        for layer in range(layers + 1)
    ]
    stay = np.eye(source, dtype=np.float32)
    blocks = [
        (layer + 1, layer, _HALF * (weights.mean(axis=0) + stay))
        for layer, weights in enumerate(record.encoder)
    ]
    if not encoder_alone:
        blocks += _decoder_blocks(record, layers)
        columns += [
            TokenColumn(
                "read" if layer == 0 else f"{layer}",
                record.decoder_input_tokens if layer < layers else record.predicted_tokens,
                (layers + 1 + layer) / last,
            )
            for layer in range(layers + 1)
        ]
    columns[0] = TokenColumn("source", record.source_tokens, 0.0, "left")
    end = columns[-1]
    columns[-1] = TokenColumn("encoder" if encoder_alone else "written", end.tokens, 1.0, "right")
    found = _links(blocks)
    return LinkedTokens("Attention through the layers", tuple(columns), *found, highest=1.0, verb="Made of")


def _decoder_blocks(record: AttentionRecord, layers: int) -> list[tuple[int, int, NDArray[np.float32]]]:
    """Each layer: half the source by cross-attention, a quarter each by self-attention and the residual."""
    stay = np.eye(len(record.decoder_input_tokens), dtype=np.float32)
    blocks = []
    for layer in range(layers):
        below = layers + 1 + layer
        blocks += [
            (below + 1, layers, _HALF * record.cross[layer].mean(axis=0)),
            (below + 1, below, _HALF * _HALF * (record.decoder[layer].mean(axis=0) + stay)),
        ]
    return blocks


def _links(
    blocks: list[tuple[int, int, NDArray[np.float32]]], marked: Set[tuple[int, int]] = frozenset()
) -> tuple[tuple[tuple[int, int, int, int, float, int], ...], float]:
    """The links of all blocks (column of queries, column of keys, weights), and the least weight among them."""
    weights = np.concatenate([block.ravel() for _, _, block in blocks])
    least = 10.0**-_DECIMALS
    if np.count_nonzero(weights >= least) > MAX_LINKS:
        least = float(np.partition(weights, -MAX_LINKS)[-MAX_LINKS])
    links = []
    for queries, keys, block in blocks:
        for row, column in np.argwhere(block >= least).tolist():
            weight = round(float(block[row, column]), _DECIMALS)
            links.append((queries, row, keys, column, weight, int((row, column) in marked)))
    # The strongest are drawn last, above the others.
    return tuple(sorted(links, key=lambda link: (link[5], link[4]))), least
