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
    yield _words("encoder", "Source words")
    yield _embedding("encoder")
    yield from with_norm(config, "encoder", self_attention("encoder"))
    yield from with_norm(config, "encoder", feed_forward("encoder"))
    yield from final_norm(config, "encoder")


def _decoder(config: ModelConfig) -> Iterator[Part]:
    yield _words("decoder", "Target words so far")
    yield _embedding("decoder")
    yield from with_norm(config, "decoder", self_attention("decoder"))
    yield from with_norm(config, "decoder", cross_attention())
    yield from with_norm(config, "decoder", feed_forward("decoder"))
    yield from final_norm(config, "decoder")
    yield _output()


def _words(side: Side, title: str) -> Part:
    name = "source" if side == "encoder" else "target"
    ids = Tensor("ids", ("B", length_axis(side)))
    texts = (Tensor("sentences", ("B",)),)
    return Part(f"{name}_words", side, "words", title, f"{PAPER}, section 3.4", texts, (), ids)


def _embedding(side: Side) -> Part:
    name = "source" if side == "encoder" else "target"
    return Part(
        f"{name}_embedding",
        side,
        "embedding",
        "Embedding, positions",
        f"{PAPER}, sections 3.4 and 3.5",
        (Tensor("ids", ("B", length_axis(side))),),
        (vectors(side, "word vectors · √D"), Tensor("positions", (length_axis(side), "D"))),
        vectors(side),
    )


def _output() -> Part:
    return Part(
        "output",
        "decoder",
        "output",
        "Linear, softmax",
        f"{PAPER}, section 3.4",
        (vectors("decoder"),),
        (Tensor("logits", ("B", "T", "V")),),
        Tensor("probabilities", ("B", "T", "V")),
    )
