"""One thread that makes XLA programs while plain graphs answer."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable

import tensorflow as tf

MAX_QUEUED = 32  # programs that wait; beyond, a shape asks again at its next use
NICENESS = 10  # of the threads in which XLA generates code: they get a tenth of what others want too

_log = logging.getLogger(__name__)


class BackgroundCompiler:
    """Does jobs one after another, in the order they were asked for. Its thread starts with the first."""

    def __init__(self) -> None:
        self._jobs: deque[Callable[[], None]] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = self._closed = False

    @property
    def is_busy(self) -> bool:
        """Whether something is under way, which the end of the process would wait for."""
        with self._changed:
            return self._busy

    @property
    def is_full(self) -> bool:
        """Whether it takes no more jobs for now."""
        with self._changed:
            return self._closed or len(self._jobs) >= MAX_QUEUED

    def add(self, job: Callable[[], None]) -> None:
        """Add a job, to be done after all others."""
        with self._changed:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True, name="compile for XLA")
                self._thread.start()
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to do. Returns whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs and not self._busy, timeout)

    def close(self) -> None:
        """Drop what waits, and wait for what is under way: a process that ends while XLA compiles is aborted."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        _start_xla()
        while job := self._next_job():
            try:
                job()
            except Exception:  # the plain graph goes on answering
                _log.exception("XLA could not compile a program")
            finally:
                del job  # it holds a model's weights
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()

    def _next_job(self) -> Callable[[], None] | None:
        """Wait for the next job; None when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or bool(self._jobs))
            if self._closed:
                return None
            self._busy = True
            return self._jobs.popleft()


def _start_xla() -> None:
    """Let XLA start its threads from one of low priority, which they inherit, where Linux allows it.

    The thread that asks for programs keeps its own: while it traces, it holds Python's lock, and whoever waits for
    that would wait for a slow one.
    """
    thread = threading.Thread(target=_compile_least, name="start XLA")
    thread.start()
    thread.join()


def _compile_least() -> None:
    if sys.platform == "linux":
        try:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        except OSError:
            _log.info("XLA compiles with usual priority: the system allows no lower one")
    tf.function(lambda x: x + 1.0, jit_compile=True, autograph=False)(tf.constant(0.0))


compiler = BackgroundCompiler()
atexit.register(compiler.close)
