"""What a word was worth: the translation's log probability without it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from core.inference.transformer import Floats, Ids, Interventions
from core.interpretability.teacher_forcing import ForcedPair
from core.interpretability.tracer import Tracer

Positions = Collection[int]


def log_probabilities_without(
    tracer: Tracer, pair: ForcedPair, erased: Sequence[tuple[Positions, Positions]]
) -> Floats:
    """log P of the written tokens, (B, T), with B choices of source and decoder-input positions erased.

    Zeiler & Fergus 2014 erased parts of pictures so, Li et al. 2016 ("Understanding Neural Networks through
    Representation Erasure") words.

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
    return tracer.log_probabilities(
        _with_unknown(pair.source, gone_source, translator.source_tokenizer.vocabulary.unknown_id),
        _with_unknown(pair.decoder_input, gone_target, translator.target_tokenizer.vocabulary.unknown_id),
        pair.predicted[None],
        Interventions(
            source_mask=~gone_source[:, None, None, :],
            target_mask=~gone_target[:, None, None, :] | itself,
        ),
    )


def _with_unknown(ids: Ids, gone: np.ndarray, unknown_id: int) -> Ids:
    return np.where(gone, unknown_id, ids[None]).astype(np.int32)
