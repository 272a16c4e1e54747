"""Stacks of blocks beside each other, as data for a drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shape = Literal["box", "slim", "sum"]


@dataclass(frozen=True)
class Block:
    """One element of a stack."""

    label: str  # in the drawing; a sum has none
    color: str
    in_layer: bool = False  # whether it is repeated in every layer
    key: str = ""  # of the part that it stands for
    shape: Shape = "box"
    bypassed: int = 0  # of a sum: how many blocks below it the other summand goes around


@dataclass(frozen=True)
class Stack:
    """Blocks from the bottom to the top."""

    caption: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class StackDrawing:
    """Two stacks, and their highlighted blocks."""

    left: Stack
    right: Stack
    description: str  # for screen readers
    joined: str = ""  # key of the block on the right that the left one's top leads to
    active: frozenset[str] = frozenset()  # keys of the highlighted blocks
    clickable: bool = False  # whether blocks with a key can be pressed
