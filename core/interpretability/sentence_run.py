"""A sentence pair on its way through the model, level by level. Axis letters: see `core.config`."""

import numpy as np

from core.arrays import Floats
from core.interpretability.teacher_forcing import ForcedPair, Tracer, sublayer_path
from core.language import _
from core.records.analysis import SentenceRun
from core.records.attention import AttentionKind
from core.theory.embedding import embed
from core.theory.model_parts import SIDES, token_embedding_name

MAX_TOKENS = 48  # on each side: more would be too thin to tell apart in the living picture
_CANDIDATES = 6


def follow(tracer: Tracer, pair: ForcedPair) -> SentenceRun:
    """Trace a pair, and compute the states between the sublayers from weights and attention.

    Raises:
        ValueError: it has more tokens than the living picture shows.
    """
    if (most := max(len(pair.source), len(pair.decoder_input))) > MAX_TOKENS:
        raise ValueError(
            _("The living picture shows up to {most} tokens on a side. Received: {received}").format(
                most=MAX_TOKENS, received=most
            )
        )
    trace = tracer.trace_pair(pair)
    model = tracer.translator.model
    levels: dict[str, Floats] = {}
    for side, ids in zip(SIDES, (pair.source, pair.decoder_input), strict=True):
        kinds: tuple[AttentionKind, ...] = ("encoder",) if side == "encoder" else ("decoder", "cross")
        hidden = trace.hidden[side][0]
        words = embed(ids, model.weights[token_embedding_name(model.config, side)])
        found = [words, hidden[0] - words, hidden[0]]
        for layer, output in enumerate(hidden[1:]):
            for kind in kinds:
                weights = getattr(trace.attention, kind)
                values = trace.values[kind]
                mixed = weights[0, layer] @ values[0, layer]
                found.append(model.add_heads(sublayer_path(kind, layer), found[-1], mixed))
            found.append(output)
        levels[side] = np.stack([*found, model.final_norm(side, hidden[-1])])
    candidates = tracer.translator.candidates(trace.logits[0], _CANDIDATES)
    return SentenceRun(pair.attention(trace), levels, candidates)
