"""The numbers inside one head: queries, keys and values, and how its weights come about (Vaswani et al. 2017, 3.2.1).

Axis letters: see `core.config`.
"""

import numpy as np

from core.arrays import Floats
from core.inference.transformer import InferenceModel, Trace
from core.interpretability.teacher_forcing import ForcedPair, Tracer, sublayer_path
from core.records.analysis import HeadNumbers
from core.records.attention import Head
from core.theory.attention_steps import attend
from core.theory.masks import causal_mask
from core.theory.model_parts import SIDES


def head_numbers(tracer: Tracer, pair: ForcedPair, head: Head) -> HeadNumbers:
    """Compute the numbers inside one head from a teacher-forced pass over a pair.

    Raises:
        TranslationError: the sentence is too long to trace.
    """
    model = tracer.translator.model
    trace = tracer.trace_pair(pair)
    attention = pair.attention(trace).of_kind(head.kind)
    path = sublayer_path(head.kind, head.layer)
    x = _input_of(model, trace, head)
    row_vectors = model.sublayer_input(path, x)
    if head.kind == "cross":
        column_vectors = model.final_norm("encoder", trace.hidden["encoder"][0, -1])
        queries = model.cross_queries(path, x)
        keys, values = (each[0] for each in model.source_keys_values(path, column_vectors[None]))
    else:
        column_vectors = row_vectors
        queries, keys, values = model.self_heads(path, x)
    is_causal = head.kind == "decoder"
    mask = causal_mask(len(x)) if is_causal else np.ones((len(row_vectors), len(column_vectors)), np.bool_)
    steps = attend(queries[head.head], keys[head.head], values[head.head], mask)
    return HeadNumbers(head, attention.rows, attention.columns, row_vectors, column_vectors, mask, steps)


def _input_of(model: InferenceModel, trace: Trace, head: Head) -> Floats:
    """Return the states that a sublayer reads, before its layer norm: (S, D) or (T, D)."""
    side = SIDES[head.kind != "encoder"]
    states: Floats = trace.hidden[side][0, head.layer]
    if head.kind != "cross":
        return states
    # Cross-attention reads what self-attention has left.
    mixed = trace.attention.decoder[0, head.layer] @ trace.values["decoder"][0, head.layer]
    return model.add_heads(sublayer_path("decoder", head.layer), states, mixed)
