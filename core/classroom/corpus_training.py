"""One person's training on a large corpus: like any other, but it prepares for a minute and learns for hours."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core.classroom.corpus_reading import read_split
from core.classroom.queue import RunQueue
from core.classroom.trained_model import TrainedModel
from core.classroom.training_job import NUM_WATCHED, TrainingJob
from core.config import ModelConfig, TrainingConfig
from core.corpora.catalogue import Corpus, sample_pairs
from core.records import Pair, StepReport
from core.subword_pairs import encode_subwords, learn_tokenizers, prepare_subwords
from core.tokens.subword import SubwordTokenizer

if TYPE_CHECKING:
    from core.training.loop import TrainingRun

NUM_VALIDATION = 500  # pairs that each epoch is judged by
Tokenizers = tuple[SubwordTokenizer, SubwordTokenizer]

_WATCH_SECONDS = 60.0  # between two looks at the watched sentences


class CorpusTrainingJob(TrainingJob):
    """Learns the pieces of words of a corpus, then trains on them.

    Args:
        corpus: that is here.
        tokenizers: of source and target; None learns them from the corpus first.
        model: its vocabulary sizes are those asked for.
        training: how to train it.
        queue: of the server's large trainings.
        time_limit: seconds after which it stops by itself.
        on_rest: told the model each time the training comes to rest, in the worker thread.
    """

    def __init__(
        self,
        corpus: Corpus,
        tokenizers: Tokenizers | None,
        model: ModelConfig,
        training: TrainingConfig,
        queue: RunQueue,
        time_limit: float,
        on_rest: Callable[[TrainingJob, TrainedModel], None],
    ) -> None:
        super().__init__(corpus.title, None, model, training, queue, time_limit, on_rest)
        self._corpus = corpus
        self._tokenizers = tokenizers
        self._watched_at = 0.0

    @property
    def watched_pairs(self) -> tuple[Pair, ...]:
        """The shortest of the first ones: a model that begins says something about those first."""
        pairs = self.prepared.pairs if self.prepared is not None else ()
        return tuple(sorted(pairs, key=lambda pair: len(pair.source)))[:NUM_WATCHED]

    @property
    def moments(self) -> str:
        """One epoch of a large corpus is long."""
        return "step"

    def _moment(self, run: TrainingRun) -> int:
        return run.state.step

    @property
    def epochs_more(self) -> int:
        """One epoch of a large corpus is long."""
        return 1

    def _prepare(self, stop: threading.Event) -> bool:
        corpus = self._corpus
        self._say(f"Reading {corpus.title}.")
        pairs = read_split(corpus.name, "train")
        if stop.is_set():
            return False
        tokenizers = self._tokenizers or self._learn_tokenizers(pairs)
        if stop.is_set():
            return False
        self._say("Cutting all sentences into pieces.")
        prepared, self.model = prepare_subwords(lambda: pairs, self.model, self.training, tokenizers)
        if "validation" in corpus.splits_here:
            held_out = sample_pairs(read_split(corpus.name, "validation"), NUM_VALIDATION)
            limits = (self.model.max_source_length, self.model.max_target_length - 1)
            self.validation = encode_subwords(held_out, *tokenizers, *limits).pairs
        self.prepared = prepared
        self._say("Compiling the training step. Some seconds, once.")
        self._watched_at = time.monotonic()
        return not stop.is_set()

    def _learn_tokenizers(self, pairs: Sequence[Pair]) -> Tokenizers:
        self._say(f"Learning a vocabulary of pieces of words from {len(pairs):,} pairs. Some minutes.")
        corpus = self._corpus
        return learn_tokenizers(lambda: pairs, self.model, corpus.source_language, corpus.target_language)

    def _say(self, doing: str) -> None:
        with self._lock:
            self._progress.doing = doing

    def _is_time_to_watch(self, report: StepReport) -> bool:
        if time.monotonic() - self._watched_at < _WATCH_SECONDS:
            return False
        self._watched_at = time.monotonic()
        return True
