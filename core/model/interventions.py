"""Changes to what a Transformer computes, as arguments of its forward pass: nothing new is compiled for them."""

from __future__ import annotations

from typing import NamedTuple

from keras import ops

from core.model.tensor import Tensor


class Patch(NamedTuple):
    """Hidden states from another run, put in place of a stack's own (activation patching, Vig et al. 2020).

    The first of the L + 1 is the embedding that enters the first layer; the others leave a layer each.
    """

    hidden: Tensor  # broadcasts to (B, L + 1, T, D)
    replaced: Tensor  # broadcasts to (B, L + 1, T), True where `hidden` is taken


class HeadGates(NamedTuple):
    """What the output of each head is multiplied by: 1 leaves it as it is, 0 switches it off (Michel et al. 2019).

    A sublayer whose heads are all off adds the bias of its output projection and nothing else.
    """

    encoder: Tensor  # each broadcasts to (B, L, H)
    decoder: Tensor
    cross: Tensor


class Interventions(NamedTuple):
    """All changes to one forward pass; None changes nothing."""

    gates: HeadGates | None = None
    encoder_patch: Patch | None = None
    decoder_patch: Patch | None = None


UNCHANGED = Interventions()


def gated(heads: Tensor, gates: Tensor | None) -> Tensor:
    """The heads' outputs (B, H, T, K), each times its gate (B, H)."""
    return heads if gates is None else heads * ops.cast(gates, heads.dtype)[:, :, None, None]


def patched(patch: Patch | None, place: int, x: Tensor) -> Tensor:
    """The states x (B, T, D) at one of the L + 1 places of a stack, patched."""
    return x if patch is None else ops.where(patch.replaced[:, place, :, None], patch.hidden[:, place], x)
