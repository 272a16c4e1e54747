"""The encoder-decoder: drawings of its parts, their sizes, and the effect of the norm's placement.

Drawings are SVG with the page's text color.
"""

import html
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.config import ModelConfig, NormPlacement
from core.figures import theme
from core.figures.plotly.lines import LinePanel, bars, line, stacked_figure
from core.figures.theme import Figure, PlotlyTrace
from core.language import N_, _, ngettext, number, titled
from core.theory.model_parts import CROSS_ATTENTION, SIDES, parts_of_model
from core.theory.norms import StackMeasures
from core.theory.parts import KINDS_WITH_WEIGHTS, Kind, Part

PART_COLORS: dict[Kind, str] = {
    "words": theme.GREEN,
    "embedding": theme.GREEN,
    "self-attention": theme.BLUE,
    "cross-attention": theme.PURPLE,
    "feed-forward": theme.VERMILLION,
    "norm": theme.GREY,
    "output": theme.GREEN,
}

# Sizes in SVG units: text keeps its 14 pixels on a phone.
LETTERS = 13.5  # font size
_BOX, _BETWEEN = 10.7, 16  # width of a block in font sizes; gap between the two stacks
_GAP, _HEIGHTS = 17, {"box": 36, "slim": 27, "sum": 20}  # between two blocks; of blocks
_OUTER, _INNER = 17, 7  # from a box to its frame: on the side of the bypasses, and on the other
_FRAME_BELOW, _FRAME_ABOVE, _MARGIN, _CAPTION = 11, 8, 2, 34
_LARGEST = 1.25  # pixels per unit

# In the legend of a model's size.
_KIND_NAMES: dict[Kind, str] = {
    "embedding": N_("embeddings"),
    "self-attention": N_("self-attention"),
    "cross-attention": N_("cross-attention"),
    "feed-forward": N_("feed-forward"),
    "norm": N_("norms"),
    "output": N_("output"),
}
_BAR_HEIGHT = 64  # pixels, with the gap between two bars
_MIN_NAMED = 0.07  # smallest share of a bar with room for its number


@dataclass(frozen=True)
class Block:
    """One element of a stack."""

    label: str  # empty for a sum
    color: str
    in_layer: bool = False  # whether it is repeated in every layer
    key: str = ""  # the key of its part
    shape: Literal["box", "slim", "sum"] = "box"
    bypassed: int = 0  # for a sum: number of blocks below it that the residual bypasses


def architecture_svg(
    config: ModelConfig,
    languages: tuple[str, str] = (N_("Source"), N_("Target")),
    active: Iterable[str] = (),
    clickable: bool = False,
    letters: float = LETTERS,
    is_fading: bool = False,
) -> str:
    """Draw every part of a model (figure 1 of the paper), small enough for a phone.

    Args:
        config: the model's configuration.
        languages: names of source and target language, in English.
        active: keys of the highlighted parts.
        clickable: whether parts can be clicked.
        letters: font size.
        is_fading: whether what a decoder alone lacks fades out: the encoder, and the cross-attention with its norm.
    """
    parts = parts_of_model(config)
    count = config.num_layers
    captions = {
        "encoder": ngettext("Encoder, × {count} layer", "Encoder, × {count} layers", count),
        "decoder": ngettext("Decoder, × {count} layer", "Decoder, × {count} layers", count),
    }
    source, target = map(_, languages)
    words = {
        "encoder": _("{language} words").format(language=source),
        "decoder": _("{language} so far").format(language=target),
    }
    stacks = {
        captions[side].format(count=count): list(
            _blocks([part for part in parts if part.side == side], config.norm, words[side])
        )
        for side in SIDES
    }
    chosen = frozenset(active)
    of_side = {"encoder": _("{part} of the encoder"), "decoder": _("{part} of the decoder")}
    names = [of_side[part.side].format(part=part.title.lower()) for part in parts if part.key in chosen]
    description = _("The encoder's and the decoder's parts, from the words below to the probabilities above.")
    if names:
        description += " " + _("Standing out: {parts}.").format(parts=", ".join(names))
    fading = [part.key for part in parts if is_fading and _is_left_out(part)]
    return _drawing(stacks, description, CROSS_ATTENTION, chosen, clickable, letters, fading)


def _is_left_out(part: Part) -> bool:
    """Return whether a decoder alone lacks a part."""
    return part.side == "encoder" or "cross_attention" in part.key


def norm_orders_svg(letters: float = LETTERS) -> str:
    """Draw one encoder layer with the norm after each sum, and with the norm before each sublayer."""
    layers = {_("Post-norm: the paper"): _one_layer("post"), _("Pre-norm: since then"): _one_layer("pre")}
    return _drawing(
        layers,
        _(
            "Left, post-norm: self-attention, sum, norm, feed-forward, sum, norm. Right, pre-norm: norm, self-attention, "
            "sum, norm, feed-forward, sum. The way around each sublayer passes a norm on the left and none on the right."
        ),
        letters=letters,
    )


def _one_layer(norm: NormPlacement) -> list[Block]:
    parts = parts_of_model(ModelConfig(4, 4, norm=norm))  # of any size
    layer = [part for part in parts if part.side == "encoder" and part.in_layer]
    below, above = Block(_("vectors"), theme.GREEN), Block(_("to the next layer"), theme.GREEN)
    return [below, *_blocks(layer, norm), above]


def _blocks(parts: Sequence[Part], norm: NormPlacement, words: str = "") -> Iterator[Block]:
    """Yield the blocks of one side from the words on, with a sum and a norm for each sublayer."""
    for index, part in enumerate(parts):
        color = PART_COLORS[part.kind]
        if part.kind == "norm":
            if norm == "post":
                yield Block("", color, True, part.key, "sum", bypassed=1)
            label = _("norm") if part.in_layer else _("final norm")
            yield Block(label, color, part.in_layer, part.key, "slim")
            continue
        yield Block(words if part.kind == "words" else part.title, color, part.in_layer, part.key)
        if part.in_layer and norm == "pre":
            yield Block("", PART_COLORS["norm"], True, parts[index - 1].key, "sum", bypassed=2)


def _drawing(
    stacks: Mapping[str, Sequence[Block]],
    description: str,
    joined: str = "",
    active: Collection[str] = (),
    clickable: bool = False,
    letters: float = LETTERS,
    fading: Collection[str] = (),
) -> str:
    """Draw two stacks of blocks side by side; the drawing scales to the available width.

    Args:
        stacks: blocks from bottom to top, by their caption.
        description: text for screen readers.
        joined: key of the block in the right stack that the top of the left stack leads to.
        active: keys of the highlighted blocks.
        clickable: whether blocks with a key can be clicked.
        letters: font size.
        fading: keys of the blocks that fade out.
    """
    box = round(_BOX * letters)
    frame = _OUTER + box + _INNER
    height = max(sum(_HEIGHTS[block.shape] + _GAP for block in blocks) for blocks in stacks.values())
    left, right = (
        _Stack(blocks, _MARGIN + number * (frame + _BETWEEN), height, bool(number), box)
        for number, blocks in enumerate(stacks.values())
    )
    drawn = [left.frame(), *left.arrows()]
    if all(block.key in fading for block in left.blocks):
        drawn = list(map(_faded, drawn))
    parts = [*drawn, right.frame(), *right.arrows()]
    parts += [
        _faded(block) if stack.blocks[index].key in fading else block
        for stack in (left, right)
        for index, block in enumerate(
            stack.block(index, active, clickable) for index in range(len(stack.blocks))
        )
    ]
    if joined and joined not in fading:
        parts.append(_joining(left, right, joined))
    parts += [
        _text(stack.middle, height + 20, caption, weight=600)
        for stack, caption in zip((left, right), stacks, strict=True)
    ]
    width = 2 * (frame + _MARGIN) + _BETWEEN
    return (
        f'<svg viewBox="0 0 {width} {height + _CAPTION}" role="{"group" if clickable else "img"}" '
        f'aria-label="{html.escape(description)}" xmlns="http://www.w3.org/2000/svg" '
        f'style="width:100%;max-width:{width * _LARGEST:g}px;display:block;margin:auto" font-family="inherit" '
        f'font-size="{letters:g}" '
        'fill="currentColor"><defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="currentColor"/></marker>'
        f"</defs>{''.join(parts)}</svg>"
    )


def _faded(block: str) -> str:
    """Return a block that fades out."""
    fade = '<animate attributeName="opacity" from="1" to="0.12" begin="1s" dur="2s" fill="freeze"/>'
    return f"<g>{fade}{block}</g>"


class _Stack:
    """A stack of blocks with their positions, from bottom to top; bypasses run on its outer side.

    `edge` is the left edge of its frame, `height` the height of the taller stack, `box` the width of a block.
    """

    def __init__(self, blocks: Sequence[Block], edge: int, height: int, right: bool, box: int) -> None:
        self.blocks = blocks
        self.edge = edge
        self.right = right
        self.box = box
        self.left = edge + (_INNER if right else _OUTER)
        self.middle = self.left + box / 2
        self.tops: list[int] = []
        bottom = height - _GAP // 2
        for block in blocks:
            self.tops.append(bottom - _HEIGHTS[block.shape])
            bottom = self.tops[-1] - _GAP

    def bottom(self, index: int) -> int:
        """Return the lower end of a block."""
        return self.tops[index] + _HEIGHTS[self.blocks[index].shape]

    def frame(self) -> str:
        """Draw a frame around the blocks that every layer repeats."""
        rows = [index for index, block in enumerate(self.blocks) if block.in_layer]
        top, bottom = self.tops[rows[-1]] - _FRAME_ABOVE, self.bottom(rows[0]) + _FRAME_BELOW
        return (
            f'<rect x="{self.edge}" y="{top}" width="{_OUTER + self.box + _INNER}" height="{bottom - top}" '
            'rx="12" fill="currentColor" fill-opacity="0.04" stroke="currentColor" stroke-opacity="0.35" '
            'stroke-dasharray="5 4"/>'
        )

    def arrows(self) -> Iterator[str]:
        """Yield arrows from block to block, and around each sublayer to its sum; blocks cover their ends."""
        for index in range(len(self.tops) - 1):
            yield _arrow(f"M{self.middle} {self.tops[index]}V{self.bottom(index + 1)}")
        radius = _HEIGHTS["sum"] // 2
        aside = _OUTER * 0.6
        turn = self.left + self.box + aside if self.right else self.left - aside
        for index, block in enumerate(self.blocks):
            if block.shape == "sum":
                start = self.bottom(index - block.bypassed) + _GAP // 2
                edge = self.middle + (radius if self.right else -radius)
                yield _arrow(f"M{self.middle} {start}H{turn}V{self.tops[index] + radius}H{edge}")

    def block(self, index: int, active: Collection[str], clickable: bool) -> str:
        """Draw a block, as a button if it can be clicked."""
        block = self.blocks[index]
        stands_out = block.key in active
        look = (
            f'fill="{block.color}" fill-opacity="{0.5 if stands_out else 0.2}" '
            f'stroke="{"currentColor" if stands_out else block.color}" stroke-width="{3 if stands_out else 1.5}"'
        )
        top = self.tops[index]
        height = _HEIGHTS[block.shape]
        middle = top + height / 2
        if block.shape == "sum":
            cross = f"M{self.middle - 5} {middle}h10M{self.middle} {middle - 5}v10"
            element = f'<circle cx="{self.middle}" cy="{middle}" r="{height / 2}" {look}/>'
            element += f'<path d="{cross}" stroke="currentColor" stroke-width="2"/>'
        else:
            place = f'x="{self.left}" y="{top}" width="{self.box}" height="{height}"'
            element = f'<rect {place} rx="8" {look}/>{_text(self.middle, middle + 0.36 * self.box / _BOX, block.label)}'
        if not (clickable and block.key):
            return element
        # A sum shares a key with its norm: one of the two is enough for the keyboard.
        keyboard = 'role="button" tabindex="0"' if block.label else 'aria-hidden="true"'
        pressed = "true" if stands_out else "false"
        return (
            f'<g data-part="{html.escape(block.key)}" {keyboard} aria-pressed="{pressed}" style="cursor:pointer">'
            f"{element}</g>"
        )


def _joining(left: _Stack, right: _Stack, key: str) -> str:
    """Draw the arrow from the top of the left stack to a block of the right one."""
    index = [block.key for block in right.blocks].index(key)
    end = (right.tops[index] + right.bottom(index)) / 2
    between = (left.left + left.box + _INNER + right.edge) / 2
    path = f"M{left.middle} {left.tops[-1]}V{left.tops[-1] - _GAP}H{between}V{end}H{right.left - 2}"
    return (
        f'<path d="{path}" fill="none" stroke="{theme.PURPLE}" stroke-width="2.5" marker-end="url(#arrow)"/>'
    )


def _text(x: float, y: float, text: str, weight: int = 400) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="middle" font-weight="{weight}">{html.escape(text)}</text>'


def _arrow(path: str) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.7" stroke-width="1.5" '
        'marker-end="url(#arrow)"/>'
    )


def norm_placement_figure(post: StackMeasures, pre: StackMeasures) -> Figure:
    """Draw the size of vectors after each layer of a stack, and their similarity to the input."""
    looks = ((_("post-norm"), post, theme.BLUE, "solid"), (_("pre-norm"), pre, theme.VERMILLION, "dash"))

    def lines(measure: str) -> list[PlotlyTrace]:
        traces = []
        for name, measures, color, dash in looks:
            values = getattr(measures, measure)
            layers = list(range(len(values)))
            hover = _("{name}, after layer {layer}: {value}").format(
                name=name, layer="%{x}", value="%{y:.2f}"
            )
            traces.append(line(layers, values, name, color, hover, dash=dash, markers=True))
        return traces

    size = theme.axis(_("size"), rangemode="tozero", nticks=5)
    similarity = theme.axis(_("cosine similarity"), range=[-0.15, 1.1], nticks=5)
    panels = [
        LinePanel(_("Root mean square of the vectors"), lines("size"), size),
        LinePanel(_("Cosine similarity to the input"), lines("cosine_similarity"), similarity),
    ]
    return stacked_figure(panels, 520, 0.3, theme.axis(_("layers passed"), nticks=9), {"margin": {"b": 70}})


def model_size_figure(models: Mapping[str, Mapping[Kind, int]], totals: Sequence[str]) -> Figure:
    """Draw the shares of each model's parts as a bar; all bars have the same length.

    Args:
        models: parameters of each kind of part, by the model's name in plain text; the first is on top.
        totals: each model's number of parameters, as text.
    """
    names = [
        titled(f"<b>{theme.escaped(name)}</b>", total) for name, total in zip(models, totals, strict=True)
    ]
    # Above its bar, because there is no room beside it on a phone.
    place = {"x": 0, "xanchor": "left", "yanchor": "bottom", "yshift": 15}
    layout = {
        "barmode": "stack",
        "margin": {"t": 8, "b": 84},
        "legend": {"traceorder": "normal"},
        "annotations": [{**place, "text": name, "y": row} for row, name in enumerate(names)],
        "xaxis": theme.axis(
            _("share of all parameters"), range=[0, 1.03], **theme.percent_ticks(0, 0.25, 0.5, 0.75, 1)
        ),
        "yaxis": theme.axis(visible=False, range=[len(models) - 0.6, -0.75]),
    }
    traces = [_shares(list(models.values()), kind) for kind in KINDS_WITH_WEIGHTS]
    return theme.plain_figure(traces, layout, 120 + _BAR_HEIGHT * len(models))


def _shares(models: Sequence[Mapping[Kind, int]], kind: Kind) -> PlotlyTrace:
    """Draw the share of one kind of part in all models."""
    name = _(_KIND_NAMES[kind])
    color = theme.PALE_GREEN if kind == "output" else PART_COLORS[kind]
    shares = [counts[kind] / sum(counts.values()) for counts in models]
    # An outline around an empty bar would be a line at its end.
    outline = {"color": PART_COLORS[kind], "width": [1.5 if share else 0 for share in shares]}
    text_color = theme.WHITE if kind == "self-attention" else theme.BLACK
    return bars(
        shares,
        list(range(len(models))),
        color,
        _("{name}: {count} parameters, {share}").format(
            name=name, count="%{customdata:,}", share="%{hovertext}"
        ),
        customdata=[counts[kind] for counts in models],
        hovertext=[number(share, ".1%") for share in shares],
        name=name,
        orientation="h",
        width=0.5,
        marker={"color": color, "line": outline},
        text=[number(share, ".0%") if share >= _MIN_NAMED else "" for share in shares],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": text_color, "size": theme.TICK_SIZE},
        constraintext="none",
    )
