"""What every explaining page has below its figure, in one order."""

from __future__ import annotations

import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import streamlit as st

from pages.components.app.content import ViewTexts
from pages.components.lesson.exercise import offer_exercise
from pages.components.widgets.page.presenting import is_presenting

# A formula wider than a phone gets smaller, and what is still too wide can be pushed sideways.
_NARROW_FORMULAS = """<style>
.katex-display { overflow-x: auto; overflow-y: hidden; padding: 0.2rem 0; }
@media (max-width: 700px) { .katex-display { font-size: 0.85em; } }
</style>"""


def show_lesson(texts: ViewTexts, code: Sequence[Callable[..., Any]]) -> None:
    """Show what to notice, the formulas, an exercise and the code that ran.

    Args:
        texts: of the view.
        code: the functions that ran; no class, whose source `inspect` finds by `ast.parse`.
    """
    st.subheader("What to notice")
    st.markdown(texts.notice)
    st.html(_NARROW_FORMULAS)
    st.subheader("The formula")
    for place, each in zip(st.columns(len(texts.formulas), gap="large"), texts.formulas, strict=True):
        place.latex(each.latex)
        place.caption(each.source)
    offer_exercise(texts.exercise)
    if is_presenting():
        return  # nobody reads code from the back row
    st.subheader("The code")
    for function in code:
        _show_source(function)


def _show_source(function: Callable[..., Any]) -> None:
    """The function's own lines, as they ran, and where they stand."""
    source, first = _short_source(function)
    st.code(source, language="python", wrap_lines=True)
    st.caption(f"{function.__module__.replace('.', '/')}.py, line {first}")


@cache
def _short_source(function: Callable[..., Any]) -> tuple[str, int]:
    """What of it is shown, and its first line's number in its file."""
    lines, first = inspect.getsourcelines(function)
    source = textwrap.dedent("".join(lines))  # a method stands further in
    return with_short_docstring(source), first


def with_short_docstring(source: str) -> str:
    """A function's source with the first line of its docstring alone.

    The rest (arguments, shapes, errors) would push the code itself out of sight. It does not use `ast.parse`: up to
    Python 3.11.7 and 3.12.1 that may raise SystemError when two threads parse at once (another visitor, or TensorFlow
    being imported): CPython's issue 106905.

    Args:
        source: of one function or class, from the beginning of a line.
    """
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.COMMENT, tokenize.NL)
    ]
    body = next((at for at, token in enumerate(tokens, start=1) if token.type == tokenize.INDENT), None)
    if body is None:
        return source
    docstring, after = tokens[body : body + 2]
    if docstring.type != tokenize.STRING or after.type != tokenize.NEWLINE:
        return source
    (first, _), (last, _) = docstring.start, docstring.end
    if first == last:
        return source
    lines = io.StringIO(source).readlines()
    return "".join((*lines[: first - 1], f'{lines[first - 1].rstrip()}"""\n', *lines[last:]))
