"""One sentence being translated, step by step: greedily, with cached keys and values, as the app does it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.config import ModelConfig
from core.theory.flow_step import FlowStep, Row, Words, keys_of
from core.theory.model_parts import parts_of_model
from core.theory.parts import Batch, Part, Tensor, axis_sizes

_LAYER_KINDS = ("self-attention", "cross-attention", "feed-forward", "norm")


def translation_flow(config: ModelConfig, source: Words, inputs: Words, labels: Words) -> list[FlowStep]:
    """All steps from the sentence to its translation.

    Args:
        config: of the model.
        source: words of the sentence; 1 or more.
        inputs: what the decoder reads, one more each round; the start sign first.
        labels: what it says in each round; the end sign last.
    """
    parts = parts_of_model(config)
    sizes = axis_sizes(config, Batch(1, len(source), len(inputs)))
    steps = [*_reading(parts, source, sizes)]
    for position in range(len(inputs)):
        steps.extend(_round(parts, inputs, labels, position, {**sizes, "so far": position + 1}))
    return steps


def _reading(parts: Sequence[Part], source: Words, sizes: Mapping[str, int]) -> Iterator[FlowStep]:
    rows = (Row("Encoder reads", source),)
    yield FlowStep(
        "sentence",
        frozenset({"source_words"}),
        rows,
        (Tensor("source ids", ("1", "S")),),
        sizes,
    )
    yield FlowStep(
        "sentence_embed",
        frozenset({"source_embedding"}),
        rows,
        (Tensor("source vectors", ("1", "S", "D")),),
        sizes,
    )
    yield FlowStep(
        "encode_once",
        keys_of(parts, _LAYER_KINDS, "encoder"),
        rows,
        (Tensor("encoder's output", ("1", "S", "D")),),
        sizes,
    )
    yield FlowStep(
        "keys_values",
        frozenset({"decoder_cross_attention"}),
        rows,
        (Tensor("keys, and values", ("L", "H", "S", "K")),),
        sizes,
    )


def _round(
    parts: Sequence[Part], inputs: Words, labels: Words, position: int, sizes: Mapping[str, int]
) -> Iterator[FlowStep]:
    """The two steps that write one word."""
    read = inputs[: position + 1]
    yield FlowStep(
        "read",
        keys_of(parts, ("words", "embedding", *_LAYER_KINDS), "decoder"),
        (Row("Decoder reads", read, position),),
        (
            Tensor("the newest vector", ("1", "1", "D")),
            Tensor("self-attention", ("1", "H", "1", "so far")),
            Tensor("cross-attention", ("1", "H", "1", "S")),
        ),
        sizes,
    )
    yield FlowStep(
        "end" if position + 1 == len(labels) else "say",
        frozenset({"output"}),
        (Row("Decoder reads", read), Row("It says", labels[: position + 1], position)),
        (Tensor("logits", ("1", "1", "V")),),
        sizes,
    )
