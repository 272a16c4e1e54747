from __future__ import annotations

import signal
from types import FrameType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl-C, and what a system sends before it shuts down


class Interrupts:
    """Inside this context the first Ctrl-C or termination raises KeyboardInterrupt; later ones are ignored.

    So a second Ctrl-C cannot lose what is being saved after the first. When the context ends, signals do what
    they did before. It works also where a shell has started the command in the background, which ignores
    Ctrl-C otherwise.
    """

    def __enter__(self) -> Self:
        self._before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number in _SIGNALS:
            signal.signal(number, self._interrupt)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            # None: somebody has set it from outside Python, and only the system's default can be had back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def ignore(self) -> None:
        """Let no signal interrupt what comes now, until the context ends."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.ignore()
        raise KeyboardInterrupt
