"""All parts of an encoder-decoder in the order in which data passes them (Vaswani et al. 2017, figure 1)."""

from __future__ import annotations

from collections.abc import Iterator

from core.config import ModelConfig
from core.theory.parts import PAPER, Part, Side, Tensor, length_axis, vectors
from core.theory.sublayers import cross_attention, feed_forward, final_norm, self_attention, with_norm


def parts_of_model(config: ModelConfig) -> tuple[Part, ...]:
    """All parts in the order in which data passes them, the layers' parts once."""
    return (*_encoder(config), *_decoder(config))


def _encoder(config: ModelConfig) -> Iterator[Part]:
    yield _words("encoder", "Source words", "The source sentences as ids, padded to one length.")
    yield _embedding("encoder", config)
    yield from with_norm(config, "encoder", self_attention("encoder"))
    yield from with_norm(config, "encoder", feed_forward("encoder", config))
    yield from final_norm(config, "encoder")


def _decoder(config: ModelConfig) -> Iterator[Part]:
    yield _words(
        "decoder",
        "Target words so far",
        "A start sign and the words so far, as ids: in training the right ones, in translating the model's own.",
    )
    yield _embedding("decoder", config)
    yield from with_norm(config, "decoder", self_attention("decoder"))
    yield from with_norm(config, "decoder", cross_attention())
    yield from with_norm(config, "decoder", feed_forward("decoder", config))
    yield from final_norm(config, "decoder")
    yield _output(config)


def _words(side: Side, title: str, saying: str) -> Part:
    name = "source" if side == "encoder" else "target"
    ids = Tensor("ids", ("B", length_axis(side)))
    texts = (Tensor("sentences", ("B",)),)
    return Part(f"{name}_words", side, "words", title, saying, f"{PAPER}, section 3.4", texts, (), ids)


def _embedding(side: Side, config: ModelConfig) -> Part:
    name = "source" if side == "encoder" else "target"
    learned = config.positional_encoding == "learned"
    how = "a learned vector for its place" if learned else "the waves of its place"
    saying = f"Looks up a vector for every id, multiplies it by √D, and adds {how}."
    if config.share_embeddings and side == "decoder":
        saying += " The matrix is the source's, and counted there."
    return Part(
        f"{name}_embedding",
        side,
        "embedding",
        "Embedding, positions",
        saying,
        f"{PAPER}, sections 3.4 and 3.5",
        (Tensor("ids", ("B", length_axis(side))),),
        (vectors(side, "word vectors · √D"), Tensor("positions", (length_axis(side), "D"))),
        vectors(side),
    )


def _output(config: ModelConfig) -> Part:
    saying = "One number for every entry of the vocabulary; the softmax turns them into probabilities."
    if config.tie_embeddings:
        saying += f" The matrix is the {'one' if config.share_embeddings else 'target'} embedding's, and counted there."
    return Part(
        "output",
        "decoder",
        "output",
        "Linear, softmax",
        saying,
        f"{PAPER}, section 3.4",
        (vectors("decoder"),),
        (Tensor("logits", ("B", "T", "V")),),
        Tensor("probabilities", ("B", "T", "V")),
    )
