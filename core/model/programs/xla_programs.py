"""How many programs XLA may compile in this process.

TensorFlow never frees one, and a search's takes 15 to 85 MB: a server whose visitors try ever new settings would
grow without end. Functions without one run as plain graphs, a few times slower. Where models come with a server,
nearly all programs are for them, and it makes none while the plain graph answers: a class of thirty got its
trainings in half the time, and the server held 0.8 GB less, without (tests/benchmarks/load.py).
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.config import ModelConfig
from core.model.programs.kept_graphs import everybodys_configs

MAX_XLA_PROGRAMS = 24
MAX_VISITORS_PROGRAMS = 3  # of them, for other models than the server's own

_lock = threading.Lock()
_programs = _visitors_programs = 0
_has_room: Callable[[], bool] | None = None


def may_compile(config: ModelConfig | None, ahead: bool = False) -> bool:
    """Whether there is room for one more program; the caller compiles it.

    Args:
        config: the model it is for; None for what is no model's own.
        ahead: while the plain graph answers; else somebody with much work waits for the program.
    """
    global _programs, _visitors_programs
    servers = everybodys_configs()
    is_visitors = bool(servers) and config not in servers
    with _lock:
        if _programs >= MAX_XLA_PROGRAMS or (is_visitors and _visitors_programs >= MAX_VISITORS_PROGRAMS):
            return False
        if _has_room is not None and (ahead or not _has_room()):
            return False
        _programs += 1
        _visitors_programs += is_visitors
        return True


def compile_while(has_room: Callable[[], bool] | None) -> None:
    """From now on follow a server's rules: nothing ahead, and its memory decides as well. None ends that."""
    global _has_room
    _has_room = has_room


def forget_programs() -> None:
    """Count from nothing, with room for all: for tests."""
    global _programs, _visitors_programs
    _programs = _visitors_programs = 0
    compile_while(None)
