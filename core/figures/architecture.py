"""Pictures of the encoder-decoder: an overview, all its parts, and a layer with either placement of the norm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from core.config import ModelConfig, NormPlacement
from core.figures import theme
from core.figures.stack_drawing import COMPACT, ROOMY, Block, Stack, StackDrawing, stacks_svg
from core.theory.model_parts import CROSS_ATTENTION, parts_of_model
from core.theory.parts import Kind, Part

PART_COLORS: dict[Kind, str] = {
    "words": theme.GREEN,
    "embedding": theme.GREEN,
    "self-attention": theme.BLUE,
    "cross-attention": theme.PURPLE,
    "feed-forward": theme.VERMILLION,
    "norm": theme.GREY,
    "output": theme.GREEN,
}
_SHORT_LABELS = {"Target words so far": "Words so far"}  # boxes are as wide as half a phone


def architecture_info(config: ModelConfig, source: str, target: str) -> StackDrawing:
    """Every part of a model, norms and residual connections included (figure 1 of the paper), with its languages.

    Args:
        config: of the model.
        source: the language translated from.
        target: the language translated to.
    """
    encoder, decoder = (
        tuple(
            _blocks(
                [part for part in parts_of_model(config) if part.side == side],
                config.norm,
                partial(_glance_label, config=config, language=language),
            )
        )
        for side, language in (("encoder", source), ("decoder", target))
    )
    return StackDrawing(
        Stack(f"Encoder, {_repeats(config)}", encoder),
        Stack(f"Decoder, {_repeats(config)}", decoder),
        f"An encoder reads the {source} sentence through {config.num_layers} layers of self-attention and feed-forward. "
        f"A decoder reads the {target} words so far, attends to the encoder's output through cross-attention, and gives "
        "every possible next word a probability.",
        joined=CROSS_ATTENTION,
    )


def architecture_svg(info: StackDrawing) -> str:
    """Draw the overview; it scales to the width of its place."""
    return stacks_svg(info, ROOMY)


def parts_info(config: ModelConfig, active: Iterable[str] = (), clickable: bool = False) -> StackDrawing:
    """Every part of a model, with norms and sums in their places.

    Args:
        config: of the model.
        active: keys of the parts that stand out.
        clickable: whether a part can be pressed.
    """
    parts = parts_of_model(config)
    encoder, decoder = (
        tuple(_blocks([part for part in parts if part.side == side], config.norm))
        for side in ("encoder", "decoder")
    )
    chosen = frozenset(active)
    names = [f"{part.title.lower()} of the {part.side}" for part in parts if part.key in chosen]
    return StackDrawing(
        Stack(f"Encoder, {_repeats(config)}", encoder),
        Stack(f"Decoder, {_repeats(config)}", decoder),
        "The encoder's and the decoder's parts, from the words below to the probabilities above."
        + (f" Standing out: {', '.join(names)}." if names else ""),
        joined=CROSS_ATTENTION,
        active=chosen,
        clickable=clickable,
    )


def norm_orders_info() -> StackDrawing:
    """One encoder layer with the norm after each sum, and with the norm before each sublayer."""
    return StackDrawing(
        _one_layer("post", "Post-norm: the paper"),
        _one_layer("pre", "Pre-norm: since then"),
        "Left, post-norm: self-attention, sum, norm, feed-forward, sum, norm. Right, pre-norm: norm, self-attention, "
        "sum, norm, feed-forward, sum. The way around each sublayer passes a norm on the left and none on the right.",
    )


def parts_svg(info: StackDrawing) -> str:
    """Draw the parts, small enough for a phone."""
    return stacks_svg(info, COMPACT)


def _one_layer(norm: NormPlacement, caption: str) -> Stack:
    parts = parts_of_model(ModelConfig(4, 4, norm=norm))  # the sizes do not matter
    layer = [part for part in parts if part.side == "encoder" and part.in_layer]
    below, above = Block("vectors", theme.GREEN), Block("to the next layer", theme.GREEN)
    return Stack(caption, (below, *_blocks(layer, norm), above))


def _part_label(part: Part) -> str:
    return _SHORT_LABELS.get(part.title, part.title)


def _blocks(
    parts: list[Part], norm: NormPlacement, label_of: Callable[[Part], str] = _part_label
) -> Iterator[Block]:
    """Blocks of one side; behind each sublayer comes its sum, and with post-norm its norm behind that."""
    for index, part in enumerate(parts):
        color = PART_COLORS[part.kind]
        if part.kind == "norm":
            if norm == "post":
                yield Block("", color, True, part.key, "sum", bypassed=1)
            label = "norm" if part.in_layer else "final norm"
            yield Block(label, color, part.in_layer, part.key, "slim")
            continue
        yield Block(label_of(part), color, part.in_layer, part.key)
        if part.in_layer and norm == "pre":
            yield Block("", PART_COLORS["norm"], True, parts[index - 1].key, "sum", bypassed=2)


def _glance_label(part: Part, config: ModelConfig, language: str) -> str:
    match part.kind:
        case "words":
            return f"{language} words{' so far' if part.side == 'decoder' else ''}"
        case "embedding":
            learned = "learned " if config.positional_encoding == "learned" else ""
            return f"embedding + {learned}positions"
        case "self-attention" | "cross-attention":
            heads = f"{config.num_heads} head{'s' if config.num_heads > 1 else ''}"
            return f"{part.title.lower()}, {heads}"
        case "output":
            return "linear, softmax: next word"
        case _:
            return part.title.lower()


def _repeats(config: ModelConfig) -> str:
    return f"× {config.num_layers} layer{'s' if config.num_layers > 1 else ''}"
