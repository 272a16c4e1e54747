"""How many programs XLA may compile in this process.

TensorFlow never frees one, and a search's takes about 15 MB: a server whose visitors try ever new settings
would grow without end. Beyond this many, functions run as plain graphs, a few times slower.
"""

from __future__ import annotations

import itertools

MAX_XLA_PROGRAMS = 24

_programs = itertools.count()


def may_compile() -> bool:
    """Whether there is room for one more program; the caller compiles it."""
    return next(_programs) < MAX_XLA_PROGRAMS
