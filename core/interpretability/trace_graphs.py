"""The compiled graphs behind a `Tracer`: one each a configuration, for all sentences, lengths and changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tensorflow as tf

from core.config import ModelConfig
from core.decoding.packed_weights import PACKED, bound_to_packed
from core.model.attention import look_ahead_mask, padding_mask
from core.model.decoder import DecoderMasks
from core.model.interventions import HeadGates, Interventions, Patch
from core.model.programs.kept_graphs import keeps_graphs
from core.model.stateless import shared_model
from core.model.tensor import Tensor
from core.model.transformer import Trace

_MAX_KEPT = 4  # configurations whose graphs are kept


def _run(config: ModelConfig, arguments: Sequence[Tensor]) -> Trace:
    packed, source_ids, target_ids, source_mask, target_mask, *changes = arguments
    gates, patches = changes[:3], changes[3:]
    model = shared_model(config)
    ahead = tf.logical_and(padding_mask(target_ids), look_ahead_mask(tf.shape(target_ids)[1]))
    with bound_to_packed(model, packed):
        return model.trace(
            source_ids,
            target_ids,
            DecoderMasks(target=tf.logical_and(ahead, target_mask), source=source_mask),
            Interventions(HeadGates(*gates), Patch(*patches[:2]), Patch(*patches[2:])),
        )


def _signature(config: ModelConfig) -> tuple[tf.TensorSpec, ...]:
    layers, heads, width = config.num_layers, config.num_heads, config.d_model
    patch = (
        tf.TensorSpec((None, layers + 1, None, width), tf.float32),
        tf.TensorSpec((None, layers + 1, None), tf.bool),
    )
    return (
        PACKED,
        tf.TensorSpec((None, None), tf.int32),
        tf.TensorSpec((None, None), tf.int32),
        tf.TensorSpec((None, 1, 1, None), tf.bool),
        tf.TensorSpec((None, 1, None, None), tf.bool),
        *(tf.TensorSpec((None, layers, heads), tf.float32) for _ in range(3)),
        *patch,
        *patch,
    )


@keeps_graphs(most=_MAX_KEPT)
def compiled_trace(config: ModelConfig) -> Callable[..., Trace]:
    """Everything a pass computes; its arguments are those of `Tracer`, in their order."""
    shared_model(config)  # outside the graph, since it makes variables
    return tf.function(
        lambda *arguments: _run(config, arguments), input_signature=_signature(config), autograph=False
    )


@keeps_graphs(most=_MAX_KEPT)
def compiled_scores(config: ModelConfig) -> Callable[..., Tensor]:
    """log P (B, T, W) of W tokens at each position, which are one more argument, the last; 0 where they are padding."""
    shared_model(config)

    def scores(*arguments: Tensor) -> Tensor:
        *others, predicted = arguments
        log_probabilities = tf.nn.log_softmax(_run(config, others).logits)
        chosen = tf.gather(log_probabilities, predicted, axis=2, batch_dims=2)
        return tf.where(predicted == 0, 0.0, chosen)

    signature = (*_signature(config), tf.TensorSpec((None, None, None), tf.int32))
    return tf.function(scores, input_signature=signature, autograph=False)
