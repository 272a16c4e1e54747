"""What a word was worth: the translation's log probability without it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from core.interpretability.attention.words import Words
from core.interpretability.changes import Changes, Floats, Ids
from core.interpretability.teacher_forcing import ForcedPair, log_probabilities_of
from core.interpretability.tracer import Tracer

Positions = Collection[int]


@dataclass(frozen=True, eq=False)
class Occlusion:
    """How far log P of each written word falls when words are erased, nats; negative where it rises."""

    source: Floats  # (W, S words): by each source word
    prefix: Floats  # (W, W): by each word written before it; 0 from the word itself on
    all_source: Floats  # (W,): by the whole source
    all_prefix: Floats  # (W,): by all that was written before

    @property
    def source_share(self) -> Floats:
        """(W,): what the whole source is worth, by that and what the whole prefix is worth; NaN where neither is."""
        source, prefix = np.maximum(self.all_source, 0), np.maximum(self.all_prefix, 0)
        total = source + prefix
        return np.divide(source, total, out=np.full_like(total, np.nan), where=total > 0)


def occlusion(tracer: Tracer, pair: ForcedPair, source: Words, target: Words) -> Occlusion:
    """Erase each word of the source and of the prefix alone, and each side whole: one batch.

    Zeiler & Fergus 2014 erased parts of pictures so, Li et al. 2016 ("Understanding Neural Networks through
    Representation Erasure") words.

    Args:
        tracer: of the model.
        pair: what is read and written.
        source: words of the source's tokens.
        target: words of the predicted tokens.
    """
    # What the decoder has written as `predicted[t]`, it reads at position t + 1.
    before = [tuple(t + 1 for t in word if t + 1 < len(pair.predicted)) for word in target.positions]
    whole_source, whole_prefix = range(len(pair.source)), range(1, len(pair.predicted))
    erased: list[tuple[Positions, Positions]] = [((), ())]
    erased += [(word, ()) for word in source.positions]
    erased += [((), word) for word in before]
    erased += [(whole_source, ()), ((), whole_prefix)]
    log_p = log_probabilities_without(tracer, pair, erased)
    of_words = np.stack([log_p[:, list(word)].sum(axis=1) for word in target.positions], axis=1)
    falls = (of_words[0] - of_words[1:]).T  # (W, erased)
    split = len(source.positions)
    prefix = np.tril(falls[:, split:-2], k=-1)
    return Occlusion(falls[:, :split], prefix, falls[:, -2], falls[:, -1])


def log_probabilities_without(
    tracer: Tracer, pair: ForcedPair, erased: Sequence[tuple[Positions, Positions]]
) -> Floats:
    """log P of the written tokens, (B, T), with B choices of source and decoder-input positions erased.

    An erased token becomes the unknown token, and no other position may attend to it. Hiding it alone would
    leave the decoder's last word in place, which is the input of the very step that is asked, and a source
    of one word.

    Args:
        tracer: of the model.
        pair: what is read and written.
        erased: source positions and decoder-input positions of each row. The start token stays.
    """
    rows, source_length, target_length = len(erased), len(pair.source), len(pair.predicted)
    gone_source = np.zeros((rows, source_length), bool)
    gone_target = np.zeros((rows, target_length), bool)
    for row, (of_source, of_target) in enumerate(erased):
        gone_source[row, list(of_source)] = True
        gone_target[row, list(of_target)] = True
    gone_target[:, 0] = False
    translator = tracer.translator
    itself = np.eye(target_length, dtype=bool)
    return log_probabilities_of(
        tracer,
        _with_unknown(pair.source, gone_source, translator.source_tokenizer.vocabulary.unknown_id),
        _with_unknown(pair.decoder_input, gone_target, translator.target_tokenizer.vocabulary.unknown_id),
        pair.predicted[None],
        Changes(
            source_mask=~gone_source[:, None, None, :],
            target_mask=~gone_target[:, None, None, :] | itself,
        ),
    )


def _with_unknown(ids: Ids, gone: np.ndarray, unknown_id: int) -> Ids:
    return np.where(gone, unknown_id, ids[None]).astype(np.int32)
