from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.config import ModelConfig
from core.theory.model_parts import parts_of_model, weights_of_model
from core.theory.model_size import parameters_by_kind, parameters_by_part
from core.theory.parts import Tensor, axis_sizes, model_sizes
from core.weights import parameter_count, weight_shapes
from tests.conftest import TINY

configs = st.builds(
    lambda layers, head_dim, heads, inner, source, target, share, tie, norm, positions: ModelConfig(
        source_vocab_size=target if share else source,
        target_vocab_size=target,
        num_layers=layers,
        d_model=head_dim * heads,
        num_heads=heads,
        d_ff=inner,
        share_embeddings=share,
        tie_embeddings=tie,
        norm=norm,
        positional_encoding=positions,
    ),
    st.integers(1, 4), st.integers(1, 9), st.integers(1, 5), st.integers(1, 40), st.integers(2, 99),
    st.integers(4, 99), st.booleans(), st.booleans(), st.sampled_from(["pre", "post"]),
    st.sampled_from(["sinusoidal", "learned"]),
)  # fmt: skip


@given(configs)
def test_every_weight_belongs_to_exactly_one_part(config: ModelConfig) -> None:
    owners: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    for name, part, weight in weights_of_model(config):
        owners.setdefault(name, []).append(part.key)
        counts[part.key] += weight.size(model_sizes(config))
    assert all(len(parts) == 1 for parts in owners.values())
    assert list(owners) == list(weight_shapes(config))
    keys = [part.key for part in parts_of_model(config)]
    assert len(set(keys)) == len(keys)
    assert counts == parameters_by_part(config)
    assert sum(counts.values()) == parameter_count(config)
    assert sum(parameters_by_kind(config).values()) == parameter_count(config)


@given(configs)
def test_products_with_weights_have_the_size_of_their_kernels(config: ModelConfig) -> None:
    """Each kernel is the second factor of exactly one product, in the part whose name it bears."""
    sizes, shapes = axis_sizes(config, 1, 3, 2), weight_shapes(config)
    multiplied = {}
    for part in parts_of_model(config):
        prefix = f"{part.key.replace('_', '/layer_0/', 1)}/" if part.in_layer else ""
        for product in part.products:
            if product.layer:
                factor = Tensor("", (product.inner, product.columns)).shape(sizes)
                multiplied[f"{prefix}{product.layer}/kernel"] = factor
    kernels = {name: shape for name, shape in shapes.items() if name.endswith("kernel")}
    assert multiplied == {
        name: shape for name, shape in kernels.items() if not re.search("layer_[1-9]", name)
    }


def test_axes_have_lengths() -> None:
    sizes = {"D": 8, "T": 3, "so far": 2}
    assert Tensor("", ("D", "3D", "1", "12", "so far")).shape(sizes) == (8, 24, 1, 12, 2)
    assert Tensor("", ("2D", "T")).size(sizes) == 48


@given(configs)
def test_what_a_part_gives_is_what_the_next_one_reads(config: ModelConfig) -> None:
    for side in ("encoder", "decoder"):
        parts = [part for part in parts_of_model(config) if part.side == side]
        for before, after in pairwise(parts):
            assert before.gives.axes in [tensor.axes for tensor in after.reads]


def test_the_part_of_a_weight_and_the_order_of_a_checkpoint() -> None:
    """By hand: a norm stands behind its sublayer in a checkpoint, also where data passes it before."""
    config = TINY.replace(norm="pre", positional_encoding="learned", num_layers=1)
    names: dict[str, list[str]] = {}
    for name, part, _ in weights_of_model(config):
        names.setdefault(part.key, []).append(name)
    assert list(names) == [
        "source_embedding", "target_embedding",
        "encoder_self_attention", "encoder_self_attention_norm", "encoder_feed_forward", "encoder_feed_forward_norm",
        "encoder_final_norm",
        "decoder_self_attention", "decoder_self_attention_norm", "decoder_cross_attention",
        "decoder_cross_attention_norm", "decoder_feed_forward", "decoder_feed_forward_norm", "decoder_final_norm",
        "output",
    ]  # fmt: skip
    assert names["target_embedding"][1] == "target_embedding/positions/embeddings"
    assert names["decoder_cross_attention"][2] == "decoder/layer_0/cross_attention/key_value/kernel"
    assert names["decoder_cross_attention_norm"] == [
        "decoder/layer_0/cross_attention_residual/norm/gamma",
        "decoder/layer_0/cross_attention_residual/norm/beta",
    ]
    shared = TINY.replace(target_vocab_size=11, share_embeddings=True)
    name, part, _ = next(weights_of_model(shared))
    assert (name, part.key) == ("shared_embedding/embeddings", "source_embedding")


def test_shapes_are_those_of_the_sizes() -> None:
    """By hand: TINY has width 8, 2 heads of 4, inner width 16, 9 target words."""
    sizes = axis_sizes(TINY, pairs=3, source_length=5, target_length=6)
    parts = {part.key: part for part in parts_of_model(TINY)}
    cross = parts["decoder_cross_attention"]
    assert [tensor.shape(sizes) for tensor in cross.reads] == [(3, 6, 8), (3, 5, 8), (3, 1, 1, 5)]
    assert {tensor.name: tensor.shape(sizes) for tensor in cross.inside} == {
        "queries": (3, 2, 6, 4),
        "keys, values": (3, 2, 5, 4),
        "scores, weights": (3, 2, 6, 5),
        "mixed values": (3, 2, 6, 4),
    }
    assert parts["decoder_feed_forward"].inside[0].shape(sizes) == (3, 6, 16)
    assert parts["output"].gives.shape(sizes) == (3, 6, 9)
    assert Tensor("mask", ("B", "1", "T", "T")).shape(sizes) == (3, 1, 6, 6)
