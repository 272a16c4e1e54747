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
        "The sentence",
        "One sentence, so the batch is 1 and nothing is padded. There is no right translation to read.",
        frozenset({"source_words"}),
        rows,
        (Tensor("source ids", ("1", "S")),),
        sizes,
    )
    yield FlowStep(
        "Ids become vectors",
        "As in training.",
        frozenset({"source_embedding"}),
        rows,
        (Tensor("source vectors", ("1", "S", "D")),),
        sizes,
    )
    yield FlowStep(
        "The encoder reads, once",
        "What it makes of the sentence stays the same for every word that is written.",
        keys_of(parts, _LAYER_KINDS, "encoder"),
        rows,
        (Tensor("encoder's output", ("1", "S", "D")),),
        sizes,
    )
    yield FlowStep(
        "Keys and values, once",
        "The cross-attention of each decoder layer makes its keys and values of the source now, and keeps them.",
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
        f"The decoder reads “{inputs[position]}”",
        _said_of_reading(position),
        keys_of(parts, ("words", "embedding", *_LAYER_KINDS), "decoder"),
        (Row("Decoder reads", read, position),),
        (
            Tensor("the newest vector", ("1", "1", "D")),
            Tensor("self-attention", ("1", "H", "1", "so far")),
            Tensor("cross-attention", ("1", "H", "1", "S")),
        ),
        sizes,
    )
    last = position + 1 == len(labels)
    yield FlowStep(
        f"It says “{labels[position]}”",
        "The end sign: the translation is finished."
        if last
        else "The most probable entry of the vocabulary. It is what the decoder reads next.",
        frozenset({"output"}),
        (Row("Decoder reads", read), Row("It says", labels[: position + 1], position)),
        (Tensor("logits", ("1", "1", "V")),),
        sizes,
    )


def _said_of_reading(position: int) -> str:
    if position == 0:
        return "So far there is only the start sign. It looks at itself, and at all of the encoder's output."
    kept = "the start sign" if position == 1 else f"the {position} before it"
    return f"Only the newest word passes the layers. Keys and values of {kept} are kept from earlier rounds."
