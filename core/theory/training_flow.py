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
    real_labels: int  # that are no padding


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
        "A batch of pairs",
        "The decoder gets the right translation, moved on by one place: at each position it should say the word "
        "that comes next. That is teacher forcing. Shorter sentences are padded.",
        keys_of(parts, ("words",)),
        (*rows, *_labels(batch)),
        (Tensor("source ids", ("B", "S")), Tensor("decoder input, labels", ("B", "T"))),
        sizes,
    )
    yield FlowStep(
        "Ids become vectors",
        "Every id gets its vector, and every place its position.",
        keys_of(parts, ("embedding",)),
        rows,
        (Tensor("source vectors", ("B", "S", "D")), Tensor("target vectors", ("B", "T", "D"))),
        sizes,
    )


def _reading(parts: Sequence[Part], batch: WordBatch, sizes: Mapping[str, int]) -> Iterator[FlowStep]:
    layers = f"{sizes['L']} layer{'s' if sizes['L'] > 1 else ''}"
    yield FlowStep(
        "The encoder reads the source",
        f"All words at once, through {layers}. Padding is masked.",
        keys_of(parts, ("self-attention", "feed-forward", "norm"), "encoder"),
        _sources(batch),
        (Tensor("a layer's attention", ("B", "H", "S", "S")), Tensor("encoder's output", ("B", "S", "D"))),
        sizes,
    )
    yield FlowStep(
        "The decoder reads the target",
        f"All {sizes['T']} positions at once: the look-ahead mask keeps each from seeing the words that it should "
        "say. That is why training is fast.",
        keys_of(parts, ("self-attention",), "decoder"),
        _inputs(batch),
        (Tensor("a layer's attention", ("B", "H", "T", "T")), _VECTORS),
        sizes,
    )
    yield FlowStep(
        "The decoder asks the encoder",
        f"Cross-attention, then feed-forward. This and the step before are repeated in {layers}.",
        keys_of(parts, ("cross-attention", "feed-forward", "norm"), "decoder"),
        _inputs(batch),
        (Tensor("a layer's attention", ("B", "H", "T", "S")), _VECTORS),
        sizes,
    )


def _guessing(batch: WordBatch, sizes: Mapping[str, int]) -> Iterator[FlowStep]:
    yield FlowStep(
        "A guess at every position",
        "Linear and softmax give each entry of the vocabulary a probability, at all positions at once.",
        frozenset({"output"}),
        (*_inputs(batch), *_labels(batch)),
        (Tensor("logits", ("B", "T", "V")),),
        sizes,
    )
    yield FlowStep(
        "The loss",
        f"How surprised the model was by each of the {batch.real_labels} real labels: −log of the probability that "
        "it gave them. Their mean is one number, the loss. Padding does not count.",
        frozenset({"output"}),
        _labels(batch),
        (Tensor("surprises", ("B", "T")),),
        sizes,
    )


def _learning(parts: Sequence[Part], sizes: Mapping[str, int]) -> Iterator[FlowStep]:
    weighty = frozenset(part.key for part in parts if part.kind != "words")
    yield FlowStep(
        "Backward",
        "From the loss back through every part: for each weight, in which direction it would make the loss "
        "smaller. About twice the work of the way forward.",
        weighty,
        (),
        (Tensor("gradients", ("all weights",)),),
        sizes,
    )
    yield FlowStep(
        "Adam moves the weights",
        "Every weight takes a small step. The next batch meets a model that is a little better.",
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
