"""How figures reach the browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from plotly.basedatatypes import BaseFigure, BasePlotlyType
from streamlit.testing.v1 import AppTest

from core.figures import theme
from tests.pages.conftest import PATIENCE


def _script() -> None:
    from core.figures.heatmap import heatmap
    from pages.components.app.session import begin_navigation
    from pages.components.widgets.drawing.figure import show_figure, show_figures

    begin_navigation()  # or streamlit_app.py would run in place of this script
    small = heatmap([[0.5]], ["a"], ["b"])
    names = [f"word{number}" for number in range(30)]
    wide = heatmap([[0.5] * 30], ["a"], names)
    show_figure(small, "one", "small")
    show_figure(wide, "two", "wide")
    show_figures([small] * 3, "three", "many", across=2)


@pytest.fixture(scope="module")
def app() -> AppTest:
    return AppTest.from_function(_script, default_timeout=PATIENCE).run()


def charts(app: AppTest) -> list[Any]:
    return [element.proto for element in app.get("plotly_chart")]


def styles(app: AppTest) -> list[str]:
    return [element.proto.body for element in app.get("html")]


def test_no_figure_becomes_objects_of_plotly(monkeypatch: pytest.MonkeyPatch) -> None:
    """They check each property again at every run; tests/figures has checked each figure already."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("an object of Plotly's was made")

    monkeypatch.setattr(BaseFigure, "__init__", refuse)
    monkeypatch.setattr(BasePlotlyType, "__init__", refuse)
    app = AppTest.from_function(_script, default_timeout=PATIENCE).run()
    assert not app.exception
    assert len(charts(app)) == 5


def test_what_travels_is_the_dictionary_with_its_template(app: AppTest) -> None:
    spec = json.loads(charts(app)[0].spec)
    assert spec["data"][0]["z"] == [[0.5]]
    assert spec["layout"]["template"]["layout"]["font"]["color"] == "#1f1e1c"
    assert charts(app)[0].theme == ""  # or the browser would replace the template by Streamlit's


def test_a_projector_has_larger_letters() -> None:
    app = AppTest.from_function(_script, default_timeout=PATIENCE)
    app.session_state["present"] = True
    template = json.loads(charts(app.run())[0].spec)["layout"]["template"]["layout"]
    assert template["font"]["size"] == pytest.approx(1.2 * theme.FONT_SIZE)


def test_a_figure_that_fits_a_phone_stands_alone_and_a_wide_one_may_scroll(app: AppTest) -> None:
    wide, many = styles(app)
    assert ".st-key-wide" in wide
    assert "overflow: auto hidden" in wide
    assert ".st-key-wide::-webkit-scrollbar" in wide
    assert "max(549px, (100% - 0px) / 1)" in wide  # a letter, thirty columns of 16, the bar
    assert ".st-key-many" in many


def test_panels_wrap_and_are_told_apart(app: AppTest) -> None:
    assert "(100% - 16px) / 2)" in styles(app)[1]
    assert [chart.alt for chart in charts(app)][2:] == [f"three: {number} of 3" for number in (1, 2, 3)]
