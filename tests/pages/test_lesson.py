from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.theory.positional_encoding import sinusoidal_encoding
from pages.components.lesson.explanation import with_short_docstring


def test_the_docstring_is_cut_and_the_code_stays() -> None:
    source = 'def f(x: int) -> int:\n    """Add one.\n\n    Args:\n        x: a number.\n    """\n    return x + 1\n'
    assert with_short_docstring(source) == 'def f(x: int) -> int:\n    """Add one."""\n    return x + 1\n'


def test_short_docstrings_and_none_stay() -> None:
    for source in ('def f():\n    """Add."""\n    return 1\n', "def f():\n    return 1\n", "x = 1\n"):
        assert with_short_docstring(source) == source


def test_a_decorated_definition() -> None:
    source = '@cache\ndef f():\n    """Add.\n\n    More.\n    """\n    return 1\n'
    assert with_short_docstring(source) == '@cache\ndef f():\n    """Add."""\n    return 1\n'


def test_of_the_encoding_the_arithmetic_is_left() -> None:
    short = with_short_docstring(inspect.getsource(sinusoidal_encoding))
    assert "np.sin(angles)" in short
    assert "Args:" not in short


@pytest.fixture
def often_switched() -> Iterator[None]:
    """Threads take turns, and garbage is collected, much more often than they usually do."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-5)
    gc.set_threshold(50)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)


class Garbage:
    """Python code runs when it is collected, and another thread may go on meanwhile."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(300):
            pass


def test_many_visitors_at_once(often_switched: None) -> None:
    source = inspect.getsource(sinusoidal_encoding)

    def visit(_: int) -> str:
        for _ in range(5):
            Garbage()
        return with_short_docstring(source)

    with ThreadPoolExecutor(4) as visitors:
        assert set(visitors.map(visit, range(200))) == {with_short_docstring(source)}
