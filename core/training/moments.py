"""What a model that learns makes of a few sentences: which ones, when, and what it writes and looks at then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.inference.search import greedy_search
from core.inference.transformer import DecoderState
from core.inference.translator import Translator
from core.records import LearningMoment, Pair
from core.tokens.base import pad

MAX_TOKENS = 16  # of a sentence's attention that are kept, on each side
_WATCHED, _HELD_OUT = 5, 3  # sentences, and how many of them at most are held out
_TELLING_WORDS = 4  # of a target: shorter ones are over before one sees them change
_EXTRA_TOKENS = 3  # that an answer may have beyond the longest reference
# Until that epoch a moment each half epoch, each epoch, and each second one.
_HALVES, _SINGLES, _SECONDS = 10, 20, 40
_LATE_MOMENTS = 14  # from there to the end, each about as much later as the one before


def watched_pairs(pairs: Sequence[Pair], held_out: Sequence[Pair]) -> tuple[tuple[Pair, ...], int]:
    """Return the pairs to watch, those held out at the end, and how many those are."""
    never = tuple(dict.fromkeys(held_out))[:_HELD_OUT]
    different = list(dict.fromkeys(pairs))
    telling = sorted(different, key=lambda pair: -min(_TELLING_WORDS, len(pair.target.split())))
    chosen = telling[: _WATCHED - len(never)]
    return (*(pair for pair in different if pair in chosen), *never), len(never)


def moment_steps(total_steps: int, steps_per_epoch: int) -> frozenset[int]:
    """Return after how many steps to look: densely while most is learned, later in growing distances.

    At most 55 of them, however long the training is; the untrained model (0) and the end are among them.
    """
    last = total_steps // steps_per_epoch
    epochs = [*range(_HALVES, _SINGLES), *range(_SINGLES, _SECONDS, 2)]
    if last > _SECONDS:
        epochs += np.geomspace(_SECONDS, last, _LATE_MOMENTS + 1).round().astype(int).tolist()
    steps = [*(epoch * steps_per_epoch for epoch in epochs), total_steps]
    steps += range(0, _HALVES * steps_per_epoch, -(-steps_per_epoch // 2))
    return frozenset(step for step in steps if step <= total_steps)


def moment_of(translator: Translator, pairs: Sequence[Pair], step: int) -> LearningMoment:
    """Return what the model writes for each pair's source, and where it looks when it reads the reference.

    Raises:
        TranslationError: the weights overflow.
    """
    config, vocabulary = translator.config, translator.target_tokenizer.vocabulary
    sources = [translator.source_tokenizer.encode(pair.source)[: config.max_source_length] for pair in pairs]
    targets = [translator.target_tokenizer.encode(pair.target) for pair in pairs]
    read = [[vocabulary.start_id, *ids][: config.max_target_length] for ids in targets]
    source_ids = pad(sources)
    last_layer = translator.trace(source_ids, pad(read)).attention.cross[:, -1]
    cross = tuple(
        _as_bytes(weights[:, : len(target), : len(source)][:, :MAX_TOKENS, :MAX_TOKENS])
        for weights, source, target in zip(last_layer, sources, read, strict=True)
    )
    limit = min(config.max_target_length, max(map(len, read)) + _EXTRA_TOKENS)
    answers: list[list[tuple[int, float]]] = [[] for _ in pairs]
    before = np.zeros(len(pairs))
    for each in greedy_search(DecoderState(translator.model, source_ids), [limit] * len(pairs)):
        for sentence, token, total in zip(
            each.sentences, each.token[:, 0], each.log_probability[:, 0], strict=True
        ):
            if not answers[sentence] or answers[sentence][-1][0] != vocabulary.end_id:
                answers[sentence].append((int(token), float(np.exp(total - before[sentence]))))
            before[sentence] = total
    return LearningMoment(step, tuple(map(tuple, answers)), cross)


def _as_bytes(weights: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return weights from 0 to 1 as 0 to 255: to 0.002."""
    return np.round(255 * weights).astype(np.uint8)
