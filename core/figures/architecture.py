"""The encoder-decoder as a picture: an SVG that takes its text colour from the page around it."""

from __future__ import annotations

import html
from dataclasses import dataclass

from core.config import ModelConfig
from core.figures import theme

_BOX_WIDTH, _BOX_HEIGHT, _STEP = 220, 42, 62  # SVG units
_LEFT, _RIGHT = 30, 345  # where the two stacks begin
_WIDTH = _RIGHT + _BOX_WIDTH + 30
_CAPTION = 34  # below the stacks


@dataclass(frozen=True)
class Block:
    """One box of the picture."""

    label: str
    color: str
    in_layer: bool = False  # whether it is repeated in every layer


@dataclass(frozen=True)
class ArchitectureInfo:
    """What the picture says, bottom to top."""

    encoder: tuple[Block, ...]
    decoder: tuple[Block, ...]
    repeats: str  # beside the layers
    description: str  # for screen readers


def architecture_info(config: ModelConfig, source: str, target: str) -> ArchitectureInfo:
    """Name the parts of a model (figure 1 of the paper).

    Args:
        config: of the model.
        source: the language translated from.
        target: the language translated to.
    """
    positions = f"{config.positional_encoding} positions"
    heads = f"{config.num_heads} head{'s' if config.num_heads > 1 else ''}"
    encoder = (
        Block(f"{source} words", theme.GREEN),
        Block(f"embedding + {positions}", theme.GREEN),
        Block(f"self-attention, {heads}", theme.BLUE, True),
        Block("feed-forward", theme.VERMILLION, True),
    )
    decoder = (
        Block(f"{target} words so far", theme.GREEN),
        Block(f"embedding + {positions}", theme.GREEN),
        Block(f"masked self-attention, {heads}", theme.BLUE, True),
        Block(f"cross-attention, {heads}", theme.PURPLE, True),
        Block("feed-forward", theme.VERMILLION, True),
        Block("next word, with probabilities", theme.GREEN),
    )
    layers = f"× {config.num_layers} layer{'s' if config.num_layers > 1 else ''}"
    description = (
        f"An encoder reads the {source} sentence through {config.num_layers} layers of self-attention and "
        f"feed-forward. A decoder reads the {target} words so far, looks at the encoder's output through "
        "cross-attention, and gives a probability to every next word."
    )
    return ArchitectureInfo(encoder, decoder, layers, description)


def architecture_svg(info: ArchitectureInfo) -> str:
    """Draw the picture; it scales to the width it is given."""
    height = len(info.decoder) * _STEP + 20
    parts = [
        _layer_frame(_LEFT, info.encoder, height),
        _layer_frame(_RIGHT, info.decoder, height),
        _stack(_LEFT, info.encoder, height),
        _stack(_RIGHT, info.decoder, height),
        _memory_arrow(info, height),
        _text(_LEFT + _BOX_WIDTH / 2, height + 20, f"Encoder, {info.repeats}", weight=600),
        _text(_RIGHT + _BOX_WIDTH / 2, height + 20, f"Decoder, {info.repeats}", weight=600),
    ]
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height + _CAPTION}" role="img" aria-label="{html.escape(info.description)}" '
        'xmlns="http://www.w3.org/2000/svg" style="width:100%;max-width:760px;display:block;margin:auto" '
        'font-family="inherit" fill="currentColor">'
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="currentColor"/></marker></defs>'
        f"{''.join(parts)}</svg>"
    )


def _top(index: int, height: int) -> int:
    return height - (index + 1) * _STEP + (_STEP - _BOX_HEIGHT) // 2


def _stack(left: int, blocks: tuple[Block, ...], height: int) -> str:
    boxes = (_box(left, _top(index, height), block) for index, block in enumerate(blocks))
    middle = left + _BOX_WIDTH / 2
    arrows = (
        _line(middle, _top(index, height), middle, _top(index + 1, height) + _BOX_HEIGHT)
        for index in range(len(blocks) - 1)
    )
    return "".join((*boxes, *arrows))


def _layer_frame(left: int, blocks: tuple[Block, ...], height: int) -> str:
    rows = [index for index, block in enumerate(blocks) if block.in_layer]
    top = _top(rows[-1], height) - 8
    bottom = _top(rows[0], height) + _BOX_HEIGHT + 8
    return (
        f'<rect x="{left - 14}" y="{top}" width="{_BOX_WIDTH + 28}" height="{bottom - top}" rx="12" '
        'fill="currentColor" fill-opacity="0.04" stroke="currentColor" stroke-opacity="0.35" '
        'stroke-dasharray="5 4"/>'
    )


def _memory_arrow(info: ArchitectureInfo, height: int) -> str:
    """From the top of the encoder into the decoder's cross-attention."""
    start_x, start_y = _LEFT + _BOX_WIDTH / 2, _top(len(info.encoder) - 1, height)
    cross = next(index for index, block in enumerate(info.decoder) if block.label.startswith("cross"))
    end_y = _top(cross, height) + _BOX_HEIGHT / 2
    turn_y, turn_x = start_y - 30, (_LEFT + _BOX_WIDTH + _RIGHT) / 2
    path = f"M{start_x} {start_y}V{turn_y}H{turn_x}V{end_y}H{_RIGHT - 2}"
    return (
        f'<path d="{path}" fill="none" stroke="{theme.PURPLE}" stroke-width="2.5" marker-end="url(#arrow)"/>'
    )


def _box(left: int, top: int, block: Block) -> str:
    return (
        f'<rect x="{left}" y="{top}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="8" fill="{block.color}" '
        f'fill-opacity="0.22" stroke="{block.color}" stroke-width="1.5"/>'
        + _text(left + _BOX_WIDTH / 2, top + _BOX_HEIGHT / 2 + 5, block.label)
    )


def _text(x: float, y: float, text: str, weight: int = 400) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="middle" font-size="14" font-weight="{weight}">'
        f"{html.escape(text)}</text>"
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="currentColor" stroke-opacity="0.7" '
        'stroke-width="1.5" marker-end="url(#arrow)"/>'
    )
