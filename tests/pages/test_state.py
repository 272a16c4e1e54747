import pytest
from streamlit.testing.v1 import AppTest

from core.language import Language, reading
from pages.components.widgets import state
from tests.pages.conftest import PATIENCE
from tests.pages.markdown import addresses_on


def _script() -> None:
    import streamlit as st

    from pages.components.widgets.state import choose_several

    st.text(choose_several("Letters", "abcd", "letters", ["a"], 2))


def test_none_may_be_chosen_and_no_more_than_may_be() -> None:
    app = AppTest.from_function(_script, default_timeout=PATIENCE)
    app.query_params["letters"] = ["b", "c", "d"]  # by a link
    assert app.run().text[0].value == "['b', 'c']"
    none = AppTest.from_function(_script, default_timeout=PATIENCE)
    none.query_params["letters"] = ""
    assert none.run().text[0].value == "[]" and not none.warning
    app.session_state["letters"] = ["a", "b", "d"]  # by a click
    assert app.run().text[0].value == "['a', 'b']"
    assert app.session_state["letters"] == ["a", "b"]


def _translated_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import choose

    titles = st.session_state.get("titles", {"a": "First", "b": "Second"})
    st.text(choose("Letter", titles, "letter", look=st.session_state.get("look", "menu")))


def test_a_choice_stays_in_another_language_and_with_another_look() -> None:
    app = AppTest.from_function(_translated_script, default_timeout=PATIENCE).run()
    app.selectbox(key="letter").set_value("b").run()
    for name, value in (
        ("titles", {"a": "Premier", "b": "Second"}),
        ("titles", {"a": "1", "b": "2"}),
        ("look", "buttons"),
    ):
        app.session_state[name] = value
        assert app.run().text[0].value == "b" and app.query_params["letter"] == "b"


def test_the_english_title_in_an_older_link_opens_its_option_in_every_language() -> None:
    with reading(Language("fr", "Français", {"Second": "Deuxième"})):
        assert state.options_of(["Second"], {"a": "Premier", "b": "Deuxième"}) == ["b"]


def _text_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import text_area

    st.text(text_area("Lines", "", "lines", height=100))


def test_a_text_too_long_for_a_link_is_used_and_left_out_of_the_address_and_that_is_said() -> None:
    app = AppTest.from_function(_text_script, default_timeout=PATIENCE).run()
    for length in (2_000, 2_001, 2_000):
        app.text_area(key="lines").set_value("x" * length).run()
        assert app.text[0].value == "x" * length
        assert ("lines" in app.query_params, len(app.caption)) == (
            (True, 0) if length <= 2_000 else (False, 1)
        )


def _short_text_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import text_input

    st.text(text_input("Word", "", "word", max_chars=5))


def test_of_a_text_that_is_too_long_its_beginning_is_used_and_that_is_said() -> None:
    app = AppTest.from_function(_short_text_script, default_timeout=PATIENCE).run()
    for typed, is_cut in (("whale", False), ("whales", True)):
        app.text_input(key="word").set_value(typed).run()
        assert app.text[0].value == "whale" and bool(app.caption) is is_cut


def _linked_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import Linked

    number = Linked("number", 1, "number", str, int)
    st.text(number.get(about=st.session_state.get("sentence")))
    st.button("Seven", on_click=number.set, args=(7,))


def test_a_value_that_is_refused_is_said_as_plain_text() -> None:
    app = AppTest.from_function(_linked_script, default_timeout=PATIENCE)
    app.query_params["number"] = "![x](http://evil.example/1.png) [Sign in again](http://evil.example)"
    assert app.run().text[0].value == "1" and "number" not in app.query_params
    assert "Sign in again" in app.warning[0].value and addresses_on(app) == []


def test_a_value_without_a_widget_is_in_the_address_unless_it_is_the_default() -> None:
    app = AppTest.from_function(_linked_script, default_timeout=PATIENCE)
    assert app.run().text[0].value == "1" and "number" not in app.query_params
    app.button[0].click()
    assert app.run().text[0].value == "7" and app.query_params["number"] == "7"
    app.session_state["sentence"] = "another"  # which the 7 does not belong to
    assert app.run().text[0].value == "1" and "number" not in app.query_params


def _slider_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import slider

    st.text(slider("Layers", 1, st.session_state.get("most", 9), 2, "layers"))


def test_a_number_beyond_a_new_range_moves_to_its_nearer_end() -> None:
    app = AppTest.from_function(_slider_script, default_timeout=PATIENCE).run()
    app.slider(key="layers").set_value(8).run()
    app.session_state["most"] = 5
    assert app.run().text[0].value == "5"


def _number_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import Linked, slider

    first, second = slider("Layers", 1, 9, 2, "layers"), Linked("number", 1, "number", str, int)
    st.text(f"{first} {second.get()} {Linked('of_tab', 1, 'number', str, int, of_tab=True).get()}")


def test_back_shows_what_the_address_says_and_the_default_where_it_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = AppTest.from_function(_number_script, default_timeout=PATIENCE)
    app.query_params |= {"layers": "5", "number": "6", "of_tab": "7"}
    assert app.run().text[0].value == "5 6 7"
    app.query_params = {"layers": "8"}
    assert app.run().text[0].value == "5 6 7" and app.query_params["layers"] == "5", "not by itself"
    monkeypatch.setattr(state, "_is_back", lambda: True)
    app.query_params = {"layers": "8"}
    assert app.run().text[0].value == "8 1 7", "but the tab's own value stays"


def _fragment_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import noting_choices, shown_choices, slider

    @st.fragment
    def draw() -> None:
        if slider("Layers", 1, 9, 2, "layers") > 5:
            slider("Heads", 1, 9, 2, "heads")
        st.text(shown_choices())

    if st.session_state.get("is_alone"):
        draw()
    else:
        with noting_choices("a page"):
            slider("Width", 1, 9, 2, "width")
            draw()


def test_a_fragment_that_runs_alone_brings_the_address_and_what_is_shown_up_to_date() -> None:
    app = AppTest.from_function(_fragment_script, default_timeout=PATIENCE)
    app.query_params |= {"width": "3", "layers": "5"}
    assert app.run().text[0].value == "{'width': '3', 'layers': '5'}"
    app.session_state["is_alone"] = True
    app.slider(key="layers").set_value(6).run()
    assert app.text[0].value == "{'width': '3', 'layers': '6', 'heads': '2'}"
    assert app.query_params == {"width": "3", "layers": "6"}
    app.session_state["is_alone"] = False
    app.slider(key="heads").set_value(4).run()
    assert app.query_params == {"width": "3", "layers": "6", "heads": "4"}
    app.slider(key="layers").set_value(1).run()
    assert app.text[0].value == "{'width': '3', 'layers': '1'}" and "heads" not in app.query_params


def _shown_once_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import choose, noting_choices

    with noting_choices("a page"):
        if not st.session_state.get("is_gone"):
            choose("Letter", "ab", "letter")


def test_a_choice_that_its_page_shows_no_more_leaves_the_address() -> None:
    app = AppTest.from_function(_shown_once_script, default_timeout=PATIENCE)
    app.query_params["letter"] = "b"
    assert "letter" in app.run().query_params
    app.session_state["is_gone"] = True
    assert "letter" not in app.run().query_params


def _share_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import slider

    st.text(slider("Share", 0.0, 1.0, 0.5, "share"))


@pytest.mark.parametrize("text", ["nan", "inf", "1.1", "-0.1", "half", ""])
def test_what_is_no_number_of_the_range_is_refused(text: str) -> None:
    app = AppTest.from_function(_share_script, default_timeout=PATIENCE)
    app.query_params["share"] = text
    assert app.run().text[0].value == "0.5"
    assert len(app.warning) == 1


def _part_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import noting_part, shown_choices, slider

    with noting_part(st.session_state.setdefault("keys", set())):
        if slider("Layers", 1, 9, 2, "layers") > 5:
            slider("Heads", 1, 9, 2, "heads")
    st.text(shown_choices())


def test_a_choice_that_a_part_shows_no_more_leaves_the_address_without_its_page() -> None:
    app = AppTest.from_function(_part_script, default_timeout=PATIENCE)
    app.query_params |= {"layers": "6", "heads": "4"}
    assert app.run().text[0].value == "{'layers': '6', 'heads': '4'}"
    app.slider(key="layers").set_value(3).run()
    assert app.text[0].value == "{'layers': '3'}" and app.query_params == {"layers": "3"}


def _pages_script() -> None:
    import streamlit as st

    from pages.components.widgets.state import noting_choices, open_with, slider

    if st.session_state.get("begins"):
        open_with("one", {"width": 7})
        st.session_state["begins"] = False
    with noting_choices(st.session_state["page"]):
        if st.session_state.get("is_ready"):
            st.text(slider("Width", 1, 9, 2, "width"))


@pytest.mark.parametrize("goes_away", [False, True])
def test_what_a_step_asks_for_waits_for_its_page_and_is_forgotten_on_another(goes_away: bool) -> None:
    app = AppTest.from_function(_pages_script, default_timeout=PATIENCE)
    app.session_state["begins"], app.session_state["page"] = True, "one"
    app.run()
    if goes_away:
        app.session_state["page"] = "two"
        app.run()
        app.session_state["page"] = "one"
    app.session_state["is_ready"] = True
    assert app.run().text[0].value == ("2" if goes_away else "7")
