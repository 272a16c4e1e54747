from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.components.app.menu import ATTENTION_BY_HAND
from pages.components.lesson.number_editor import numbers_from, numbers_text
from tests.pages.conftest import OpenPage, press, texts
from tests.pages.explaining import open_address

PAGE = ATTENTION_BY_HAND.file


def calculation(app: AppTest) -> str:
    return str(app.latex[0].value).strip("$\n")


def look_at(app: AppTest, view: str) -> AppTest:
    app.segmented_control(key="by_hand").set_value(view).run()
    assert not app.exception
    return app


def test_first_view_is_the_scalar_example(open_page: OpenPage) -> None:
    """By hand: x = 1, 2, 3; q = x / 2, k = x, v = 10 x. The last row's scores are 1.5, 3, 4.5.

    With a = e^1.5 = 4.481689 its shares are 1, a, a^2 over 1 + a + a^2 = 25.567226: 0.039, 0.175, 0.786,
    and its output is 10 (1 + 2 a + 3 a^2) / 25.567226 = 27.465.
    """
    app = open_page(PAGE)
    assert app.slider(key="step").value == 39
    assert calculation(app) == (
        r"\begin{aligned} \mathrm{out}_{3} &\approx 0.039 \cdot 10 + 0.175 \cdot 20 \\ "
        r"&\quad + 0.786 \cdot 30 \approx 27.46 \end{aligned}"
    )
    assert "Output for word 3" in texts(app)


def test_stepping(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    press(app, "Previous step")
    assert app.slider(key="step").value == 38
    app.slider(key="step").set_value(1).run()
    assert calculation(app) == r"q_{1} = 1 \cdot 0.5 = 0.5"
    press(app, "Next step")
    assert calculation(app) == r"q_{2} = 2 \cdot 0.5 = 1"
    app.segmented_control(key="count").set_value(2).run()
    app.slider(key="step").set_value(20).run()
    assert "Output for word 2" in texts(app)
    app.segmented_control(key="count").set_value(4).run()
    assert not app.exception


def test_fewer_words_take_the_step_to_the_end(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="count").set_value(4).run()
    app.slider(key="step").set_value(60).run()
    app.segmented_control(key="count").set_value(2).run()
    assert not app.exception
    assert app.slider(key="step").value == 20


def test_the_address_opens_the_same_numbers(open_page: OpenPage) -> None:
    address = {"x": "0;1;2;7", "w": "1;2;10", "step": "15"}
    app = open_address(open_page, PAGE, address)
    assert calculation(app) == r"q_{2} \cdot k_{3} = 1 \cdot 4 = 4"
    app.slider(key="step").set_value(39).run()
    assert calculation(app).endswith(r"\approx 19.81 \end{aligned}")
    assert app.query_params["x"] in ("0;1;2;7", ["0;1;2;7"])
    press(app, "Reset the numbers")
    assert calculation(app).endswith(r"\approx 27.46 \end{aligned}")


@pytest.mark.parametrize(
    "address",
    [
        {"x": "nan;1;2;3"},
        {"x": "a;b"},
        {"x": "1e400;1;1;1"},
        {"x": "1;2;3"},
        {"w": "1,2;3,4;5,6"},
        {"x": ";" * 9999, "step": "99999", "count": "9"},
    ],
)
def test_nonsense_in_the_address_is_ignored(open_page: OpenPage, address: dict[str, str]) -> None:
    assert calculation(open_address(open_page, PAGE, address)).endswith(r"\approx 27.46 \end{aligned}")


def test_huge_numbers(open_page: OpenPage) -> None:
    app = open_address(open_page, PAGE, {"x": "1e9;-1e9;1e9;0", "w": "1e9;1e9;1e9"})
    assert "nan" not in calculation(app)
    assert r"10^{18}" in calculation(app)


def test_vectors(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "vectors")
    assert app.slider(key="vector_step").value == 51
    app.slider(key="vector_step").set_value(1).run()
    assert calculation(app) == r"q_{1,1} = 1 \cdot 1 + 0 \cdot 0 = 1"
    changed = {"by_hand": "vectors", "vectors": "5,0;0,1;1,1;2,2", "wq": "2,0;0,1", "vector_step": "1"}
    assert calculation(open_address(open_page, PAGE, changed)) == r"q_{1,1} = 5 \cdot 2 + 0 \cdot 0 = 10"


def test_heads(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "heads")
    for stage, said in (
        ("split", "Each of 4 heads takes its 1 number"),
        ("attend", "on its own"),
        ("join", "W_O"),
    ):
        app.segmented_control(key="heads").set_value(4).run()
        app.segmented_control(key="stage").set_value(stage).run()
        assert not app.exception
        assert said in texts(app)
    app.segmented_control(key="heads").set_value(1).run()
    assert not app.exception


def test_the_width_of_the_keys(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "scale")
    assert "entropy of the softmax is **0.42 bits** without scaling, **2.49 bits** with it" in texts(app)
    app.select_slider(key="d_k").set_value(1).run()
    assert "entropy of the softmax is **2.61 bits** without scaling, **2.61 bits** with it" in texts(app)


def test_the_fuzzy_dictionary(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "dictionary")
    assert "**3.77 legs**" in texts(app)
    app.slider(key="query").set_value(45).run()
    assert "**2.82 legs**" in texts(app)  # what the exercise's answer says
    app.slider(key="strength").set_value(40).run()
    assert not app.exception


def test_numbers_in_an_address_come_back() -> None:
    values = ((0.1, -2.0), (1e9, 1 / 3))
    text = numbers_text(values)
    assert text == "0.1,-2;1000000000,0.3333333333"
    assert np.array(numbers_from(text, values)) == pytest.approx(np.array(values), rel=1e-9)
    for wrong in ("", "1", "1,2;3", "1,2;3,4;5,6", "inf,1;1,1", "1e10,1;1,1", "x,1;1,1"):
        with pytest.raises(ValueError):
            numbers_from(wrong, values)
