from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import PATIENCE


def _script() -> None:
    import streamlit as st

    from pages.components.state import choose_several

    st.text(choose_several("Letters", "abcd", "letters", ["a"], 2))


def test_no_more_are_chosen_than_may_be() -> None:
    app = AppTest.from_function(_script, default_timeout=PATIENCE)
    app.query_params["letters"] = ["b", "c", "d"]  # by a link
    assert app.run().text[0].value == "['b', 'c']"
    app.query_params.clear()  # AppTest (1.67) keeps the address, and it would win
    app.session_state["letters"] = ["a", "b", "d"]  # by a click
    assert app.run().text[0].value == "['a', 'b']"
    assert app.session_state["letters"] == ["a", "b"]


def _text_script() -> None:
    import streamlit as st

    from pages.components.state import text_area, text_input

    st.text(text_input("Line", "", "line") + text_area("Lines", "", "lines", height=100))


@pytest.mark.parametrize("key", ["line", "lines"])
def test_a_text_too_long_for_a_link_is_used_and_left_out_of_the_address_and_that_is_said(key: str) -> None:
    app = AppTest.from_function(_text_script, default_timeout=PATIENCE).run()
    for length in (2_000, 2_001, 2_000):
        (app.text_input if key == "line" else app.text_area)(key=key).set_value("x" * length).run()
        assert app.text[0].value == "x" * length
        widget = (app.text_input if key == "line" else app.text_area)(key=key)
        is_said = any("too long for a link" in each.value for each in app.caption)
        # The browser writes the value into the address under this name.
        assert (widget.proto.query_param_key, is_said) == ((key, False) if length <= 2_000 else ("", True))


def _linked_script() -> None:
    import streamlit as st

    from pages.components.state import Linked

    number = Linked("number", 1, "number", str, int)
    st.text(number.get(about=st.session_state.get("sentence")))
    st.button("Seven", on_click=number.set, args=(7,))


def test_a_value_without_a_widget_is_in_the_address_unless_it_is_the_default() -> None:
    app = AppTest.from_function(_linked_script, default_timeout=PATIENCE)
    assert app.run().text[0].value == "1" and "number" not in app.query_params
    app.button[0].click()
    assert app.run().text[0].value == "7" and app.query_params["number"] == "7"
    app.session_state["sentence"] = "another"  # which the 7 does not belong to
    assert app.run().text[0].value == "1" and "number" not in app.query_params
