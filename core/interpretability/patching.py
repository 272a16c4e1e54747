"""Activation patching: where a difference between two sentences lies. Axis letters: see `core.config`."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, islice
from operator import ne
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.arrays import Bools, Floats
from core.inference.model import Changes, state_names
from core.inference.translator import TranslationError
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.language import N_, _
from core.records.analysis import PatchingMap
from core.records.text import Pair
from core.theory.model_parts import SIDES
from core.tokens.base import Tokenizer


class MinimalPair(NamedTuple):
    """Two sentences of one language that differ in one feature, for finding where in a model the difference lies.

    Those of `MINIMAL_PAIRS` have the same number of tokens and different translations in the shipped models. The English
    ones are for a model that writes French, where the gender and the number of a noun change the words around it.
    """

    difference: str  # one of DIFFERENCES, or ANOTHER_WORD
    first: str
    second: str


MINIMAL_PAIRS: dict[str, tuple[MinimalPair, ...]] = {}  # the pairs by language code
DIFFERENCES = (N_("gender"), N_("negation"), N_("number"), N_("tense"))  # of these pairs
ANOTHER_WORD = N_("another word")  # the difference of two other sentences

with Path(__file__).with_name("minimal_pairs.csv").open(encoding="utf-8", newline="") as _file:
    for _language, *_pair in islice(csv.reader(_file), 1, None):
        MINIMAL_PAIRS[_language] = (*MINIMAL_PAIRS.get(_language, ()), MinimalPair(*_pair))


def pairs_of_examples(tokenizer: Tokenizer, examples: Iterable[Pair]) -> Iterator[MinimalPair]:
    """Yield every two sentences that a model was trained on and that differ in one token, and in their translation."""
    for (one, tokens), (other, others) in combinations(
        [(each, tokenizer.tokens(each.source)) for each in examples], 2
    ):
        if len(tokens) == len(others) and one.target != other.target and sum(map(ne, tokens, others)) == 1:
            yield MinimalPair(ANOTHER_WORD, one.source, other.source)


def patching_map(tracer: Tracer, pair: ForcedPair, other: ForcedPair) -> PatchingMap:
    """Run sentence A (`pair`) with one state at a time from sentence B's run (Vig et al. 2020).

    Raises:
        TranslationError: the sentences have different lengths, or the same translation.
    """
    if len(pair.source) != len(other.source):
        raise TranslationError(
            _(
                "Both sentences need the same number of tokens; these have {first} and {second}. Choose two others."
            ).format(first=len(pair.source), second=len(other.source))
        )
    # Finished translations end in the end token, so neither is a prefix of the other.
    both = enumerate(zip(pair.predicted, other.predicted, strict=False))
    first = next((position for position, (ours, theirs) in both if ours != theirs), None)
    if first is None:
        raise TranslationError(
            _(
                "The model translates both sentences alike, so there is no difference to trace. Choose two others."
            )
        )
    read = replace(pair, decoder_input=pair.decoder_input[: first + 1])
    words = pair.predicted[first], other.predicted[first]
    names = {side: state_names(side, tracer.config) for side in SIDES}
    ours = tracer.results(read, ["output"])
    theirs = tracer.results(replace(read, source=other.source), [*chain(*names.values()), "output"])
    own, wanted = (float(_log_odds(found["output"], *words)[0]) for found in (ours, theirs))
    recovered = {}
    for side, states in names.items():
        changes = partial(_one_at_a_time, {name: theirs[name] for name in states})
        shape = len(states), theirs[states[0]].shape[1]
        parts = [_log_odds(each, *words) for each in tracer.logits(read, math.prod(shape), changes)]
        recovered[side] = ((np.concatenate(parts) - own) / (wanted - own)).reshape(shape)
    return PatchingMap(
        source_tokens=pair.source_tokens,
        other_tokens=other.source_tokens,
        prefix_tokens=pair.decoder_input_tokens[: first + 1],
        word=pair.predicted_tokens[first],
        other_word=other.predicted_tokens[first],
        encoder=recovered["encoder"],
        decoder=recovered["decoder"],
    )


def _log_odds(logits: Floats, word: int, other_word: int) -> Floats:
    """Return log P(other word) - log P(word) after the prefix, (B, T, V) -> (B,), nats."""
    return logits[:, -1, other_word] - logits[:, -1, word]


def _one_at_a_time(states: Mapping[str, Floats], rows: slice) -> Changes:
    """Return the changes of some rows of a batch that has a row for each position (T) of each state (1, T, D)."""
    length = next(iter(states.values())).shape[1]
    places = np.arange(rows.start, rows.stop)[:, None] - np.arange(
        length
    )  # (B, T), 0 where the first state is replaced
    return {
        name: partial(_replaced, (places == number * length)[..., None], state)
        for number, (name, state) in enumerate(states.items())
    }


def _replaced(where: Bools, by: Floats, value: Floats) -> Floats:
    return np.where(where, by, value)
