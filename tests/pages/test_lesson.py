from __future__ import annotations

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
    import inspect

    short = with_short_docstring(inspect.getsource(sinusoidal_encoding))
    assert "np.sin(angles)" in short
    assert "Args:" not in short
