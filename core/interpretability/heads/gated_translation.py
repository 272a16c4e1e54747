"""Greedy translation with heads switched off."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

import numpy as np
import tensorflow as tf

from core.config import ModelConfig
from core.decoding.cache import BeamCache
from core.decoding.model_search import step_function
from core.decoding.packed_weights import PACKED, bound_to_packed
from core.decoding.search import greedy_search
from core.decoding.text.translation_error import check_finite
from core.decoding.translator import Translator
from core.interpretability.heads.gates import Head, gates_without, without_heads
from core.interpretability.tracer import Tracer
from core.model.interventions import HeadGates, Interventions
from core.model.programs.kept_graphs import keeps_graphs
from core.model.stateless import shared_model
from core.model.tensor import Tensor
from core.tokens.vocabulary import Vocabulary

MAX_WRITTEN = 128  # tokens of a translation; with heads off some never end

_MAX_KEPT = 4  # graphs
_MAX_CORRECTIONS = 1  # of a draft; whoever needs more writes anew


def translate_without(
    translator: Translator, source: Sequence[int], off: Collection[Head], draft: Sequence[int] = ()
) -> tuple[int, ...]:
    """What the model writes with some heads off, the likeliest token each time.

    Most heads change nothing or one word. So a draft is read at once by teacher forcing, which takes a fifth of writing
    it token by token: where each token is the likeliest after those before it, it is what the model would write
    (as in blockwise parallel decoding, Stern et al. 2018).

    Args:
        translator: of the model.
        source: ids of a sentence.
        off: the heads; none gives the greedy translation.
        draft: ids of what it may write, with the end; a wrong one costs time alone.

    Returns:
        Ids, the end included where the sentence ended.

    Raises:
        TranslationError: the weights overflow.
    """
    if drafted := _as_drafted(translator, source, off, tuple(draft)):
        return drafted
    search = _compiled_search(translator.config.replace(dropout_rate=0.0))
    gates = gates_without(translator.config, [off])
    ids, log_probability = search(translator.packed_weights, np.array([source], np.int32), *gates)
    check_finite(log_probability.numpy())
    return tuple(int(token) for token in ids.numpy() if token != Vocabulary.pad_id)


def _as_drafted(
    translator: Translator, source: Sequence[int], off: Collection[Head], draft: tuple[int, ...]
) -> tuple[int, ...]:
    """The draft as the model with some heads off corrects it; empty where it goes another way."""
    special = translator.target_tokenizer.vocabulary
    tracer, changes = Tracer(translator), without_heads(translator.config, [off])
    for _ in range(_MAX_CORRECTIONS + 1):
        if not draft or draft[-1] != special.end_id or len(draft) > MAX_WRITTEN:
            break
        read = np.array([[special.start_id, *draft[:-1]]], np.int32)
        logits = tracer.trace(np.array([source], np.int32), read, changes).logits[0].copy()
        logits[:, [special.pad_id, special.start_id]] = -np.inf  # no search ever writes them
        likeliest = logits.argmax(axis=-1)
        wrong = np.flatnonzero(likeliest != draft)
        if not len(wrong):
            return draft
        first = int(wrong[0])
        corrected = (*draft[:first], int(likeliest[first]))
        draft = corrected if corrected[-1] == special.end_id else corrected + draft[first + 1 :]
        if draft == corrected:
            return draft
    return ()


@keeps_graphs(most=_MAX_KEPT)
def _compiled_search(config: ModelConfig) -> Callable[..., tuple[Tensor, Tensor]]:
    """(packed weights, ids (1, S), three gates (1, L, H)) -> ids and log P of one sentence; one graph for all lengths."""
    model = shared_model(config)
    special = Vocabulary.from_tokens((), start_and_end=True)
    limit = min(MAX_WRITTEN, config.max_target_length)

    def search(packed: Tensor, ids: Tensor, *gates: Tensor) -> tuple[Tensor, Tensor]:
        changed = Interventions(HeadGates(*gates))
        bind = partial(bound_to_packed, model, packed)
        with bind():
            source = model.encode(ids, interventions=changed)
            step = step_function(model, source, interventions=changed, bind=bind)
            cache = BeamCache.empty(config, 1, 1, limit)
            found = greedy_search(step, cache, 1, limit, special.start_id, special.end_id)
        return found.ids[0, 0], found.log_probability[0, 0]

    gate = tf.TensorSpec((1, config.num_layers, config.num_heads), tf.float32)
    signature = (PACKED, tf.TensorSpec((1, None), tf.int32), gate, gate, gate)
    return tf.function(search, input_signature=signature, autograph=False)
