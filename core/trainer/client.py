"""The server's trainer: a process of its own for TensorFlow, which may end, die, or hang, without harm to the server.

It is started when somebody is about to train, trains for all, and ends after some idle minutes. It says every second that
it is alive; where it does not for too long, it is killed. When the server ends, in whatever way, the trainer's standard
input ends, and the trainer with it.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue

from core.records.training import TrainingState, WatchedSentence
from core.trainer.messages import ALIVE_SECONDS, Alive, Failed, Reply, Rested, Start, Stop
from core.training.recipe import PreparedTraining

IDLE_SECONDS = 300.0
# After which it has hung. Where nine others want each core, importing TensorFlow keeps it silent for half a minute.
SILENT_SECONDS = 120.0
_ROOT = Path(__file__).parents[2]
_ENVIRONMENT = {
    # One core per training: sharing products of the classroom's sizes makes training take half as long again.
    "TF_NUM_INTRAOP_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    # Two heaps for all threads, not one for each.
    "MALLOC_ARENA_MAX": "2",
}
_END_SECONDS = 5.0  # for the process to end when it is told to
_log = logging.getLogger(__name__)


class TrainerDiedError(RuntimeError):
    """The trainer process has ended in the middle of a training."""


class TrainerHungError(TrainerDiedError):
    """The trainer process was killed, since it did not answer."""


class RemoteTraining:
    """A training in the trainer process."""

    def __init__(self, process: _Process, number: int) -> None:
        self._process = process
        self._number = number
        self._replies: SimpleQueue[Reply | None] = SimpleQueue()  # None: the process has ended

    def next_reply(self, timeout: float = SILENT_SECONDS) -> Reply | None:
        """Return the next reply, of which `Rested` or `Failed` is the last; None if none comes in so many seconds.

        Raises:
            TrainerDiedError: the process has ended before the last reply.
        """
        try:
            reply = self._replies.get(timeout=timeout)
        except Empty:
            return None
        if reply is None:
            self._replies.put(None)  # for whoever asks again
            raise TrainerHungError if self._process.has_hung else TrainerDiedError
        return reply

    def stop(self) -> None:
        """Stop after the current step; the last replies are still to come."""
        self._process.send(Stop(self._number))

    def give_up(self) -> None:
        """Kill the process, in which this training does not answer."""
        self._process.kill_hung()

    def put(self, reply: Reply | None) -> None:
        """Add a reply, or None if there will be no more."""
        self._replies.put(reply)


class _Process:
    """One trainer process, with the trainings in it."""

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            [sys.executable, "-m", "core.trainer.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            env={**os.environ, **_ENVIRONMENT},
            # Elsewhere the process itself lowers its priority.
            creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),
        )
        self.pid = self._popen.pid
        self.idle_since = time.monotonic()
        self.has_hung = False
        self._num_heard = 0  # messages
        self._commands: SimpleQueue[Start | Stop | None] = SimpleQueue()  # None: no more will come
        self._lock = threading.Lock()  # for what follows
        self._trainings: dict[int, RemoteTraining] = {}
        self._is_closed = False
        self._reader = threading.Thread(target=self._read, daemon=True, name="replies of the trainer")
        self._reader.start()
        threading.Thread(target=self._write, daemon=True, name="commands to the trainer").start()
        threading.Thread(target=self._watch, daemon=True, name="watch of the trainer").start()

    @property
    def is_alive(self) -> bool:
        return not self._is_closed and self._popen.poll() is None

    @property
    def is_idle(self) -> bool:
        return not self._trainings

    def begin(self, start: Start) -> RemoteTraining:
        training = RemoteTraining(self, start.number)
        with self._lock:
            self._trainings[start.number] = training
        self.send(start)
        if not self.is_alive:  # perhaps `_read` has told all others already
            training.put(None)
        return training

    def send(self, command: Start | Stop) -> None:
        """Send a command, without waiting; if the process has ended, `_read` tells its trainings."""
        self._commands.put(command)

    def close(self) -> None:
        """Let the process end, and wait for it."""
        self._is_closed = True
        self._commands.put(None)
        self._reader.join(_END_SECONDS)
        if self._reader.is_alive():
            self._popen.kill()

    def kill_hung(self) -> None:
        """Kill the process, since it does not answer; `_read` tells its trainings."""
        _log.error("The trainer process does not answer, and is killed")
        self.has_hung = True
        self._popen.kill()

    def _write(self) -> None:
        """Hand the commands to the process, which may read them late."""
        assert self._popen.stdin is not None
        try:
            with self._popen.stdin as commands:
                while (command := self._commands.get()) is not None:
                    pickle.dump(command, commands, pickle.HIGHEST_PROTOCOL)
                    commands.flush()
        except OSError as error:  # it has ended
            _log.info("The trainer takes no more commands: %s", error)

    def _watch(self) -> None:
        """Kill the process when it has been silent for too long, in seconds in which this process was awake."""
        num_heard, silent = 0, 0.0
        while self._reader.is_alive():
            time.sleep(ALIVE_SECONDS)
            silent = 0.0 if num_heard != self._num_heard else silent + ALIVE_SECONDS
            num_heard = self._num_heard
            if silent >= SILENT_SECONDS:
                self.kill_hung()
                return

    def _read(self) -> None:
        """Hand the replies to their trainings until the process ends, and tell those that are left."""
        assert self._popen.stdout is not None
        while True:
            try:
                number, reply = pickle.load(self._popen.stdout)
            except EOFError:
                break
            # Cut short; or of another version, where files have changed under a running server.
            except Exception:
                _log.exception("The trainer's reply cannot be read")
                self._popen.kill()
                break
            self._num_heard += 1
            if isinstance(reply, Alive):
                continue
            with self._lock:
                training = self._trainings[number]
                if isinstance(reply, Rested | Failed):
                    del self._trainings[number]
                    self.idle_since = time.monotonic()
            training.put(reply)
        code = self._popen.wait()
        if not self._is_closed:
            _log.error("The trainer process has ended with code %s", code)
        with self._lock:
            for training in self._trainings.values():
                training.put(None)


class Trainer:
    """Starts the process when it is needed, and ends it when it is not."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._timer: threading.Timer | None = None
        self._numbers = count()

    @property
    def pid(self) -> int | None:
        """The id of the process, if there is one."""
        process = self._process
        return process.pid if process is not None and process.is_alive else None

    def warm_up(self) -> None:
        """Start the process, so that it has loaded TensorFlow when a training begins."""
        with self._lock:
            try:
                self._living_process().idle_since = time.monotonic()
            except OSError:  # a training that is started will say so
                _log.exception("The trainer process cannot be started")

    def train(
        self,
        prepared: PreparedTraining,
        watched: tuple[WatchedSentence, ...],
        saved: TrainingState | None = None,
    ) -> RemoteTraining:
        """Begin a training, or continue one from a saved state."""
        with self._lock:
            return self._living_process().begin(Start(next(self._numbers), prepared, watched, saved))

    def end(self, only_if_idle: bool = False) -> None:
        """End the process, perhaps only if it trains nothing."""
        with self._lock:
            if self._process is not None and (self._process.is_idle or not only_if_idle):
                self._process.close()
                self._process = None

    def _living_process(self) -> _Process:
        if self._process is None or not self._process.is_alive:
            self._process = _Process()
            self._look_again_in(self._idle_seconds)
        return self._process

    def _look_again_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(seconds, self._end_when_idle)
        self._timer.daemon = True
        self._timer.start()

    def _end_when_idle(self) -> None:
        with self._lock:
            process = self._process
            if process is None or not process.is_alive:
                return
            left = process.idle_since + self._idle_seconds - time.monotonic()
            if not process.is_idle:
                left = self._idle_seconds
            if left > 0:
                self._look_again_in(left)
                return
            process.close()
            self._process = None
