"""One training step, step by step (Vaswani et al. 2017, sections 3 and 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.config import ModelConfig
from core.theory.flow_step import FlowStep, Row, Words, keys_of
from core.theory.model_parts import parts_of_model
from core.theory.parts import Batch, Part, Tensor, axis_sizes

_VECTORS = Tensor("vectors", ("B", "T", "D"))


@dataclass(frozen=True)
class WordBatch:
    """Pairs as a training step gets them: rows of words, padded, the special signs written out."""

    sources: tuple[Words, ...]  # B rows of S
    inputs: tuple[Words, ...]  # what the decoder reads: B rows of T
    labels: tuple[Words, ...]  # what it should say at each position: B rows of T


def training_flow(config: ModelConfig, batch: WordBatch, parameters: int) -> list[FlowStep]:
    """One training step.

    Args:
        config: of the model.
        batch: 1 or more pairs.
        parameters: of the whole model.
    """
    lengths = Batch(len(batch.sources), len(batch.sources[0]), len(batch.inputs[0]))
    sizes = {**axis_sizes(config, lengths), "all weights": parameters}
    parts = parts_of_model(config)
    return [
        *_preparing(parts, batch, sizes),
        *_reading(parts, batch, sizes),
        *_guessing(batch, sizes),
        *_learning(parts, sizes),
    ]


def _preparing(parts: Sequence[Part], batch: WordBatch, sizes: Mapping[str, int]) -> Iterator[FlowStep]:
    rows = (*_sources(batch), *_inputs(batch))
    yield FlowStep(
        "batch",
        keys_of(parts, ("words",)),
        (*rows, *_labels(batch)),
        (Tensor("source ids", ("B", "S")), Tensor("decoder input, labels", ("B", "T"))),
        sizes,
    )
    yield FlowStep(
        "embed",
        keys_of(parts, ("embedding",)),
        rows,
        (Tensor("source vectors", ("B", "S", "D")), Tensor("target vectors", ("B", "T", "D"))),
        sizes,
    )


def _reading(parts: Sequence[Part], batch: WordBatch, sizes: Mapping[str, int]) -> Iterator[FlowStep]:
    yield FlowStep(
        "encode",
        keys_of(parts, ("self-attention", "feed-forward", "norm"), "encoder"),
        _sources(batch),
        (Tensor("a layer's attention", ("B", "H", "S", "S")), Tensor("encoder's output", ("B", "S", "D"))),
        sizes,
    )
    yield FlowStep(
        "decode",
        keys_of(parts, ("self-attention",), "decoder"),
        _inputs(batch),
        (Tensor("a layer's attention", ("B", "H", "T", "T")), _VECTORS),
        sizes,
    )
    yield FlowStep(
        "cross",
        keys_of(parts, ("cross-attention", "feed-forward", "norm"), "decoder"),
        _inputs(batch),
        (Tensor("a layer's attention", ("B", "H", "T", "S")), _VECTORS),
        sizes,
    )


def _guessing(batch: WordBatch, sizes: Mapping[str, int]) -> Iterator[FlowStep]:
    yield FlowStep(
        "guess",
        frozenset({"output"}),
        (*_inputs(batch), *_labels(batch)),
        (Tensor("logits", ("B", "T", "V")),),
        sizes,
    )
    yield FlowStep(
        "loss",
        frozenset({"output"}),
        _labels(batch),
        (Tensor("surprises", ("B", "T")),),
        sizes,
    )


def _learning(parts: Sequence[Part], sizes: Mapping[str, int]) -> Iterator[FlowStep]:
    weighty = frozenset(part.key for part in parts if part.kind != "words")
    yield FlowStep(
        "backward",
        weighty,
        (),
        (Tensor("gradients", ("all weights",)),),
        sizes,
    )
    yield FlowStep(
        "update",
        weighty,
        (),
        (Tensor("weights", ("all weights",)),),
        sizes,
    )


def _sources(batch: WordBatch) -> tuple[Row, ...]:
    return tuple(Row("Encoder reads", words) for words in batch.sources)


def _inputs(batch: WordBatch) -> tuple[Row, ...]:
    return tuple(Row("Decoder reads", words) for words in batch.inputs)


def _labels(batch: WordBatch) -> tuple[Row, ...]:
    return tuple(Row("Should say", words) for words in batch.labels)
