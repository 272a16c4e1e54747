"""All parts of an encoder-decoder in one list (Vaswani et al. 2017, figure 1).

Names and shapes of weights, counts of parameters and operations, and the drawings are all derived from it.
"""

from collections.abc import Iterator
from itertools import chain

from core.config import ModelConfig
from core.language import N_, _
from core.model.forward import ADDED_POSITIONS, EMBEDDINGS, embedding_names, norm_weights
from core.theory.parts import (
    MAX_LENGTH_AXES,
    SOURCE_VOCABULARY,
    MatrixProduct,
    Part,
    Side,
    Tensor,
    length_axis,
    vectors,
)

SIDES: tuple[Side, ...] = ("encoder", "decoder")
CROSS_ATTENTION = "decoder_cross_attention"  # key of the part that the encoder's output leads to

# Titles of the norm before a sublayer, and of the sum and the norm after it.
_NORMS = {
    "self-attention": (N_("Norm before self-attention"), N_("Add & norm after self-attention")),
    "masked self-attention": (
        N_("Norm before masked self-attention"),
        N_("Add & norm after masked self-attention"),
    ),
    "cross-attention": (N_("Norm before cross-attention"), N_("Add & norm after cross-attention")),
    "feed-forward": (N_("Norm before feed-forward"), N_("Add & norm after feed-forward")),
}


def parts_of_model(config: ModelConfig) -> tuple[Part, ...]:
    """Return all parts in the order in which data passes them, with one layer per side."""
    return tuple(part for side in _sides(config) for part in _side(config, side))


def weights_of_model(config: ModelConfig) -> Iterator[tuple[str, Part, Tensor]]:
    """Yield every weight in the order of a checkpoint: embeddings, encoder, decoder, output.

    Yields:
        The weight's full name, the part that it belongs to, and the weight.
    """
    for prefix, part in _in_order_of_checkpoint(config):
        for weight in part.weights:
            yield prefix + weight.name, part, weight


def _sides(config: ModelConfig) -> tuple[Side, ...]:
    return SIDES if config.has_encoder else ("decoder",)


def _side(config: ModelConfig, side: Side) -> Iterator[Part]:
    yield _words(side)
    yield _embedding(config, side)
    for sublayer, norm in _layer(config, side):
        yield from (norm, sublayer) if config.norm == "pre" else (sublayer, norm)
    yield from _after_layers(config, side)


def _in_order_of_checkpoint(config: ModelConfig) -> Iterator[tuple[str, Part]]:
    """Yield the prefix of the weights' names and the part, for each part of each layer."""
    for side in _sides(config):
        yield "", _embedding(config, side)
    for side in _sides(config):
        layer = list(chain.from_iterable(_layer(config, side)))
        for number in range(config.num_layers):
            for part in layer:
                yield f"{side}/layer_{number}/{part.path}/", part
        for part in _after_layers(config, side):
            yield "", part


def _layer(config: ModelConfig, side: Side) -> list[tuple[Part, Part]]:
    """Return the sublayers of one layer, each with its norm."""
    between = [_cross_attention()] if side == "decoder" and config.has_encoder else []
    sublayers = [_self_attention(side, config.causal_mask), *between, feed_forward(config, side)]
    return [(sublayer, _norm_of(config, sublayer)) for sublayer in sublayers]


def _after_layers(config: ModelConfig, side: Side) -> Iterator[Part]:
    if config.norm == "pre":
        yield _final_norm(config, side)
    if side == "decoder":
        yield _output(config)


def _words(side: Side) -> Part:
    source = side == "encoder"
    return Part(
        key="source_words" if source else "target_words",
        side=side,
        kind="words",
        title=_("Source words") if source else _("Target words so far"),
        inputs=(Tensor(_("sentences"), ("B",)),),
        output=Tensor("ids", ("B", length_axis(side))),
    )


def _embedding(config: ModelConfig, side: Side) -> Part:
    is_added = config.positional_encoding in ADDED_POSITIONS
    positions = (Tensor(_("positions"), (length_axis(side), "D")),) * is_added
    return Part(
        key=EMBEDDINGS[side],
        side=side,
        kind="embedding",
        title=_("Embedding, positions") if positions else _("Embedding"),
        inputs=(Tensor("ids", ("B", length_axis(side))),),
        output=vectors(side),
        intermediates=(vectors(side, N_("word vectors · √D")), *positions),
        other_weights=tuple(_embedding_weights(config, side)),
    )


def _embedding_weights(config: ModelConfig, side: Side) -> Iterator[Tensor]:
    vocabulary = SOURCE_VOCABULARY if side == "encoder" else "V"
    tokens, *positions = embedding_names(config, side)
    # A shared matrix counts once, with the encoder.
    if side == "encoder" or not config.share_embeddings:
        yield Tensor(tokens, (vocabulary, "D"))
    for name in positions:
        yield Tensor(name, (MAX_LENGTH_AXES[side], "D"))


def _self_attention(side: Side, causal: bool) -> Part:
    length = length_axis(side)
    masked = side == "decoder" and causal
    # The encoder's mask is the same for every query; a causal mask differs by query.
    mask = Tensor(_("mask"), ("B", "1", length if masked else "1", length))
    return Part(
        key=f"{side}_self_attention",
        side=side,
        kind="self-attention",
        title=_("Masked self-attention") if masked else _("Self-attention"),
        inputs=(vectors(side), mask),
        output=vectors(side),
        intermediates=(
            Tensor(_("queries, keys, values"), ("B", "H", length, "K")),
            Tensor(_("scores, weights"), ("B", "H", length, length)),
            Tensor(_("mixed values"), ("B", "H", length, "K")),
        ),
        products=(
            MatrixProduct("queries, keys, values", length, "D", "3D", "query_key_value"),
            *_attending(length, length),
        ),
        path="self_attention",
    )


def _cross_attention() -> Part:
    return Part(
        key=CROSS_ATTENTION,
        side="decoder",
        kind="cross-attention",
        title=_("Cross-attention"),
        inputs=(
            vectors("decoder"),
            vectors("encoder", N_("encoder's output")),
            Tensor(_("mask"), ("B", "1", "1", "S")),
        ),
        output=vectors("decoder"),
        intermediates=(
            Tensor(_("queries"), ("B", "H", "T", "K")),
            Tensor(_("keys, values"), ("B", "H", "S", "K")),
            Tensor(_("scores, weights"), ("B", "H", "T", "S")),
            Tensor(_("mixed values"), ("B", "H", "T", "K")),
        ),
        products=(
            MatrixProduct("queries", "T", "D", "D", "query"),
            MatrixProduct("keys, values", "S", "D", "2D", "key_value"),
            *_attending("T", "S"),
        ),
        path="cross_attention",
    )


def _attending(queries: str, keys: str) -> tuple[MatrixProduct, ...]:
    """Return the matrix products that self-attention and cross-attention have in common.

    All heads together cost as much as one head of width D. Scores of future words are computed too, then masked.
    """
    return (
        MatrixProduct("scores", queries, "D", keys),
        MatrixProduct("mixed values", queries, keys, "D"),
        MatrixProduct("output", queries, "D", "D", "output"),
    )


def feed_forward(config: ModelConfig, side: Side) -> Part:
    """Return the feed-forward network: two dense layers, applied to each position alone; SwiGLU's first has two parts."""
    length = length_axis(side)
    columns = "2F" if config.activation == "swiglu" else "F"
    return Part(
        key=f"{side}_feed_forward",
        side=side,
        kind="feed-forward",
        title=_("Feed-forward"),
        inputs=(vectors(side),),
        output=vectors(side),
        intermediates=(Tensor(_("inner"), ("B", length, "F")),),
        products=(
            MatrixProduct("inner", length, "D", columns, "inner"),
            MatrixProduct("outer", length, "F", "D", "outer"),
        ),
        path="feed_forward",
    )


def _norm_of(config: ModelConfig, sublayer: Part) -> Part:
    """Return the norm before a sublayer (pre-norm), or the sum and the norm after it (post-norm)."""
    side = sublayer.side
    pre = config.norm == "pre"
    summed = (vectors(side, N_("sublayer's input")), vectors(side, N_("sublayer's output")))
    is_masked = side == "decoder" and sublayer.kind == "self-attention" and config.causal_mask
    before, after = _NORMS["masked self-attention" if is_masked else sublayer.kind]
    return Part(
        key=f"{sublayer.key}_norm",
        side=side,
        kind="norm",
        title=_(before) if pre else _(after),
        inputs=(vectors(side),) if pre else summed,
        output=vectors(side, N_("normed vectors") if pre else N_("vectors")),
        intermediates=() if pre else (vectors(side, N_("sum")),),
        other_weights=_norm_weights(config, "norm"),
        path=f"{sublayer.path}_residual",
    )


def _final_norm(config: ModelConfig, side: Side) -> Part:
    """Return the norm that ends a pre-norm stack; a post-norm stack has none."""
    return Part(
        key=f"{side}_final_norm",
        side=side,
        kind="norm",
        title=_("Final norm of the encoder") if side == "encoder" else _("Final norm of the decoder"),
        inputs=(vectors(side),),
        output=vectors(side),
        other_weights=_norm_weights(config, f"{side}/final_norm"),
    )


def _norm_weights(config: ModelConfig, norm: str) -> tuple[Tensor, ...]:
    return tuple(Tensor(f"{norm}/{name}", ("D",)) for name in norm_weights(config))


def _output(config: ModelConfig) -> Part:
    return Part(
        key="output",
        side="decoder",
        kind="output",
        title=_("Linear, softmax"),
        inputs=(vectors("decoder"),),
        output=Tensor(_("probabilities"), ("B", "T", "V")),
        intermediates=(Tensor(_("logits"), ("B", "T", "V")),),
        products=(MatrixProduct("logits", "T", "D", "V", "" if config.tie_embeddings else "output"),),
    )
