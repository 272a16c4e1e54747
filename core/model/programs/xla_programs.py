"""How many programs XLA may compile in this process.

TensorFlow never frees one, and a search's takes 15 to 60 MB: a server whose visitors try ever new settings would
grow without end. Functions without one run as plain graphs, a few times slower. Where models come with a server,
nearly all programs are for them.
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
_has_room: Callable[[bool], bool] | None = None


def may_compile(config: ModelConfig | None, somebody_waits: bool = True) -> bool:
    """Whether there is room for one more program; the caller compiles it.

    Args:
        config: the model it is for; None for what is no model's own.
        somebody_waits: for it; else it is made for those who may come.
    """
    global _programs, _visitors_programs
    servers = everybodys_configs()
    is_visitors = bool(servers) and config not in servers
    with _lock:
        if _programs >= MAX_XLA_PROGRAMS or (is_visitors and _visitors_programs >= MAX_VISITORS_PROGRAMS):
            return False
        if _has_room is not None and not _has_room(somebody_waits):
            return False
        _programs += 1
        _visitors_programs += is_visitors
        return True


def compile_while(has_room: Callable[[bool], bool] | None) -> None:
    """From now on let a server's memory decide as well, told whether somebody waits; None ends that."""
    global _has_room
    _has_room = has_room


def forget_programs() -> None:
    """Count from nothing, with room for all: for tests."""
    global _programs, _visitors_programs
    _programs = _visitors_programs = 0
    compile_while(None)
