"""The numbers inside one head: queries, keys and values, and how its weights come about (Vaswani et al. 2017, 3.2.1).

Axis letters: see `core.config`.
"""

import numpy as np

from core.inference.model import sublayer_path
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.model.forward import causal_mask
from core.records.analysis import HeadNumbers
from core.records.attention import AttentionSteps, Head

_OF_HEADS = ("queries", "keys", "values", "scores", "weights", "heads")


def head_numbers(tracer: Tracer, pair: ForcedPair, head: Head) -> HeadNumbers:
    """Return the numbers inside one head from a teacher-forced pass over a pair."""
    path = sublayer_path(head.kind, head.layer)
    found = tracer.results(pair, ["encoder", f"{path}/input", *(f"{path}/{name}" for name in _OF_HEADS)])
    queries, keys, values, scores, weights, outputs = (
        found[f"{path}/{name}"][0, head.head].astype(np.float64) for name in _OF_HEADS
    )
    row_vectors = found[f"{path}/input"][0]
    column_vectors = found["encoder"][0] if head.kind == "cross" else row_vectors
    mask = causal_mask(len(scores)) if head.kind == "decoder" else np.ones(scores.shape, np.bool_)
    steps = AttentionSteps(queries, keys, values, queries @ keys.T, scores, weights, outputs)
    rows, columns = pair.tokens(head.kind)
    return HeadNumbers(head, rows, columns, row_vectors, column_vectors, mask, steps)
