"""Widgets with a memory: who wins among address, screen, earlier visits and default."""

from __future__ import annotations

import pytest
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

from pages.components.widgets.address import LOADED
from pages.components.widgets.memory import MAX_TEXT
from tests.pages.conftest import workspace_of


def page() -> None:
    import streamlit as st

    st.session_state["navigated"] = True
    from pages.components.widgets import remembered
    from pages.components.widgets.address import begin_page
    from pages.components.widgets.memory import Memory, set_value
    from pages.components.widgets.numbers import number_input, slider
    from pages.components.widgets.texts import text_area, text_input

    name = st.session_state.get("visited", "first")
    begin_page(name)
    if name == "other":
        st.stop()
    highest = st.session_state.get("highest", 9)
    number = slider("Number", 1, highest, st.session_state.get("usual", 3), key="number")
    kind = remembered.choose("Kind", {"a": "The first", "b": "The second"}, key="kind")
    on = remembered.toggle("On", False, key="on")
    rate = number_input("Rate", 0.0, 1.0, 0.5, key="rate")
    words = text_input("Words", "hello", key="words", max_chars=10)
    some = remembered.choose_several(
        "Some", st.session_state.get("there", {1: "One", 2: "Two"}), "some", [1], 2
    )
    text_area("Long", "", key="long", height=100)
    loaded = Memory("loaded", 1.5, float).load()
    st.button("To seven", on_click=set_value, args=("number", 7))
    st.button("Load", on_click=set_value, args=("loaded", 2.5))
    st.session_state["further"] = (some, loaded)
    st.session_state["shown"] = (number, kind, on, rate, words)


def opened(**address: str) -> AppTest:
    app = AppTest.from_function(page, default_timeout=30)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def visit(app: AppTest, name: str) -> AppTest:
    """Another page; Streamlit empties the address on the way."""
    app.session_state["visited"] = name
    app.query_params.clear()
    return app.run()


def address(app: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def shown(app: AppTest) -> tuple[object, ...]:
    assert not app.exception
    values: tuple[object, ...] = app.session_state["shown"]
    return values


def test_defaults_leave_the_address_empty() -> None:
    app = opened()
    assert shown(app) == (3, "a", False, 0.5, "hello")
    assert address(app) == {}


def test_a_text_that_is_too_long_is_cut_and_said_so() -> None:
    app = opened()
    app.text_input(key="words").set_value("0123456789 and more").run()
    assert shown(app)[-1] == app.text_input(key="words").value == "0123456789"
    assert app.caption[0].value == "Only the first 10 characters are used."
    app.slider(key="number").set_value(5).run()
    assert app.caption, "until the text changes"
    app.text_input(key="words").set_value("short").run()
    assert shown(app)[-1] == "short" and not app.caption
    assert opened(words="0123456789 and more").caption, "a link's too"


def test_a_choice_stands_in_the_address_by_its_key() -> None:
    app = opened()
    app.slider(key="number").set_value(5).run()
    app.segmented_control(key="kind").set_value("b").run()
    app.toggle(key="on").set_value(True).run()
    app.number_input(key="rate").set_value(0.25).run()
    app.text_input(key="words").set_value("bye").run()
    assert shown(app) == (5, "b", True, 0.25, "bye")
    assert address(app) == {"number": "5", "kind": "b", "on": "1", "rate": "0.25", "words": "bye"}
    assert shown(opened(**address(app))) == shown(app)


def test_an_address_that_makes_no_sense_changes_nothing() -> None:
    odd = {"number": "1e309", "kind": "zebra", "on": "maybe", "rate": "nan", "words": "x" * 5000}
    assert shown(opened(**odd)) == (3, "a", False, 0.5, "x" * 10)
    assert shown(opened(number="-5", rate="1e309"))[0] == 1
    assert shown(opened(number="9" * 5000))[0] == 9


def test_back_to_the_default_empties_the_address() -> None:
    app = opened(number="5")
    app.slider(key="number").set_value(3).run()
    assert shown(app)[0] == 3
    assert address(app) == {}


def test_other_pages_and_back_keep_what_was_chosen() -> None:
    app = opened()
    app.slider(key="number").set_value(5).run()
    visit(app, "other")
    visit(app, "first")
    assert shown(app)[0] == 5
    assert address(app) == {"number": "5"}


def test_a_link_wins_over_an_earlier_choice() -> None:
    app = opened()
    app.slider(key="number").set_value(5).run()
    visit(app, "other")
    app.query_params["number"] = "6"
    app.session_state["visited"] = "first"
    app.run()
    assert shown(app)[0] == 6


def test_a_stale_address_does_not_undo_a_choice() -> None:
    """A click can come before the browser has the address that the run before has set."""
    app = opened(number="4")
    app.slider(key="number").set_value(5).run()
    app.query_params["number"] = "4"
    app.slider(key="number").set_value(6).run()
    assert shown(app)[0] == 6
    assert address(app)["number"] == "6"


def test_back_in_the_browser_restores_what_the_address_says() -> None:
    app = opened(number="4")
    app.slider(key="number").set_value(5).run()
    app.query_params["number"] = "2"
    app.run()
    assert shown(app)[0] == 2
    app.query_params.clear()
    app.run()
    assert shown(app)[0] == 3


def test_the_app_can_set_a_value() -> None:
    app = opened()
    app.button[0].click().run()
    assert shown(app)[0] == 7
    assert address(app)["number"] == "7"


def test_several_options_stand_in_the_address_by_their_keys() -> None:
    app = opened()
    assert app.session_state["further"][0] == [1]
    app.multiselect(key="some").set_value([2, 1]).run()
    assert address(app) == {"some": "2,1"}
    assert opened(some="2,1").session_state["further"][0] == [2, 1]
    assert opened(some="2,3").session_state["further"][0] == [1]  # there is no 3
    app.session_state["there"] = {1: "One", 3: "Three"}
    app.run()
    assert app.session_state["further"][0] == [1]
    app.multiselect(key="some").set_value([]).run()
    assert opened(**address(app)).session_state["further"][0] == []


def test_what_no_widget_shows_is_remembered_too() -> None:
    app = opened()
    app.button[1].click().run()
    assert app.session_state["further"][1] == 2.5
    assert address(app) == {"loaded": "2.5"}
    visit(app, "other")
    visit(app, "first")
    assert app.session_state["further"][1] == 2.5
    assert opened(loaded="2.5").session_state["further"][1] == 2.5


def test_a_range_that_shrinks_takes_the_value_along() -> None:
    app = opened()
    app.slider(key="number").set_value(8).run()
    app.session_state["highest"] = 6
    app.run()
    assert shown(app)[0] == 6
    app.session_state["highest"] = 1
    app.run()
    assert shown(app)[0] == 1


def test_what_nobody_chose_follows_its_default() -> None:
    app = opened()
    app.session_state["usual"] = 6
    app.run()
    assert shown(app)[0] == 6
    app.slider(key="number").set_value(2).run()
    app.session_state["usual"] = 4
    app.run()
    assert shown(app)[0] == 2


def loaded(app: AppTest, **address: str) -> AppTest:
    """The same tab after the browser has loaded an address in it."""
    again = AppTest.from_function(page, default_timeout=30)
    again.session_state["workspace"] = workspace_of(app)
    for name, value in address.items():
        again.query_params[name] = value
    return again.run()


def test_a_reloaded_tab_has_its_choices_again() -> None:
    app = opened()
    app.slider(key="number").set_value(5).run()
    assert shown(loaded(app))[0] == 5
    assert shown(loaded(app, **address(app)))[0] == 5


def test_a_link_opened_in_the_same_tab_shows_what_it_shows_elsewhere() -> None:
    app = opened()
    app.slider(key="number").set_value(5).run()
    app.toggle(key="on").set_value(True).run()
    link = {"kind": "b"}
    app = loaded(app, **link)
    assert shown(app) == shown(opened(**link)) == (3, "b", False, 0.5, "hello")
    app.slider(key="number").set_value(6).run()
    visit(app, "other")
    visit(app, "first")
    assert shown(app)[0] == 6  # chosen since


def test_what_no_address_holds_survives_a_reload() -> None:
    app = opened()
    app.text_area(key="long").set_value("x" * (MAX_TEXT + 1)).run()
    app.slider(key="number").set_value(5).run()
    assert address(app) == {"number": "5"}
    assert len(loaded(app, **address(app)).text_area(key="long").value or "") == MAX_TEXT + 1


def test_what_the_first_run_of_a_reloaded_tab_drops_is_read_again() -> None:
    """It runs with another workspace, which may not have what the address names."""
    first = opened(number="5")
    again = AppTest.from_function(page, default_timeout=30)
    again.session_state["workspace"] = workspace_of(opened())
    again.session_state[LOADED] = first.session_state[LOADED]
    assert shown(again.run())[0] == 5
    assert address(again) == {"number": "5"}


def test_a_value_changed_there_and_back_at_once_takes_the_address_along(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second run may begin before the browser has the address of the first, and would keep it for good."""
    app = opened()
    app.slider(key="number").set_value(5).run()
    app.query_params.clear()  # what the browser says that has not heard yet
    sent: list[bool] = []
    monkeypatch.setattr(QueryParams, "_send_query_param_msg", lambda self: sent.append("number" in self))
    app.slider(key="number").set_value(3).run()
    assert sent == [False]
    app.run()
    assert sent == [False]


def test_another_page_says_its_address_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page before wrote at last may reach the browser when somebody has already gone Back from it."""
    app = opened(number="4")
    sent: list[bool] = []
    monkeypatch.setattr(QueryParams, "_send_query_param_msg", lambda self: sent.append("number" in self))
    visit(app, "other")
    assert sent == [False]
    app.run()
    assert sent == [False]


def test_what_a_widget_sent_that_has_gone_changes_nothing() -> None:
    """The browser may send a press while the page is drawn anew, without that widget or with another one."""

    def gone() -> None:
        from functools import partial

        import streamlit as st

        from core.classroom.workspace import Workspace
        from core.tokens.vocabulary import Vocabulary
        from core.tokens.word import WordTokenizer
        from pages.components.decoding.said import _begin_so
        from pages.components.lesson.closing import _ask_others
        from pages.components.train.pairs_upload import _read
        from pages.components.widgets.model.model_choice import _choose
        from pages.components.widgets.settings.training_settings import _apply_preset

        workspace = st.session_state.setdefault("theirs", Workspace())
        st.button("Model", on_click=partial(_choose, workspace, {}))
        st.button("Preset", on_click=_apply_preset)
        tokenizer = WordTokenizer(Vocabulary.from_tokens(["casa"], start_and_end=True))
        st.button("Beginning", on_click=partial(_begin_so, tokenizer, 9))
        st.button("Pairs", on_click=partial(_read, workspace))
        st.button("Others", on_click=_ask_others)

    app = AppTest.from_function(gone, default_timeout=30).run()
    app.session_state["setting_num_layers"] = 5
    for button in range(len(app.button)):
        assert not app.button[button].click().run().exception
    app.session_state["model_choice"] = "a model of another menu"
    assert not app.button[0].click().run().exception
    assert app.session_state["theirs"].model is None
    assert app.session_state["setting_num_layers"] == 5
