from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.config import ModelConfig
from core.model.weight_shapes import parameter_count, weight_shapes
from core.theory.model_parts import parts_of_model
from core.theory.model_size import parameters_by_kind, parameters_by_part
from core.theory.parts import Batch, Tensor, axis_sizes, part_of
from tests.conftest import TINY

configs = st.builds(
    lambda layers, head_width, heads, inner, source, target, share, tie, norm, positions: ModelConfig(
        source_vocab_size=target if share else source,
        target_vocab_size=target,
        num_layers=layers,
        d_model=head_width * heads,
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
def test_every_weight_is_in_exactly_one_part(config: ModelConfig) -> None:
    shapes = weight_shapes(config)
    keys = [part.key for part in parts_of_model(config)]
    assert len(set(keys)) == len(keys)
    assert {part_of(name) for name in shapes} <= set(keys)
    assert sum(parameters_by_part(shapes).values()) == parameter_count(config)
    assert sum(parameters_by_kind(config, shapes).values()) == parameter_count(config)


@given(configs)
def test_every_layer_has_the_same_of_each_part(config: ModelConfig) -> None:
    """So that what one layer weighs, times the layers, is what the part weighs."""
    one, all_layers = (
        parameters_by_part(weight_shapes(each)) for each in (config.replace(num_layers=1), config)
    )
    for part in parts_of_model(config):
        times = config.num_layers if part.in_layer else 1
        assert all_layers.get(part.key, 0) == times * one.get(part.key, 0)


@given(configs)
def test_what_a_part_gives_is_what_the_next_one_reads(config: ModelConfig) -> None:
    for side in ("encoder", "decoder"):
        parts = [part for part in parts_of_model(config) if part.side == side]
        for before, after in pairwise(parts):
            assert before.gives.axes in [tensor.axes for tensor in after.reads]


def test_parts_by_weight() -> None:
    assert part_of("shared_embedding/embeddings") == "source_embedding"
    assert part_of("target_embedding/positions/embeddings") == "target_embedding"
    assert part_of("encoder/layer_0/self_attention/output/kernel") == "encoder_self_attention"
    assert part_of("decoder/layer_11/cross_attention_residual/norm/gamma") == "decoder_cross_attention_norm"
    assert part_of("decoder/final_norm/beta") == "decoder_final_norm"
    assert part_of("output/bias") == "output"


def test_the_order_is_that_in_which_data_passes() -> None:
    post = [part.key for part in parts_of_model(TINY)]
    pre = [part.key for part in parts_of_model(TINY.replace(norm="pre"))]
    assert post[:5] == [
        "source_words",
        "source_embedding",
        "encoder_self_attention",
        "encoder_self_attention_norm",
        "encoder_feed_forward",
    ]
    assert pre[2:4] == ["encoder_self_attention_norm", "encoder_self_attention"]
    assert set(pre) - set(post) == {"encoder_final_norm", "decoder_final_norm"}
    assert pre[-2:] == ["decoder_final_norm", "output"]


def test_shapes_are_those_of_the_sizes() -> None:
    """By hand: TINY has width 8, 2 heads of 4, inner width 16, 9 target words."""
    sizes = axis_sizes(TINY, Batch(pairs=3, source_length=5, target_length=6))
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
