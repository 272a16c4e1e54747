"""A trained model, tuned on its own translations by what they score (minimum risk training).

First it translates some training sources by beam search, and each hypothesis is compared with the reference; then it
learns in small steps to prefer the near ones (`core.training.risk`). Cross-entropy goes on beside it, in half of the
sources on the reference and in the others on the nearest hypothesis, which is easier to find greedily.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.careless_typing import typed_carelessly
from core.config import DecodingConfig, TrainingConfig
from core.metrics.bleu import sentence_score
from core.pipeline import Ids, pad
from core.records import Pair
from core.storage.card import with_origin
from core.storage.checkpoint import Checkpoint
from core.storage.config_file import name_with
from core.tokens.subword import SubwordTokenizer
from core.training.average import averaged
from core.training.loop import TrainingDivergedError
from core.training.risk import RiskBatch, compiled_risk_step
from core.training.step import StepSettings, TrainingState

HYPOTHESES = 6  # of a source
AT_ONCE = 512  # sources translated between two reports
MAX_TOKENS = 60  # of a source and of its reference: seven rows of each source go into a batch
TRAINING = TrainingConfig(
    epochs=1,
    batch_tokens=3072,
    schedule="linear",
    learning_rate=1e-4,
    warmup_steps=60,
    label_smoothing=0.1,
    clip_norm=1.0,
    careless_typing=0.25,
    ema_decay=0.99,
    seed=0,
)
_LENGTH_PENALTY = 1.0
_RISK_WEIGHT = 20.0
_WARMUP_PART = 10  # one in so many steps, at most, has a rising rate
_FEWEST = 3  # hypotheses that are worth comparing
_ON_REFERENCE = 0.5  # the share of sources whose reference cross-entropy learns
_SORTED_AT_ONCE = 4096  # sources; a batch is of like lengths


class RiskTrainingError(ValueError):
    """There is nothing to learn from; the message says why."""


class Judged(NamedTuple):
    """A source with its hypotheses, compared with the reference."""

    source: Ids  # (S,)
    hypotheses: tuple[Ids, ...]  # HYPOTHESES at most, each with its end
    costs: tuple[float, ...]  # 0 for the reference itself, 1 for nothing in common with it
    target: Ids  # what cross-entropy learns

    @property
    def length(self) -> int:
        """Of its longest row."""
        return max(map(len, (*self.hypotheses, self.target)))


class RiskReport(NamedTuple):
    """What one step did."""

    step: int
    risk: float  # mean expected cost, 0 to 1
    loss: float  # cross-entropy of the targets, nats


class RiskTraining:
    """Tunes one checkpoint: `search()` to its end, then `steps()`; `tuned()` is the model so far.

    Args:
        checkpoint: whose hypotheses are compared, and whose weights it begins with.
        pairs: sources with their references.
        training: how to train; epochs is 1.

    Raises:
        RiskTrainingError: no pair has two sides that the model can read.
    """

    def __init__(
        self, checkpoint: Checkpoint, pairs: Sequence[Pair], training: TrainingConfig = TRAINING
    ) -> None:
        self._checkpoint, self._training = checkpoint, training
        self._random = np.random.default_rng(training.seed)
        # To a model of whole words a slip is an unknown word.
        if isinstance(checkpoint.source_tokenizer, SubwordTokenizer):
            pairs = [typed_carelessly(pair, training.careless_typing, self._random) for pair in pairs]
        self._pairs = [pair for pair in pairs if self._fits(pair)]
        if not self._pairs:
            raise RiskTrainingError(
                "There are no pairs to learn from: each has an empty side, one that is too long, or a translation with "
                "words that the model does not know."
            )
        self._judged: list[Judged] = []
        self._batches: list[list[Judged]] = []
        self._state = TrainingState.new(checkpoint.weights, averaged=True)

    @property
    def sources(self) -> int:
        """To translate."""
        return len(self._pairs)

    @property
    def total_steps(self) -> int:
        """After the search."""
        return len(self._batches)

    def search(self) -> Iterator[int]:
        """Translate some sources at a time, once; gives how many are done.

        Raises:
            RiskTrainingError: at the end, no source has hypotheses to compare.
        """
        translator = self._checkpoint.translator()
        decoding = DecodingConfig(beam_size=HYPOTHESES, length_penalty=_LENGTH_PENALTY)
        for first in range(0, self.sources, AT_ONCE):
            pairs = self._pairs[first : first + AT_ONCE]
            found = translator.translate([pair.source for pair in pairs], decoding)
            for pair, translation in zip(pairs, found, strict=True):
                ids = dict.fromkeys(each.ids for each in translation.hypotheses if each.finished)
                if len(ids) >= _FEWEST:
                    self._judged.append(self._judge(pair, list(ids)))
            yield first + len(pairs)
        if not self._judged:
            raise RiskTrainingError(
                "No source has three whole translations to compare. Train the model for longer."
            )
        self._batches = self._in_batches()
        warmup = max(1, min(self._training.warmup_steps, self.total_steps // _WARMUP_PART))
        self._training = self._training.replace(warmup_steps=warmup)

    def steps(self) -> Iterator[RiskReport]:
        """Train on all batches once, with a report after each step.

        Raises:
            TrainingDivergedError: the loss or a weight is no number; `tuned` is the model before.
        """
        step = compiled_risk_step(self._checkpoint.config, HYPOTHESES, _RISK_WEIGHT)
        for number, judged in enumerate(self._batches, start=1):
            state = self._state
            settings = StepSettings.of(
                self._training, self._checkpoint.config.d_model, number, self.total_steps
            )
            result = step(state.parameters, state.moments, float(number), settings, self._batch(judged))
            if not result.healthy:
                raise TrainingDivergedError(
                    f"The loss is no longer a number after step {number}. Choose a lower learning rate."
                )
            average = averaged(state.average, result.parameters, number, self._training.ema_decay)
            self._state = TrainingState(result.parameters, result.moments, number, average)
            yield RiskReport(number, float(result.risk), float(result.loss))

    def tuned(self) -> Checkpoint:
        """The checkpoint with the average of the weights so far; its figures are not this model's, so it has none."""
        name = name_with(self._checkpoint.name, "(tuned)")
        weights = self._state.weights(self._checkpoint.config)
        made = replace(
            self._checkpoint, weights=weights, training=None, metrics={}, epochs=(), name=name, card=""
        )
        origin = self._checkpoint.card or self._checkpoint.default_card()
        return replace(made, card=with_origin(made.default_card(), origin, "It goes on from"))

    def _fits(self, pair: Pair) -> bool:
        config = self._checkpoint.config
        most = min(MAX_TOKENS, config.max_source_length), min(MAX_TOKENS, config.max_target_length - 1)
        sides = (
            self._checkpoint.source_tokenizer.encode(pair.source),
            self._checkpoint.target_tokenizer.encode(pair.target),
        )
        if self._checkpoint.target_tokenizer.vocabulary.unknown_id in sides[1]:
            return False
        return all(0 < len(ids) <= longest for ids, longest in zip(sides, most, strict=True))

    def _judge(self, pair: Pair, hypotheses: list[tuple[int, ...]]) -> Judged:
        source, target = self._checkpoint.source_tokenizer, self._checkpoint.target_tokenizer
        reference = [*target.encode(pair.target), target.vocabulary.end_id]
        words = target.decode_words(reference)
        costs = [max(0.0, 1.0 - sentence_score(target.decode_words(ids), words)) for ids in hypotheses]
        learned = reference if self._random.random() < _ON_REFERENCE else hypotheses[int(np.argmin(costs))]
        return Judged(
            np.array(source.encode(pair.source), np.int32),
            tuple(np.array(ids, np.int32) for ids in hypotheses),
            tuple(costs),
            np.array(learned, np.int32),
        )

    def _in_batches(self) -> list[list[Judged]]:
        """All judged sources, those of like length together, in a random order."""
        order = self._random.permutation(len(self._judged))
        batches: list[list[Judged]] = []
        for first in range(0, len(order), _SORTED_AT_ONCE):
            some = [self._judged[number] for number in order[first : first + _SORTED_AT_ONCE]]
            batches += _batches_of(
                sorted(some, key=lambda each: each.length), self._training.batch_tokens or 1
            )
        return [batches[number] for number in self._random.permutation(len(batches))]

    def _batch(self, judged: Sequence[Judged]) -> RiskBatch:
        start = self._checkpoint.target_tokenizer.vocabulary.start_id
        nothing = np.zeros(0, np.int32)
        labels: list[Ids] = []
        costs = np.full((len(judged), HYPOTHESES), np.nan, np.float32)
        for row, each in enumerate(judged):
            costs[row, : len(each.costs)] = each.costs
            labels += [*each.hypotheses, *[nothing] * (HYPOTHESES - len(each.hypotheses)), each.target]
        shifted = [np.concatenate([[start], ids[:-1]]) if len(ids) else ids for ids in labels]
        source = [each.source for each in judged]
        return RiskBatch(pad(source), pad(shifted), pad(labels), costs)


def _batches_of(judged: Sequence[Judged], positions: int) -> list[list[Judged]]:
    """Batches of at most so many target positions, of sources in the order of their lengths."""
    batches: list[list[Judged]] = [[]]
    for each in judged:
        if batches[-1] and (len(batches[-1]) + 1) * (HYPOTHESES + 1) * each.length > positions:
            batches.append([])
        batches[-1].append(each)
    return batches
