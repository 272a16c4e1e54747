"""Every control of every page set to something else: the address alone brings all of it back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.app.content import PAGE_TEXTS
from pages.components.app.menu import (
    ATTENTION_MAPS,
    DATA,
    DECODING,
    EVALUATE,
    HOME,
    INSIDE,
    SECTIONS,
    TRAIN,
    TRANSLATE,
    PageEntry,
)
from pages.components.widgets import remembered
from tests.pages.test_addresses import opened

PLAIN = (HOME, *SECTIONS["Understand"], TRAIN, DATA)  # what opens without a model
VIEW_KEYS = {"map_view", "mode"} | {
    texts.parameter for texts in PAGE_TEXTS.values() if any(view.title for view in texts.views.values())
}
OF_A_MODEL = (TRANSLATE, EVALUATE, ATTENTION_MAPS, DECODING, INSIDE)
MODEL = "model_choice"  # another one has another sentence, and heads of its own: `test_links` follows it
ADDRESS_NAMES = {"map_view": "view"}  # where it is not the key
OF_TAB = "ask_"  # begins the keys of exercises: what somebody answers is nobody else's


@pytest.fixture
def options(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """The options of each choice by its key, collected while pages run."""
    found: dict[str, list[Any]] = {}
    original = remembered.read_option

    def collect(key: str, titles: Mapping[Any, str]) -> Any:
        found[key] = list(titles)
        return original(key, titles)

    monkeypatch.setattr(remembered, "read_option", collect)
    return found


def widgets_of(app: AppTest) -> dict[str, Any]:
    """Those that remember their values, by their keys."""
    kinds = (
        "slider",
        "select_slider",
        "selectbox",
        "segmented_control",
        "toggle",
        "number_input",
        "text_input",
        "text_area",
    )
    each = [widget for kind in kinds for widget in getattr(app, kind)]
    return {w.key: w for w in each if w.key and not w.disabled and not w.key.startswith(OF_TAB)}


def change(widget: Any, options: dict[str, list[Any]]) -> None:
    """Set it to something else."""
    if widget.key in options:
        widget.set_value(next((each for each in options[widget.key] if each != widget.value), widget.value))
    elif widget.type == "toggle":
        widget.set_value(not widget.value)
    elif widget.type in ("text_input", "text_area"):
        widget.set_value(f"{widget.value} yes"[: widget.proto.max_chars or None])
    else:
        higher = widget.value + (widget.step or 1)
        widget.set_value(higher if higher <= widget.max else widget.value - (widget.step or 1))


@pytest.mark.slow
@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.address)
def test_the_address_says_all(page: PageEntry, options: dict[str, list[Any]]) -> None:
    round_trip(page, options)


@pytest.mark.slow
@pytest.mark.parametrize("page", OF_A_MODEL, ids=lambda page: page.address)
def test_the_address_says_all_of_a_model(
    with_shipped: None, page: PageEntry, options: dict[str, list[Any]]
) -> None:
    round_trip(page, options, left_alone={MODEL})


def round_trip(page: PageEntry, options: dict[str, list[Any]], left_alone: Collection[str] = ()) -> None:
    """Change all widgets in each of a page's views, then open the address that they leave."""
    app = opened(page, {})
    (key,) = VIEW_KEYS & options.keys() or {""}
    for view in options.get(key, [None]):
        address = {ADDRESS_NAMES.get(key, key): view} if view else {}
        app = opened(page, address)
        changed = {key, *left_alone}
        while new := widgets_of(app).keys() - changed:  # what has been chosen may bring others
            for name in new:
                change(widgets_of(app)[name], options)
            changed |= new
            app.run()
            assert not app.exception
        left = {name: exact(widget.value) for name, widget in widgets_of(app).items()}
        fresh = opened(page, dict(app.query_params.items()))
        assert {name: exact(widget.value) for name, widget in widgets_of(fresh).items()} == left, view


def exact(value: Any) -> Any:
    """Without what adding a step to a decimal number leaves behind it."""
    return round(value, 9) if isinstance(value, float) else value
