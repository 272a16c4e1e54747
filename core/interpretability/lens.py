"""What each layer would say if it were the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.inference.search import log_softmax
from core.inference.transformer import Floats, Interventions, Patch
from core.interpretability.teacher_forcing import ForcedPair, Tracer

LensKind = Literal["decoder", "encoder"]


@dataclass(frozen=True, eq=False)
class Lens:
    """For each of the L + 1 places of a stack and each target position, what the model would say from there."""

    predicted_tokens: tuple[str, ...]  # T, what the model has written
    tokens: tuple[tuple[str, ...], ...]  # (L + 1, T), the likeliest there
    probability: Floats  # (L + 1, T), of that token
    final_probability: Floats  # (L + 1, T), of the token that was written
    final_rank: NDArray[np.int_]  # (L + 1, T), its rank there, from 1

    @property
    def known_since(self) -> tuple[int | None, ...]:
        """(T,): the place from which on the word that was written stays the likeliest; None where it never is."""
        right = self.final_rank == 1
        kept = np.logical_and.accumulate(right[::-1])[::-1]
        return tuple(int(np.argmax(column)) if column.any() else None for column in kept.T)


def depth_lens(tracer: Tracer, pair: ForcedPair, kind: LensKind) -> Lens:
    """Return what each layer of a stack would say if it were the last.

    Of the decoder it is the logit lens (nostalgebraist 2020); of the encoder what the decoder says when it may look
    only at that layer (DecoderLens, Langedijk et al. 2023). The state that leaves layer l takes the place of the state
    that leaves the last one; from there on all is as ever: the final norm of a pre-norm stack and what follows it.
    """
    ids = pair.source[None], pair.decoder_input[None]
    trace = tracer.trace(*ids)
    hidden = trace.decoder_hidden if kind == "decoder" else trace.encoder_hidden  # (1, L + 1, T, D)
    last = np.zeros(hidden.shape[:-1], bool)
    last[:, -1] = True
    vocabulary = tracer.translator.target_tokenizer.vocabulary.tokens
    tokens, highest, of_written, ranks = [], [], [], []
    for place in range(hidden.shape[1]):
        patch = Patch(np.broadcast_to(hidden[:, [place]], hidden.shape), last)
        changes = (
            Interventions(decoder_patch=patch) if kind == "decoder" else Interventions(encoder_patch=patch)
        )
        (logits,) = tracer.logits(*ids, changes)
        log_probability = log_softmax(logits[0])  # (T, V)
        written = np.take_along_axis(log_probability, pair.predicted[:, None], axis=-1)
        tokens.append(tuple(vocabulary[i] for i in log_probability.argmax(axis=-1)))
        highest.append(log_probability.max(axis=-1))
        of_written.append(written[:, 0])
        ranks.append(1 + (log_probability > written).sum(axis=-1))
    return Lens(
        pair.predicted_tokens,
        tokens=tuple(tokens),
        probability=np.exp(highest),
        final_probability=np.exp(of_written),
        final_rank=np.array(ranks),
    )
