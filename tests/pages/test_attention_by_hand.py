import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.components.widgets.numbers import read_numbers, write_numbers
from pages.content.pages import ATTENTION_BY_HAND
from tests.pages.conftest import change, linked, open_page, press

PAGE = ATTENTION_BY_HAND.file


def calculation(app: AppTest) -> str:
    return str(app.latex[0].value).strip("$\n")


def tables(app: AppTest) -> str:
    """Return the tables without their styles."""
    drawn = next(each.proto.body for each in app.get("html") if "<table" in each.proto.body)
    return str(drawn.partition("</style>")[2])


def test_the_page_opens_computed_and_an_edit_lights_up_what_it_changes() -> None:
    app = open_page(PAGE)
    assert "hidden" not in tables(app)
    assert 'changed"' not in tables(app)
    change(app, by_hand_x=((1.0,), (2.0,), (5.0,), (-1.0,)))
    assert ">50</td>" in tables(app) and 'changed"' in tables(app)
    assert 'changed"' not in tables(change(app))


def test_a_mode_computes_cell_by_cell_and_ends() -> None:
    app = press(open_page(PAGE), "step_begin_Right")
    assert tables(app).count('"hidden"') == 38
    assert app.query_params["step_by_step"] == "on"
    press(press(app, "step_Right"), "show_all")
    assert "hidden" not in tables(app)
    assert not {"step", "step_by_step"} & {*app.query_params}


def test_fewer_words_take_the_step_to_the_end() -> None:
    app = change(press(open_page(PAGE), "step_begin_Right"), words_by_hand=4)
    change(app, step=60)
    assert change(app, words_by_hand=2).slider(key="step").value == 20


def test_a_link_brings_the_numbers_and_reset_takes_them_away() -> None:
    app = linked(PAGE, by_hand_x="0;1;2;7", by_hand_w="1;2;10", step_by_step="on", step="15")
    assert calculation(app) == r"q_{\text{cat}} \cdot k_{\text{sat}} = 1 \cdot 4 = 4"
    assert app.query_params["by_hand_x"] == "0;1;2;7"
    change(app, step=39)
    assert calculation(app).endswith(r"\approx 19.81 \end{aligned}")
    press(app, "reset_numbers")
    assert calculation(app).endswith(r"\approx 27.46 \end{aligned}")
    assert "by_hand_x" not in app.query_params


def test_vectors() -> None:
    app = open_page(PAGE, by_hand_view="vectors", step_by_step=True)
    assert calculation(app) == r"q_{\text{the},1} = 1 \cdot 1 + 0 \cdot 0 = 1"
    change(app, vectors=((5.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 2.0)), wq=((2.0, 0.0), (0.0, 1.0)))
    assert calculation(app) == r"q_{\text{the},1} = 5 \cdot 2 + 0 \cdot 0 = 10"


def test_numbers_in_an_address_come_back() -> None:
    values = ((0.1, -2.0), (1e9, 1 / 3))
    text = write_numbers(values)
    assert text == "0.1,-2;1000000000,0.3333333333"
    assert np.array(read_numbers(text, values)) == pytest.approx(np.array(values), rel=1e-9)
    for wrong in ("", "1", "1,2;3", "1,2;3,4;5,6", "inf,1;1,1", "1e10,1;1,1", "x,1;1,1"):
        with pytest.raises(ValueError, match=r"\.$"):
            read_numbers(wrong, values)
