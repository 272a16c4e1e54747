"""Greedy search before there is a graph: the formulas in NumPy. Loads no TensorFlow.

Importing TensorFlow and tracing a graph take seconds, which one sentence would wait for. Its formulas are ready at
once, and find the same tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.config import SAMPLING, DecodingConfig, ModelConfig
from core.decoding.batches import target_limit
from core.decoding.text.sentence_translator import IMPOSSIBLE, SentenceTranslator
from core.records import Hypothesis
from core.theory.whole_model import WholeModel
from core.tokens.vocabulary import Vocabulary
from core.weights import Weights


def is_plain_greedy(decoding: DecodingConfig) -> bool:
    """Whether this is greedy decoding without further options, which is all that `first_search` can do."""
    plain = DecodingConfig()
    ignored = {name: getattr(plain, name) for name in ("length_penalty", *SAMPLING)}  # by greedy decoding
    return not decoding.samples and decoding.replace(**ignored) == plain


def first_search(
    translator: SentenceTranslator, weights: Weights, encoded: Sequence[list[int]]
) -> list[tuple[Hypothesis, ...]]:
    """The greedy hypothesis of each source, one after the other.

    Raises:
        TranslationError: the weights overflow.
    """
    model = WholeModel(translator.config, weights)
    found: list[tuple[Hypothesis, ...]] = []
    with np.errstate(all="ignore"):  # weights that overflow are found by their log probability
        for ids in encoded:
            found += translator.hypotheses(_greedy(model, translator.config, ids), 1)
    return found


def _greedy(model: WholeModel, config: ModelConfig, source_ids: list[int]) -> tuple[np.ndarray, ...]:
    """As `core.decoding.search.greedy_search` of one sentence: ids (1, 1, T), log P, score and finished (1, 1)."""
    special = Vocabulary.from_tokens((), start_and_end=True)
    source, written = model.encode(source_ids), model.nothing_written()
    limit = target_limit(len(source_ids), config)
    ids, total = [special.start_id], 0.0
    while len(ids) <= limit and ids[-1] != special.end_id:
        logits = model.decode_step(ids[-1], len(ids) - 1, source, written).astype(np.float64)
        highest = logits.max()
        log_sum = highest + np.log(np.exp(logits - highest).sum())
        logits[[special.pad_id, special.start_id]] = IMPOSSIBLE
        ids.append(int(logits.argmax()))
        total += logits[ids[-1]] - log_sum
    scores = np.array([[total]])
    return np.array([[ids[1:]]]), scores, scores, np.array([[ids[-1] == special.end_id]])
