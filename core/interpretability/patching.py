"""Where a difference between two sentences lives: states of one run put into the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.inference.transformer import UNCHANGED, Floats, Interventions, Patch
from core.inference.translator import TranslationError
from core.interpretability.teacher_forcing import ForcedPair, Tracer

MAX_TOKENS = 40  # of each sentence; a run for each layer and position


@dataclass(frozen=True, eq=False)
class PatchingMap:
    """How much of the difference in the first word that differs comes over with one state.

    0 is sentence A's own log-odds of B's word against A's, 1 is sentence B's. Below 0 or above 1 goes too far.
    """

    source_tokens: tuple[str, ...]  # S, of sentence A
    other_tokens: tuple[str, ...]  # S, of sentence B
    prefix_tokens: tuple[str, ...]  # P decoder-input tokens both have, the start token first
    word: str  # the first token that sentence A's translation has and B's has not
    other_word: str
    log_odds: float  # of sentence A: log P(B's word) - log P(A's word), nats
    other_log_odds: float  # of sentence B
    encoder: Floats  # (L + 1, S): recovered by swapping one encoder state
    decoder: Floats  # (L + 1, P)


def patching_map(tracer: Tracer, pair: ForcedPair, other: ForcedPair) -> PatchingMap:
    """Run sentence A with one state of sentence B's run at a time: activation patching (Vig et al. 2020).

    Args:
        tracer: of the model.
        pair: sentence A with its translation.
        other: sentence B with its translation; as many source tokens.

    Raises:
        TranslationError: the sentences have unlike lengths, are too long, or are translated alike.
    """
    _check(pair, other)
    first = _first_difference(pair, other)
    prefix = pair.decoder_input[: first + 1]
    theirs = tracer.trace(other.source[None], prefix[None])
    places = tracer.config.num_layers + 1
    found = []
    for hidden, length in ((theirs.encoder_hidden, len(pair.source)), (theirs.decoder_hidden, len(prefix))):
        replaced = np.eye(places * length, dtype=bool).reshape(-1, places, length)
        patch = Patch(hidden, replaced)  # one run's states for all rows
        changes = (
            Interventions(encoder_patch=patch)
            if hidden is theirs.encoder_hidden
            else Interventions(decoder_patch=patch)
        )
        found.append(_log_odds(tracer, pair, other, pair, first, changes).reshape(places, length))
    own, wanted = (float(_log_odds(tracer, pair, other, read, first, UNCHANGED)[0]) for read in (pair, other))
    recovered = [(each - own) / (wanted - own) for each in found]
    return PatchingMap(
        source_tokens=pair.source_tokens,
        other_tokens=other.source_tokens,
        prefix_tokens=(
            tracer.translator.target_tokenizer.vocabulary.tokens[pair.start_id],
            *pair.predicted_tokens[:first],
        ),
        word=pair.predicted_tokens[first],
        other_word=other.predicted_tokens[first],
        log_odds=own,
        other_log_odds=wanted,
        encoder=recovered[0],
        decoder=recovered[1],
    )


def _log_odds(
    tracer: Tracer, pair: ForcedPair, other: ForcedPair, read: ForcedPair, first: int, changes: Interventions
) -> Floats:
    """(B,): log P(B's word) - log P(A's word) where one of the two sentences is read."""
    ids = (read.source[None], pair.decoder_input[None, : first + 1])
    words = np.stack([each.predicted[: first + 1] for each in (other, pair)], axis=-1)[
        None
    ]  # both of one pass
    theirs, ours = tracer.log_probabilities(*ids, words, changes)[:, -1].T
    difference: Floats = theirs - ours
    return difference


def _check(pair: ForcedPair, other: ForcedPair) -> None:
    lengths = len(pair.source), len(other.source)
    if lengths[0] != lengths[1]:
        raise TranslationError(
            f"Both sentences need the same number of tokens; these have {lengths[0]} and {lengths[1]}. Replace one word "
            "by another with as many tokens."
        )
    if max(*lengths, len(pair.predicted), len(other.predicted)) > MAX_TOKENS:
        raise TranslationError(
            f"A sentence or its translation has more than {MAX_TOKENS} tokens. Shorten it."
        )


def _first_difference(pair: ForcedPair, other: ForcedPair) -> int:
    """The first position where the translations differ.

    Both end in the end token where they end at all, so neither is the beginning of the other.
    """
    for position, (ours, theirs) in enumerate(zip(pair.predicted, other.predicted, strict=False)):
        if ours != theirs:
            return position
    raise TranslationError(
        "The model translates both sentences alike, so there is no difference to trace. Change a word."
    )
