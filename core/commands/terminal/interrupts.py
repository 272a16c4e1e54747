"""Handling of Ctrl-C and termination."""

import signal
from types import FrameType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl-C, and the system's request to terminate


class Interrupts:
    """A context in which the first Ctrl-C or termination raises KeyboardInterrupt, and later ones are ignored.

    So a second Ctrl-C cannot interrupt saving after the first. The context restores the signals' handlers at its end. It
    also works in commands that a shell has started in the background, which otherwise ignore Ctrl-C.
    """

    def __enter__(self) -> Self:
        self._before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number in _SIGNALS:
            signal.signal(number, self._interrupt)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            # None: the handler was not set from Python, so only the system's default can be restored.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def ignore(self) -> None:
        """Ignore signals until the context ends."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.ignore()
        raise KeyboardInterrupt
