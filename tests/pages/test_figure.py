"""How figures reach the browser."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from core.figures import theme
from tests.conftest import numbers
from tests.pages.conftest import PATIENCE


def _script() -> None:
    from core.figures.plotly.heatmap import heatmap
    from pages.components.explaining.figure import show_figure, show_figures

    small = heatmap([[0.5]], ["a"], ["b"])
    show_figure(small, "one", "small")
    show_figures([small] * 3, "three", "many", across=2)


def charts(present: bool = False) -> list[Any]:
    app = AppTest.from_function(_script, default_timeout=PATIENCE)
    app.session_state["present"] = present
    app.run()
    assert not app.exception
    return [element.proto for element in app.get("plotly_chart")]


def test_figures_have_words_for_those_who_do_not_see_them() -> None:
    first, *panels = charts()
    assert first.alt == "one"
    assert [numbers(chart.alt) for chart in panels] == [["1", "3"], ["2", "3"], ["3", "3"]]


def test_a_projector_has_larger_letters() -> None:
    fonts = [
        json.loads(charts(present)[0].spec)["layout"]["template"]["layout"]["font"]
        for present in (False, True)
    ]
    assert fonts[0]["color"] == fonts[1]["color"] == "#1f1e1c"
    assert fonts[0]["size"] == theme.FONT_SIZE and fonts[1]["size"] > 20
