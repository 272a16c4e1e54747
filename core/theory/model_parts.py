"""The one description of an encoder-decoder (Vaswani et al. 2017, figure 1).

Names and shapes of weights, counts of parameters and operations, the pictures and the flows through training and
translation are all derived from these parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from core.config import ModelConfig
from core.theory.parts import (
    MAX_LENGTH_AXES,
    PAPER,
    PRE_NORM_PAPER,
    SOURCE_VOCABULARY,
    MatrixProduct,
    Part,
    Side,
    Tensor,
    length_axis,
    vectors,
)
from core.theory.sublayers import cross_attention, feed_forward, norm_of, scale_and_shift, self_attention

SIDES: tuple[Side, ...] = ("encoder", "decoder")
EMBEDDINGS: dict[Side, str] = {"encoder": "source_embedding", "decoder": "target_embedding"}
"""The key of each side's embedding."""


def parts_of_model(config: ModelConfig) -> tuple[Part, ...]:
    """All parts in the order of the data, those of a layer once."""
    return tuple(part for side in SIDES for part in _side(config, side))


def weights_of_model(config: ModelConfig) -> Iterator[tuple[str, Part, Tensor]]:
    """Every weight in the order of a checkpoint: embeddings, encoder, decoder, output.

    Yields:
        Its whole name, the part that it belongs to, and the weight.
    """
    for prefix, part in _in_order_of_checkpoint(config):
        for weight in part.weights:
            yield prefix + weight.name, part, weight


def token_embedding_name(config: ModelConfig, side: Side) -> str:
    """Of the matrix that a side looks its ids up in; a tied output multiplies by the decoder's."""
    return (
        "shared_embedding/embeddings" if config.share_embeddings else f"{EMBEDDINGS[side]}/tokens/embeddings"
    )


def _side(config: ModelConfig, side: Side) -> Iterator[Part]:
    yield _words(side)
    yield _embedding(config, side)
    for sublayer, norm in _layer(config, side):
        yield from (norm, sublayer) if config.norm == "pre" else (sublayer, norm)
    yield from _after_layers(config, side)


def _in_order_of_checkpoint(config: ModelConfig) -> Iterator[tuple[str, Part]]:
    """Each part of each layer, with the prefix of its weights' names."""
    for side in SIDES:
        yield "", _embedding(config, side)
    for side in SIDES:
        layer = list(chain.from_iterable(_layer(config, side)))
        for number in range(config.num_layers):
            for part in layer:
                yield f"{side}/layer_{number}/{part.path}/", part
        for part in _after_layers(config, side):
            yield "", part


def _layer(config: ModelConfig, side: Side) -> list[tuple[Part, Part]]:
    """The sublayers of one layer, each with its norm."""
    between = [cross_attention()] if side == "decoder" else []
    sublayers = [self_attention(side), *between, feed_forward(config, side)]
    return [(sublayer, norm_of(config, sublayer)) for sublayer in sublayers]


def _after_layers(config: ModelConfig, side: Side) -> Iterator[Part]:
    if config.norm == "pre":
        yield _final_norm(side)
    if side == "decoder":
        yield _output(config)


def _words(side: Side) -> Part:
    ids = Tensor("ids", ("B", length_axis(side)))
    source = side == "encoder"
    return Part(
        key="source_words" if source else "target_words",
        side=side,
        kind="words",
        title="Source words" if source else "Target words so far",
        description=(
            "The source sentences as ids, padded to one length."
            if source
            else "The start token and the words so far, as ids: in training those of the reference, when translating the "
            "model's own."
        ),
        reference=f"{PAPER}, section 3.4",
        reads=(Tensor("sentences", ("B",)),),
        gives=ids,
    )


def _embedding(config: ModelConfig, side: Side) -> Part:
    learned = config.positional_encoding == "learned"
    how = "a learned vector for its position" if learned else "the sines and cosines of its position"
    shared = " The matrix is the source's, and counted there."
    return Part(
        key=EMBEDDINGS[side],
        side=side,
        kind="embedding",
        title="Embedding, positions",
        description=f"Looks up a vector for every id, multiplies it by √D, and adds {how}."
        + (shared if config.share_embeddings and side == "decoder" else ""),
        reference=f"{PAPER}, sections 3.4 and 3.5",
        reads=(Tensor("ids", ("B", length_axis(side))),),
        gives=vectors(side),
        inside=(vectors(side, "word vectors · √D"), Tensor("positions", (length_axis(side), "D"))),
        other_weights=tuple(_embedding_weights(config, side)),
    )


def _embedding_weights(config: ModelConfig, side: Side) -> Iterator[Tensor]:
    vocabulary = SOURCE_VOCABULARY if side == "encoder" else "V"
    if side == "encoder" or not config.share_embeddings:  # one for both languages counts where it comes first
        yield Tensor(token_embedding_name(config, side), (vocabulary, "D"))
    if config.positional_encoding == "learned":
        yield Tensor(f"{EMBEDDINGS[side]}/positions/embeddings", (MAX_LENGTH_AXES[side], "D"))


def _final_norm(side: Side) -> Part:
    """The norm that ends a pre-norm stack; a post-norm one has none."""
    return Part(
        key=f"{side}_final_norm",
        side=side,
        kind="norm",
        title=f"Final norm of the {side}",
        description="The sums have grown from layer to layer; one last norm brings every vector back to one scale.",
        reference=PRE_NORM_PAPER,
        reads=(vectors(side),),
        gives=vectors(side),
        other_weights=scale_and_shift(f"{side}/final_norm"),
    )


def _output(config: ModelConfig) -> Part:
    description = "One number for every entry of the vocabulary; the softmax turns them into probabilities."
    whose = "one" if config.share_embeddings else "target"
    tied = f" The matrix is the {whose} embedding's, and counted there."
    return Part(
        key="output",
        side="decoder",
        kind="output",
        title="Linear, softmax",
        description=description + (tied if config.tie_embeddings else ""),
        reference=f"{PAPER}, section 3.4",
        reads=(vectors("decoder"),),
        gives=Tensor("probabilities", ("B", "T", "V")),
        inside=(Tensor("logits", ("B", "T", "V")),),
        products=(MatrixProduct("logits", "T", "D", "V", "" if config.tie_embeddings else "output"),),
    )
