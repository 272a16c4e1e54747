"""The order of computation: one training step, and the translation of one sentence (Vaswani et al. 2017, sections 3, 5).

Each step names its words, the parts at work and the tensors they make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.config import ModelConfig
from core.theory.model_parts import parts_of_model
from core.theory.parts import KINDS_WITH_WEIGHTS, Part, Side, Sizes, Tensor, axis_sizes, vectors

Words = tuple[str, ...]
_LAYER_KINDS = ("self-attention", "cross-attention", "feed-forward", "norm")


@dataclass(frozen=True)
class Row:
    """A row of words that the model reads or writes."""

    name: str
    words: Words
    new: int | None = None  # the position that this step adds


@dataclass(frozen=True)
class FlowStep:
    """One step."""

    key: str  # what kind of step it is
    active: frozenset[str]  # keys of the parts at work
    rows: tuple[Row, ...]
    makes: tuple[Tensor, ...]
    sizes: Sizes  # of the axes of what it makes


@dataclass(frozen=True)
class WordBatch:
    """Pairs as a training step gets them: rows of words, padded, with the special tokens."""

    sources: tuple[Words, ...]  # B rows of S
    inputs: tuple[Words, ...]  # what the decoder reads: B rows of T
    labels: tuple[Words, ...]  # what it should predict at each position: B rows of T


def training_flow(config: ModelConfig, batch: WordBatch, parameters: int) -> list[FlowStep]:
    """One training step.

    Args:
        config: of the model.
        batch: 1 or more pairs.
        parameters: of the whole model.
    """
    lengths = (len(batch.sources), len(batch.sources[0]), len(batch.inputs[0]))
    sizes = {**axis_sizes(config, *lengths), "all weights": parameters}
    sources = _rows("Encoder reads", batch.sources)
    inputs = _rows("Decoder reads", batch.inputs)
    labels = _rows("Labels", batch.labels)

    def step(key: str, active: frozenset[str], rows: tuple[Row, ...], *makes: Tensor) -> FlowStep:
        return FlowStep(key, active, rows, makes, sizes)

    parts = parts_of_model(config)
    words, embeddings, output = (_keys(parts, [kind]) for kind in ("words", "embedding", "output"))
    encoder = _keys(parts, _LAYER_KINDS, "encoder")
    reading = _keys(parts, ["self-attention"], "decoder")
    asking = _keys(parts, _LAYER_KINDS, "decoder") - reading
    weights = _keys(parts, KINDS_WITH_WEIGHTS)
    ids = Tensor("source ids", ("B", "S")), Tensor("decoder input, labels", ("B", "T"))
    embedded = vectors("encoder", "source vectors"), vectors("decoder", "target vectors")
    memory, hidden = vectors("encoder", "encoder's output"), vectors("decoder")
    return [
        step("batch", words, (*sources, *inputs, *labels), *ids),
        step("embed", embeddings, (*sources, *inputs), *embedded),
        step("encode", encoder, sources, _attention("S", "S"), memory),
        step("decode", reading, inputs, _attention("T", "T"), hidden),
        step("cross", asking, inputs, _attention("T", "S"), hidden),
        step("guess", output, (*inputs, *labels), Tensor("logits", ("B", "T", "V"))),
        step("loss", output, labels, Tensor("surprises", ("B", "T"))),
        step("backward", weights, (), Tensor("gradients", ("all weights",))),
        step("update", weights, (), Tensor("weights", ("all weights",))),
    ]


def translation_flow(config: ModelConfig, source: Words, inputs: Words, labels: Words) -> list[FlowStep]:
    """One sentence and its translation, word by word: greedily, with cached keys and values, as in the app.

    Args:
        config: of the model.
        source: words of the sentence; 1 or more.
        inputs: what the decoder reads, one word more in each round; the start token first.
        labels: what it predicts in each round; the end token last.
    """
    parts = parts_of_model(config)
    sizes = axis_sizes(config, 1, len(source), len(inputs))
    rows = (Row("Encoder reads", source),)

    def step(key: str, active: frozenset[str], made: Tensor) -> FlowStep:
        return FlowStep(key, active, rows, (made,), sizes)

    words, embedding = (_keys(parts, [kind], "encoder") for kind in ("words", "embedding"))
    encoder, cross = _keys(parts, _LAYER_KINDS, "encoder"), _keys(parts, ["cross-attention"])
    steps = [
        step("sentence", words, Tensor("source ids", ("1", "S"))),
        step("sentence_embed", embedding, Tensor("source vectors", ("1", "S", "D"))),
        step("encode_once", encoder, Tensor("encoder's output", ("1", "S", "D"))),
        step("keys_values", cross, Tensor("keys, and values", ("L", "H", "S", "K"))),
    ]
    for position in range(len(inputs)):
        steps.extend(_round(parts, inputs, labels, position, {**sizes, "so far": position + 1}))
    return steps


def _round(
    parts: Sequence[Part], inputs: Words, labels: Words, position: int, sizes: Sizes
) -> Iterator[FlowStep]:
    """The two steps that write one word."""
    read = inputs[: position + 1]
    yield FlowStep(
        "read",
        _keys(parts, ("words", "embedding", *_LAYER_KINDS), "decoder"),
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
        _keys(parts, ["output"]),
        (Row("Decoder reads", read), Row("It writes", labels[: position + 1], position)),
        (Tensor("logits", ("1", "1", "V")),),
        sizes,
    )


def _rows(name: str, sentences: Sequence[Words]) -> tuple[Row, ...]:
    return tuple(Row(name, words) for words in sentences)


def _keys(parts: Sequence[Part], kinds: Sequence[str], side: Side | None = None) -> frozenset[str]:
    """The keys of the parts of some kinds, on one side or both."""
    return frozenset(part.key for part in parts if part.kind in kinds and side in (None, part.side))


def _attention(queries: str, keys: str) -> Tensor:
    return Tensor("a layer's attention", ("B", "H", queries, keys))
