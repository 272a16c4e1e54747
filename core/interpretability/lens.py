"""What each layer would say if it were the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.inference.transformer import Floats, Interventions, Patch
from core.interpretability.teacher_forcing import ForcedPair, Tracer, part_of, portions

LensKind = Literal["decoder", "encoder"]


@dataclass(frozen=True, eq=False)
class Lens:
    """For each of the L + 1 places of a stack and each target position, what the model would say from there."""

    kind: LensKind
    predicted_tokens: tuple[str, ...]  # T, what the model has written
    tokens: tuple[tuple[str, ...], ...]  # (L + 1, T), the likeliest there
    probability: Floats  # (L + 1, T), of that token
    final_probability: Floats  # (L + 1, T), of the token that was written
    final_rank: NDArray[np.int_]  # (L + 1, T), its rank there, from 1

    @property
    def known_since(self) -> tuple[int | None, ...]:
        """(T,): the first place from which on the word that was written stays the likeliest; None where it never is."""
        right = self.final_rank == 1
        kept = np.logical_and.accumulate(right[::-1])[::-1]
        return tuple(int(np.argmax(column)) if column.any() else None for column in kept.T)


def logit_lens(tracer: Tracer, pair: ForcedPair) -> Lens:
    """What each decoder layer would say if it were the last (logit lens, nostalgebraist 2020).

    The state that leaves layer l takes the place of the state that leaves the last one; from there on all
    is as ever: the final norm of a pre-norm stack, then the projection to the vocabulary.

    Args:
        tracer: of the model.
        pair: what is read and written.

    Raises:
        TranslationError: that would be too large to show.
    """
    hidden = tracer.trace(pair.source[None], pair.decoder_input[None]).decoder_hidden
    return _lens(tracer, pair, "decoder", Interventions(decoder_patch=_each_as_last(hidden[0])))


def decoder_lens(tracer: Tracer, pair: ForcedPair) -> Lens:
    """What the whole decoder says when it may look only at encoder layer k (DecoderLens, Langedijk et al. 2023).

    Args:
        tracer: of the model.
        pair: what is read and written.

    Raises:
        TranslationError: that would be too large to show.
    """
    hidden = tracer.trace(pair.source[None], pair.decoder_input[None]).encoder_hidden
    return _lens(tracer, pair, "encoder", Interventions(encoder_patch=_each_as_last(hidden[0])))


def _each_as_last(hidden: Floats) -> Patch:
    """A row for each of the L + 1 places (L + 1, T, D), whose state replaces that of the last place."""
    places, length, _ = hidden.shape
    patch = np.zeros((places, *hidden.shape), np.float32)
    patch[:, -1] = hidden
    replaced = np.zeros((places, places, length), bool)
    replaced[:, -1] = True
    return Patch(patch, replaced)


def _lens(tracer: Tracer, pair: ForcedPair, kind: LensKind, changes: Interventions) -> Lens:
    vocabulary = tracer.translator.target_tokenizer.vocabulary.tokens
    places = tracer.config.num_layers + 1
    shape = (places, len(pair.predicted))
    best, rank = np.zeros(shape, np.int_), np.zeros(shape, np.int_)
    probability, final = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for rows in portions(places, tracer.config, len(pair.source), len(pair.predicted)):
        here = slice(rows.start, rows.stop)
        source, target = (
            np.repeat(ids[None], len(rows), axis=0) for ids in (pair.source, pair.decoder_input)
        )
        logits = tracer.trace(source, target, part_of(changes, rows)).logits
        log_probability = logits - logits.max(axis=-1, keepdims=True)
        log_probability -= np.log(np.exp(log_probability).sum(axis=-1, keepdims=True))
        written = np.take_along_axis(log_probability, pair.predicted[None, :, None], axis=-1)
        best[here] = log_probability.argmax(axis=-1)
        probability[here], final[here] = np.exp(log_probability.max(axis=-1)), np.exp(written[..., 0])
        rank[here] = 1 + (log_probability > written).sum(axis=-1)
    tokens = tuple(tuple(vocabulary[i] for i in row) for row in best)
    return Lens(kind, pair.predicted_tokens, tokens, probability, final, rank)
