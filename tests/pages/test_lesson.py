from __future__ import annotations

import gc
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.theory.positional_encoding import sinusoidal_encoding
from pages import components
from pages.components.lesson.explanation import _short_source, with_short_docstring
from pages.components.lesson.view import View


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
    """A cycle that runs Python code when it is collected, so that threads may be switched within `ast.parse`."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(300):
            pass


def test_many_visitors_at_once(often_switched: None) -> None:
    """Up to Python 3.11.7 and 3.12.1 `ast.parse` would raise SystemError."""
    expected = _short_source(sinusoidal_encoding)

    def visit(_: int) -> tuple[str, int]:
        for _ in range(5):
            Garbage()
        return _short_source.__wrapped__(sinusoidal_encoding)

    with ThreadPoolExecutor(4) as visitors:
        assert set(visitors.map(visit, range(200))) == {expected}


def test_lessons_show_functions_alone() -> None:
    rooms = [
        importlib.import_module(room.name)
        for room in pkgutil.walk_packages(components.__path__, "pages.components.")
    ]
    values = [value for room in rooms for value in vars(room).values()]
    shown = [function for value in values if isinstance(value, View) for function in value.code]
    assert len(shown) > 20
    assert [each for each in shown if not inspect.isfunction(each)] == []
