"""The frame of all views: the question before the figure, and the code that ran."""

import ast
import inspect
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from core.model.forward import sinusoidal_encoding
from pages.components.explaining.view import _short_source
from pages.content.pages import LEARNING_RATE, SECTIONS, TRANSLATE
from pages.content.reader import PAGE_TEXTS
from tests.pages.conftest import OpenPage, open_page
from tests.pages.test_predictions import drawings


@pytest.mark.parametrize("on_phone", [False, True])
def test_a_phone_has_the_figure_above_its_controls(on_phone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the effect of a control is in sight."""
    monkeypatch.setattr("pages.components.explaining.view.is_phone", lambda: on_phone)
    drawn = [each.type for each in open_page(LEARNING_RATE.file).main]
    assert (drawn.index("plotly_chart") < drawn.index("number_input")) == on_phone


@pytest.mark.long
def test_each_view_asks_before_its_figure(open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = "pages.components.explaining.view."
    asked: list[str] = []
    monkeypatch.setattr(f"{frame}prediction_of_step", lambda visit, view: view)
    monkeypatch.setattr(f"{frame}is_predicted", lambda visit, question: asked.append(question))
    for page in (*SECTIONS["Understand"], TRANSLATE, *SECTIONS["Look inside"]):
        texts = PAGE_TEXTS[page.address]
        for view in texts.views:
            chosen = {texts.parameter: view} if texts.parameter else {}
            asked.clear()
            app = open_trained(page.file, **chosen)
            assert len(asked) == 1 and not drawings(app), (page, view)


@pytest.mark.long
def test_the_docstring_is_cut_and_the_code_stays(
    open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Callable[..., Any]] = []
    monkeypatch.setattr("pages.components.explaining.view._show_source", shown.append)
    for page in (*SECTIONS["Understand"], *SECTIONS["Look inside"]):
        texts = PAGE_TEXTS[page.address]
        for view in texts.views:
            open_trained(page.file, **{texts.parameter: view} if texts.parameter else {})
    assert len(set(shown)) > 30
    for function in set(shown):
        assert inspect.isfunction(function)  # `inspect` finds the source of a class by `ast.parse`
        short = _short_source.__wrapped__(function)[0]
        whole, cut = (ast.parse(source).body[0] for source in (dedent(inspect.getsource(function)), short))
        assert isinstance(whole, ast.FunctionDef) and isinstance(cut, ast.FunctionDef)
        assert (ast.get_docstring(cut) or "") == (ast.get_docstring(whole) or "").split("\n")[0]
        assert list(map(ast.dump, cut.body[1:])) == list(map(ast.dump, whole.body[1:]))


def test_it_is_read_without_a_parser_that_fails_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to Python 3.11.7 and 3.12.1 `ast.parse` may raise SystemError where two threads parse at once."""
    monkeypatch.setattr(ast, "parse", None)
    assert "np.sin(angles)" in _short_source.__wrapped__(sinusoidal_encoding)[0]
