"""The trainer process, which trains for a server: python -m core.trainer.process, started by `core.trainer.client`.

It reads `Start` and `Stop` from standard input as pickles, and writes the replies of `core.trainer.messages`, each with
the number of its training, to standard output. It also says every second that it is alive. It gives way to everything
else on the machine, and ends with its input.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, BinaryIO

from core.inference.translator import TranslationError, Translator
from core.language_model.training import PreparedTexts
from core.records.training import (
    EpochReport,
    LearningSnapshot,
    StepReport,
    TrainingDivergedError,
    TrainingState,
)
from core.trainer.messages import (
    ALIVE_SECONDS,
    Alive,
    Compiling,
    Failed,
    News,
    Reply,
    Rested,
    Start,
    Stop,
)
from core.trainer.snapshots import snapshot_steps, take_snapshot, take_text_snapshot

if TYPE_CHECKING:
    from core.training.loop import TrainingRun

_NICENESS = 10
_NEWS_SECONDS = 0.1  # between two news of a training
_SAVED_SECONDS = 1.0  # between two saved states of a training

_log = logging.getLogger(__name__)


class _Output:
    """Standard output, shared by the threads of all trainings."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = threading.Lock()

    def send(self, number: int | None, reply: Reply | Alive) -> None:
        data = pickle.dumps((number, reply), pickle.HIGHEST_PROTOCOL)
        with self._lock:
            try:
                self._file.write(data)
                self._file.flush()
            except OSError:  # the server has gone
                os._exit(0)


class _Training:
    """One training, in a thread of its own."""

    def __init__(self, start: Start, output: _Output, tensorflow: threading.Thread) -> None:
        self._start = start
        self._output = output
        self._tensorflow = tensorflow
        self.stop = threading.Event()
        threading.Thread(target=self._train, daemon=True).start()

    def _train(self) -> None:
        self._tensorflow.join()
        run: TrainingRun | None = None
        try:
            if self.stop.is_set():
                self._send(Rested(self._start.saved))
                return
            run = _new_run(self._start)
            self._send(Compiling())
            self._take_steps(run)
            self._send(Rested(run.saved(), run.finished, run.out_of_patience))
        except Exception as error:
            diverged = error if isinstance(error, TrainingDivergedError) else None
            if diverged is None:
                _log.exception("A training failed")
            self._send(Failed(diverged, self._start.saved if run is None else run.saved()))

    def _take_steps(self, run: TrainingRun) -> None:
        snapshots = snapshot_steps(run.total_steps, run.steps_per_epoch)
        news = _Collected(run)
        if not run.state.step:
            news.snapshots += self._snapshot(run)  # the untrained model
        with closing(run.steps()) as steps:
            for report in steps:
                news.reports.append(report)
                if report.step in snapshots:
                    news.snapshots += self._snapshot(run)
                if self.stop.is_set():
                    break
                if news.is_due:
                    self._send(news.take(run))
        if run.state.step not in snapshots and run.state.step:  # it was stopped
            news.snapshots += self._snapshot(run)
        self._send(news.take(run))

    def _snapshot(self, run: TrainingRun) -> list[LearningSnapshot]:
        """Return the model's translations of the watched sentences; nothing where its weights overflow."""
        prepared, watched = self._start.prepared, self._start.watched
        weights = run.last_weights()
        with suppress(TranslationError):
            if isinstance(prepared, PreparedTexts):
                return [take_text_snapshot(prepared.language_model(weights), watched, run.state.step)]
            tokenizers = prepared.source_tokenizer, prepared.target_tokenizer
            translator = Translator(run.model_config, weights, *tokenizers)
            return [take_snapshot(translator, watched, run.state.step)]
        return []

    def _send(self, reply: Reply) -> None:
        self._output.send(self._start.number, reply)


class _Collected:
    """What has happened in a training since the last news."""

    def __init__(self, run: TrainingRun) -> None:
        self.reports: list[StepReport] = []
        self.snapshots: list[LearningSnapshot] = []
        self._num_epochs = len(run.state.epochs)
        self._told = self._saved = time.monotonic()

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self._told >= _NEWS_SECONDS

    def take(self, run: TrainingRun) -> News:
        """Return the news, with the run's state if it has not been sent for a while."""
        self._told = time.monotonic()
        saved: TrainingState | None = None
        if self._told - self._saved >= _SAVED_SECONDS:
            saved = run.saved()
            self._saved = self._told
        epochs: tuple[EpochReport, ...] = run.state.epochs[self._num_epochs :]
        self._num_epochs = len(run.state.epochs)
        news = News(tuple(self.reports), epochs, tuple(self.snapshots), saved)
        self.reports = []
        self.snapshots = []
        return news


def _new_run(start: Start) -> TrainingRun:
    run = start.prepared.new_run()
    if start.saved is not None:
        run.restore(start.saved)
    return run


def _import_tensorflow() -> None:
    """Import TensorFlow and the training loop, once: two threads that do it at once would fail."""
    import tensorflow

    import core.training.loop  # noqa: F401

    # Without this, it warns about many small compiled functions.
    tensorflow.get_logger().setLevel("ERROR")


def _say_alive(output: _Output) -> None:
    while True:
        output.send(None, Alive())
        time.sleep(ALIVE_SECONDS)


def main() -> None:
    """Train until standard input ends."""
    logging.basicConfig()
    # Ctrl-C in the server's terminal reaches this process too, which ends with the server.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpriority"):  # on Windows, the server starts it with a lower priority
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))
    # What libraries print must not get between the replies.
    output = _Output(os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    threading.Thread(target=_say_alive, args=(output,), daemon=True).start()
    tensorflow = threading.Thread(target=_import_tensorflow, daemon=True)
    tensorflow.start()
    trainings: dict[int, _Training] = {}
    while True:
        try:
            command = pickle.load(sys.stdin.buffer)
        except (EOFError, pickle.UnpicklingError):  # the server has ended, perhaps in the middle of a command
            # At once, without Python's cleanup: threads of TensorFlow would abort it.
            os._exit(0)
        if isinstance(command, Start):
            trainings[command.number] = _Training(command, output, tensorflow)
        elif isinstance(command, Stop) and (stopped := trainings.pop(command.number, None)):
            stopped.stop.set()


if __name__ == "__main__":
    main()
