"""The one description of a model: its weights, their sizes, and the operations that they cost."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import DecoderConfig, ModelConfig
from core.described import field_infos, options_of
from core.theory.model_parts import parts_of_model, weights_of_model
from core.theory.model_size import (
    BASE,
    forward_operations,
    operations_by_part,
    parameters_by_kind,
    parameters_by_part,
)
from core.theory.parts import model_sizes
from core.weights import parameter_count, weight_shapes

configs = st.builds(
    lambda kind, layers, head_dim, heads, inner, source, target, share, tie, **choices: kind(
        source_vocab_size=target if share else source,
        target_vocab_size=target,
        num_layers=layers,
        d_model=head_dim * heads,
        num_heads=heads,
        d_ff=inner,
        share_embeddings=share and kind.has_encoder,
        tie_embeddings=tie,
        **choices,
    ),
    st.sampled_from([ModelConfig, DecoderConfig]), st.integers(1, 4), st.integers(1, 9), st.integers(1, 5),
    st.integers(1, 40), st.integers(2, 99), st.integers(4, 99), st.booleans(), st.booleans(),
    **{name: st.sampled_from(options_of(info)) for name, info in field_infos(ModelConfig).items() if options_of(info)},
)  # fmt: skip


@pytest.mark.slow
@given(configs)
def test_every_weight_belongs_to_exactly_one_part(config: ModelConfig) -> None:
    counts: Counter[str] = Counter()
    for _, part, weight in weights_of_model(config):
        counts[part.key] += weight.size(model_sizes(config))
    assert [name for name, _, _ in weights_of_model(config)] == list(weight_shapes(config))
    keys = [part.key for part in parts_of_model(config)]
    assert len(set(keys)) == len(keys)
    assert counts == parameters_by_part(config)
    assert sum(counts.values()) == parameter_count(config)
    assert sum(parameters_by_kind(config).values()) == parameter_count(config)


def test_the_papers_base_model() -> None:
    """By hand, D = 512, F = 2048, one matrix of 37,000 words three times over.

    Embedding: 37,000 * 512 = 18,944,000. Attention: 4 * 512^2 + 4 * 512 = 1,050,624. Feed-forward:
    2 * 512 * 2048 + 2048 + 512 = 2,099,712. Norm: 2 * 512 = 1,024.
    Encoder: 6 * (1,050,624 + 2,099,712 + 2 * 1,024) = 18,914,304.
    Decoder: 6 * (2 * 1,050,624 + 2,099,712 + 3 * 1,024) = 25,224,192.
    Table 3 says 65 million, of "about 37000 tokens".
    """
    assert parameter_count(BASE) == 18_944_000 + 18_914_304 + 25_224_192 == 63_082_496
    assert parameter_count(BASE) == pytest.approx(65e6, rel=0.04)


def test_swiglu_takes_as_many_weights_and_rms_norm_has_no_shift() -> None:
    """With an inner width of 2/3, three kernels hold what two do; the norms lose half their parameters."""
    config = ModelConfig(99, 99, d_model=64, d_ff=96)
    kinds = parameters_by_kind(config)
    modern = parameters_by_kind(config.replace(activation="swiglu", norm_kind="rms"))
    assert modern["feed-forward"] - kinds["feed-forward"] == 2 * config.num_layers * (2 * 64 - 96)  # biases
    assert 2 * modern["norm"] == kinds["norm"]


def test_operations_of_a_tiny_model() -> None:
    """By hand, one layer, D = 4, F = 8, V = 5, S = 3, T = 2; multiplications with additions, so times 2.

    Encoder: q, k, v 3*4*12 = 144; scores 3*4*3 = 36; mixing 3*3*4 = 36; output 3*4*4 = 48; feed-forward
    3*4*8 + 3*8*4 = 192: 456. Decoder: q, k, v 2*4*12 = 96; scores 2*4*2 = 16; mixing 16; output 32; queries 32;
    keys, values 3*4*8 = 96; scores 2*4*3 = 24; mixing 24; output 32; feed-forward 128: 496. Logits 2*4*5 = 40.
    """
    config = ModelConfig(
        source_vocab_size=7, target_vocab_size=5, num_layers=1, d_model=4, num_heads=2, d_ff=8
    )
    assert forward_operations(config, 3, 2) == 2 * (456 + 496 + 40) == 1984
    assert forward_operations(config.replace(num_layers=3), 3, 2) == 2 * (3 * (456 + 496) + 40)
    assert operations_by_part(config, 3, 2) == {
        "encoder_self_attention": 2 * (144 + 36 + 36 + 48),
        "encoder_feed_forward": 2 * 192,
        "decoder_self_attention": 2 * (96 + 16 + 16 + 32),
        "decoder_cross_attention": 2 * (32 + 96 + 24 + 24 + 32),
        "decoder_feed_forward": 2 * 128,
        "output": 2 * 40,
    }
