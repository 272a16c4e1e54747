"""What the tests of this room share."""

from dataclasses import replace

import numpy as np
import pytest

from core.arrays import Ids
from core.inference.translator import Translator
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.tokens.vocabulary import END_ID


def random_attention(rows: int, columns: int, causal: bool = False) -> np.ndarray:
    """Weights of two layers and three heads."""
    scores = np.random.default_rng(0).standard_normal((2, 3, rows, columns))
    if causal:
        scores = np.where(np.tri(rows, columns, dtype=bool), scores, -np.inf)
    weights = np.exp(scores)
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def pair_of(translator: Translator, source: str, target: str) -> ForcedPair:
    """A sentence with any translation of it."""
    ids = translator.target_tokenizer.encode(target)
    return ForcedPair.of_ids(translator, translator.source_tokenizer.encode(source), [*ids, END_ID])


def log_probabilities(tracer: Tracer, pair: ForcedPair, source: Ids | None = None) -> np.ndarray:
    """Of each token that was written, (T,), nats; perhaps for another source."""
    read = pair.source if source is None else source
    return tracer.log_probabilities(replace(pair, source=read), 1)[0]


@pytest.fixture(scope="session")
def tracer(translator: Translator) -> Tracer:
    return Tracer(translator)


@pytest.fixture(scope="session")
def pair(translator: Translator) -> ForcedPair:
    return ForcedPair.of_translation(translator, translator.translate(["ils regardent un film"])[0])
