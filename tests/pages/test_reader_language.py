"""A made-up language, in which every text stands in brackets: what a page says outside them, nobody can translate."""

import json
import re
from collections.abc import Iterator
from contextvars import copy_context
from typing import Any
from unittest.mock import Mock

import pytest
import streamlit as st

from core.language import ENGLISH, Language
from pages.components.frame import language as frame_language
from pages.components.frame.visit import LESSON_NAME
from pages.content.pages import ALL_PAGES, HOME, PageEntry
from tests.conftest import ChangeSetting
from tests.pages.conftest import IGNORED_LINK, change, linked, open_page, texts, warned

_SAID = ("label", "help")  # fields of what Streamlit draws
_WORD = re.compile(r"[A-Za-z]{3,}")
_NAMES = re.compile(r":material/\w+:|`[^`]*`|<[^>]*>|Bracketed|English|TED|Tatoeba|Transformer Classroom")


class Bracketed(dict[str, Any]):
    def get(self, text: str, default: Any = None) -> Any:
        return (f"⟦{text}⟧",) if default == () else f"⟦{text}⟧" if text else ""


OTHER = Language("yy", "Bracketed", Bracketed(), Bracketed(), lambda count: 0)


@pytest.fixture
def with_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_language, "known_languages", lambda: {"en": ENGLISH, "yy": OTHER})


def said(message: Any) -> Iterator[str]:
    """Yield what widgets say, and the titles of figures."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.message_type is not None:
            for each in values:
                if hasattr(each, "ListFields"):
                    yield from said(each)
        elif field.name in _SAID:
            yield from map(str, values)
        elif field.name == "spec":
            layout = json.loads(value)["layout"]
            for axis in (each for name, each in layout.items() if "axis" in name):
                yield axis.get("title", {}).get("text", "")


def elements(node: Any) -> Iterator[Any]:
    for child in getattr(node, "children", {}).values():
        if hasattr(getattr(child, "proto", None), "ListFields"):
            yield child.proto
        yield from elements(child)


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.address)
def test_no_widget_or_axis_says_something_in_english_alone(
    page: PageEntry, with_shipped: None, with_other: None
) -> None:
    app = open_page(page.file, lang="yy")
    left = set()
    for text in (text for element in elements(app._tree) for text in said(element)):
        while (shorter := re.sub(r"⟦[^⟦⟧]*⟧", "", text)) != text:
            text = shorter
        if _WORD.search(_NAMES.sub("", text)):
            left.add(text)
    assert left == set()


def test_what_is_refused_in_a_link_is_named_in_the_reader_s_language(with_other: None) -> None:
    app = linked(HOME.file, lang="yy", lesson="none")
    assert f"⟦{LESSON_NAME.name}⟧" in app.warning[0].value


@pytest.mark.parametrize("asked", ["pt", "pt-BR", "pt_PT", "PT-br"])
def test_a_browser_of_any_country_is_answered_in_its_language(asked: str) -> None:
    assert frame_language.language_for(asked).code == "pt"


def test_a_tab_reads_what_its_address_says_and_else_what_the_server_says(
    with_other: None, change_setting: ChangeSetting
) -> None:
    foreign = linked(HOME.file, lang="yy")
    assert foreign.button[0].label.startswith("⟦")
    assert any("lang = 'yy'" in each.proto.body for each in foreign.get("html")), "for screen readers"
    app = linked(HOME.file)
    assert not app.button[0].label.startswith("⟦")
    app.radio(key="lang_choice").set_value("yy")
    change(app)
    assert app.query_params["lang"] == "yy" and app.button[0].label.startswith("⟦")
    unknown = linked(HOME.file, lang="xx")
    assert warned(unknown) == [IGNORED_LINK] and "⟦" not in texts(unknown)
    change_setting("language", "yy")
    assert frame_language.language_for("de-DE") is frame_language.language_for("en-GB") is OTHER


def test_a_thread_that_serves_two_tabs_in_turn_gives_each_its_language(
    with_other: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tabs = {code: Mock() for code in ("en", "yy")}

    def looked_up(code: str) -> str:
        monkeypatch.setattr(frame_language, "get_script_run_ctx", lambda **_options: tabs[code])
        monkeypatch.setattr(st, "session_state", {frame_language._CHOSEN.key: code})
        return frame_language._language_of_tab().code

    turns = ["yy", "en", "yy", "yy", "en"]
    assert copy_context().run(lambda: [looked_up(code) for code in turns]) == turns
