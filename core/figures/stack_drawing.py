"""Stacks of blocks beside each other: an SVG that takes its text color from the page."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.figures import theme

Shape = Literal["box", "slim", "sum"]

_SUM_RADIUS = 10  # SVG units, as all sizes here
_FRAME_BELOW, _FRAME_ABOVE = 11, 8
_CAPTION = 34  # below the stacks


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


@dataclass(frozen=True)
class Layout:
    """Sizes of a drawing, in SVG units."""

    box_width: int
    box_height: int
    gap: int  # between two blocks of a stack
    outer: int  # from a box to its frame on the side where bypasses run
    inner: int  # on the other side
    between: int  # the frames
    margin: int
    widest: int  # pixels on the screen


ROOMY = Layout(220, 42, 20, 14, 14, 67, 16, 760)
COMPACT = Layout(144, 36, 17, 17, 7, 16, 2, 430)  # text keeps its 14 pixels on a phone


def stacks_svg(drawing: StackDrawing, layout: Layout) -> str:
    """Draw the stacks; the picture scales to the width it is given."""
    height = max(_height(stack, layout) for stack in (drawing.left, drawing.right)) + layout.gap
    canvases = _Canvas(drawing, layout, height, right=False), _Canvas(drawing, layout, height, right=True)
    width = canvases[1].frame_left + _frame_width(layout) + layout.margin
    parts = [
        *(canvas.frame() for canvas in canvases),
        *(element for canvas in canvases for element in canvas.blocks()),
        *([_joining(*canvases)] if drawing.joined else []),
        *(_text(canvas.middle, height + 20, canvas.stack.caption, weight=600) for canvas in canvases),
    ]
    return (
        f'<svg viewBox="0 0 {width} {height + _CAPTION}" role="{"group" if drawing.clickable else "img"}" '
        f'aria-label="{html.escape(drawing.description)}" xmlns="http://www.w3.org/2000/svg" '
        f'style="width:100%;max-width:{layout.widest}px;display:block;margin:auto" font-family="inherit" '
        'fill="currentColor"><defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="currentColor"/></marker>'
        f"</defs>{''.join(parts)}</svg>"
    )


class _Canvas:
    """One stack with the place of each of its blocks.

    Args:
        drawing: that it belongs to.
        layout: of the drawing.
        height: of the stacks.
        right: which of the two it is.
    """

    def __init__(self, drawing: StackDrawing, layout: Layout, height: int, right: bool) -> None:
        self.drawing, self.layout, self.right = drawing, layout, right
        self.stack = drawing.right if right else drawing.left
        self.frame_left = layout.margin + (_frame_width(layout) + layout.between if right else 0)
        self.left = self.frame_left + (layout.inner if right else layout.outer)
        self.middle = self.left + layout.box_width / 2
        self.tops: list[int] = []
        bottom = height - layout.gap // 2
        for block in self.stack.blocks:
            self.tops.append(bottom - _block_height(block, layout))
            bottom = self.tops[-1] - layout.gap

    def bottom(self, index: int) -> int:
        """The lower end of a block."""
        return self.tops[index] + _block_height(self.stack.blocks[index], self.layout)

    def frame(self) -> str:
        """What is repeated in every layer."""
        rows = [index for index, block in enumerate(self.stack.blocks) if block.in_layer]
        if not rows:
            return ""
        top, bottom = self.tops[rows[-1]] - _FRAME_ABOVE, self.bottom(rows[0]) + _FRAME_BELOW
        return (
            f'<rect x="{self.frame_left}" y="{top}" width="{_frame_width(self.layout)}" height="{bottom - top}" '
            'rx="12" fill="currentColor" fill-opacity="0.04" stroke="currentColor" stroke-opacity="0.35" '
            'stroke-dasharray="5 4"/>'
        )

    def blocks(self) -> Iterator[str]:
        """Arrows first, so that blocks lie over their ends."""
        for index in range(len(self.tops) - 1):
            yield _line(f"M{self.middle} {self.tops[index]}V{self.bottom(index + 1)}")
        for index, block in enumerate(self.stack.blocks):
            if block.shape == "sum":
                yield self._bypass(index, block)
        for index, block in enumerate(self.stack.blocks):
            yield self._pressable(block, self._block(index, block))

    def _bypass(self, index: int, block: Block) -> str:
        """Around the sublayer, from below it to the sum."""
        start = self.bottom(index - block.bypassed) + self.layout.gap // 2
        end = self.tops[index] + _SUM_RADIUS
        aside = self.layout.outer * 0.6
        turn = self.left + self.layout.box_width + aside if self.right else self.left - aside
        edge = self.middle + (_SUM_RADIUS if self.right else -_SUM_RADIUS)
        return _line(f"M{self.middle} {start}H{turn}V{end}H{edge}")

    def _block(self, index: int, block: Block) -> str:
        active = block.key in self.drawing.active
        look = (
            f'fill="{block.color}" fill-opacity="{0.5 if active else 0.2}" '
            f'stroke="{"currentColor" if active else block.color}" stroke-width="{3 if active else 1.5}"'
        )
        top, height = self.tops[index], _block_height(block, self.layout)
        middle = top + height / 2
        if block.shape == "sum":
            cross = f"M{self.middle - 5} {middle}h10M{self.middle} {middle - 5}v10"
            return (
                f'<circle cx="{self.middle}" cy="{middle}" r="{_SUM_RADIUS}" {look}/>'
                f'<path d="{cross}" stroke="currentColor" stroke-width="2"/>'
            )
        return (
            f'<rect x="{self.left}" y="{top}" width="{self.layout.box_width}" height="{height}" rx="8" {look}/>'
            + _text(self.middle, middle + 5, block.label)
        )

    def _pressable(self, block: Block, element: str) -> str:
        if not (self.drawing.clickable and block.key):
            return element
        # A sum is its norm's second half: one of the two is enough for the keyboard.
        keyboard = 'role="button" tabindex="0"' if block.label else 'aria-hidden="true"'
        pressed = "true" if block.key in self.drawing.active else "false"
        return (
            f'<g data-part="{html.escape(block.key)}" {keyboard} aria-pressed="{pressed}" style="cursor:pointer">'
            f"{element}</g>"
        )


def _joining(left: _Canvas, right: _Canvas) -> str:
    """From the top of the left stack into a block of the right one."""
    keys = [block.key for block in right.stack.blocks]
    end = (right.tops[keys.index(left.drawing.joined)] + right.bottom(keys.index(left.drawing.joined))) / 2
    turn = left.tops[-1] - left.layout.gap
    between = (left.frame_left + _frame_width(left.layout) + right.frame_left) / 2
    path = f"M{left.middle} {left.tops[-1]}V{turn}H{between}V{end}H{right.left - 2}"
    return (
        f'<path d="{path}" fill="none" stroke="{theme.PURPLE}" stroke-width="2.5" marker-end="url(#arrow)"/>'
    )


def _frame_width(layout: Layout) -> int:
    return layout.outer + layout.box_width + layout.inner


def _height(stack: Stack, layout: Layout) -> int:
    heights: Sequence[int] = [_block_height(block, layout) for block in stack.blocks]
    return sum(heights) + layout.gap * (len(heights) - 1)


def _block_height(block: Block, layout: Layout) -> int:
    return {"box": layout.box_height, "slim": layout.box_height - 9, "sum": 2 * _SUM_RADIUS}[block.shape]


def _text(x: float, y: float, text: str, weight: int = 400) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="middle" font-size="14.5" font-weight="{weight}">'
        f"{html.escape(text)}</text>"
    )


def _line(path: str) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.7" stroke-width="1.5" '
        'marker-end="url(#arrow)"/>'
    )
