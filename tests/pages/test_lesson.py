from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil

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


def test_it_is_read_without_a_parser_that_fails_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to Python 3.11.7 and 3.12.1 `ast.parse` may raise SystemError where two threads parse at once."""
    monkeypatch.setattr(ast, "parse", None)
    assert "np.sin(angles)" in _short_source.__wrapped__(sinusoidal_encoding)[0]


def test_lessons_show_functions_alone() -> None:
    rooms = [
        importlib.import_module(room.name)
        for room in pkgutil.walk_packages(components.__path__, "pages.components.")
    ]
    values = [value for room in rooms for value in vars(room).values()]
    shown = [function for value in values if isinstance(value, View) for function in value.code]
    assert len(shown) > 20
    assert [each for each in shown if not inspect.isfunction(each)] == []
