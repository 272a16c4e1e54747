from __future__ import annotations

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
