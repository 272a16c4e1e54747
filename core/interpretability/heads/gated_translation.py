"""Greedy translation with heads switched off."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
import tensorflow as tf

from core.config import ModelConfig
from core.decoding.cache import BeamCache
from core.decoding.compiled import unpack
from core.decoding.model_search import step_function
from core.decoding.search import greedy_search
from core.decoding.translator import TranslationError, Translator
from core.interpretability.heads.gates import Head, gates_without
from core.model.interventions import HeadGates, Interventions
from core.model.programs.kept_graphs import keeps_graphs
from core.model.stateless import bound, shared_model
from core.model.tensor import Tensor
from core.tokens.vocabulary import Vocabulary

MAX_WRITTEN = 128  # tokens of a translation; with heads off some never end

_MAX_KEPT = 4  # graphs


def translate_without(
    translator: Translator, source: Sequence[int], off: Collection[Head]
) -> tuple[int, ...]:
    """What the model writes with some heads off, the likeliest token each time.

    Args:
        translator: of the model.
        source: ids of a sentence.
        off: the heads; none gives the greedy translation.

    Returns:
        Ids, the end included where the sentence ended.

    Raises:
        TranslationError: the weights overflow.
    """
    search = _compiled_search(translator.config.replace(dropout_rate=0.0))
    gates = gates_without(translator.config, [off])
    ids, log_probability = search(translator.packed_weights, np.array([source], np.int32), *gates)
    if not np.isfinite(log_probability.numpy()):
        raise TranslationError(
            "This model's weights are too large to compute with. Train it again with a lower learning rate."
        )
    return tuple(int(token) for token in ids.numpy() if token != Vocabulary.pad_id)


@keeps_graphs(most=_MAX_KEPT)
def _compiled_search(config: ModelConfig) -> Callable[..., tuple[Tensor, Tensor]]:
    """(packed weights, ids (1, S), three gates (1, L, H)) -> ids and log P of one sentence; one graph for all lengths."""
    model = shared_model(config)
    special = Vocabulary.from_tokens((), start_and_end=True)
    limit = min(MAX_WRITTEN, config.max_target_length)

    def search(packed: Tensor, ids: Tensor, *gates: Tensor) -> tuple[Tensor, Tensor]:
        changed = Interventions(HeadGates(*gates))
        with bound(model, unpack(packed, config)):
            source = model.encode(ids, interventions=changed)
            step, cache = step_function(model, source, changed), BeamCache.empty(config, 1, 1, limit)
            found = greedy_search(step, cache, 1, limit, special.start_id, special.end_id)
        return found.ids[0, 0], found.log_probability[0, 0]

    gate = tf.TensorSpec((1, config.num_layers, config.num_heads), tf.float32)
    signature = (tf.TensorSpec((), tf.variant), tf.TensorSpec((1, None), tf.int32), gate, gate, gate)
    return tf.function(search, input_signature=signature, autograph=False)
