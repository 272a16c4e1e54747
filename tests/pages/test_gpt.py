"""From here to GPT: a decoder alone on the class's pairs, what it continues, and what the page says without one."""

import sys
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.language_model.model import SEPARATOR, LanguageModel
from core.presets import CLASSROOM
from core.server.workspace import Workspace, why_no_training
from pages import gpt
from pages.components.frame.memory import has_work
from pages.components.frame.presenting import LEADS_ON
from pages.content.pages import GPT
from pages.content.reader import PAGE_TEXTS
from tests.pages.conftest import (
    OpenPage,
    change,
    keys_of,
    open_page,
    press,
    texts,
    untrained_decoder,
    workspace_of,
)

VIEWS = PAGE_TEXTS[GPT.address].views


@pytest.fixture
def untrained() -> LanguageModel:
    return untrained_decoder()


def open_view(view: str, model: LanguageModel | None = None) -> AppTest:
    app = open_page(GPT.file, gpt_view=view)
    workspace_of(app).models.language_model = model
    return change(app)


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_works_before_and_after_the_training(view: str, untrained: LanguageModel) -> None:
    for model in (None, untrained):
        app = open_view(view, model)
        shows = app.get("plotly_chart") or app.get("bidi_component")
        assert (shows and VIEWS[view].notice in texts(app)) or (view == "continue" and model is None)


@pytest.mark.parametrize("view", VIEWS)
def test_without_tensorflow_the_page_says_what_it_cannot_do(
    view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", None)  # as if it were not installed
    app = open_view(view)
    if view in ("left", "continue"):
        assert why_no_training() in texts(app) and LEADS_ON not in keys_of(app)
    else:
        assert app.get("plotly_chart")


@pytest.mark.parametrize("beginning", ["", " ".join(["je"] * 500), f"zzz {SEPARATOR} qqq", "<b>*je*</b>"])
def test_any_beginning_is_continued_or_refused_in_a_sentence(
    untrained: LanguageModel, beginning: str
) -> None:
    app = open_view("continue", untrained)
    app.text_input(key="gpt_beginning").set_value(beginning)
    change(app)
    assert app.get("plotly_chart") or app.error


def test_a_higher_temperature_and_the_cuts_change_what_is_drawn_from(untrained: LanguageModel) -> None:
    app = open_view("continue", untrained)
    app.number_input(key="gpt_top_k").set_value(1)
    written = texts(change(app))
    app.slider(key="gpt_temperature").set_value(1.5)
    assert texts(change(app)) == written.replace("0.7", "1.5"), "only the likeliest token is left"


def test_a_head_of_each_model_is_chosen_by_click(
    untrained: LanguageModel, open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    clicks = ("gpt_head 5.mean", "gpt_cross_head 1.2")

    def with_buttons(figure: Any, alt: str, key: str, on_click: Any = None) -> None:
        for click in clicks if on_click else ():
            st.button(click, on_click=on_click, args=(click,), key=click)

    monkeypatch.setattr(gpt, "show_figure", with_buttons)
    app = open_trained(GPT.file)
    workspace_of(app).models.language_model = untrained
    change(app)
    for click in clicks:
        press(app, click)
    assert [app.selectbox(key=key).value for key in ("gpt_head", "gpt_cross_head")] == ["5.mean", "1.2"]


def test_a_tab_that_has_trained_a_decoder_alone_has_work_to_lose(untrained: LanguageModel) -> None:
    workspace = Workspace()
    assert not has_work(workspace)
    workspace.models.language_model = untrained
    assert has_work(workspace)


def test_the_training_is_offered_with_the_pairs_of_train() -> None:
    app = open_view("left")
    press(app, LEADS_ON)
    job = workspace_of(app).jobs.text_training
    assert job is not None and job.work.plan.prepared.pairs == CLASSROOM.pairs
    assert has_work(workspace_of(app))
    job.stop()
    assert "train_decoder" in keys_of(change(app)) or "stop_gpt" in keys_of(app)


def test_one_key_shows_the_figure_of_a_lesson_then_trains() -> None:
    app = open_page(GPT.file, gpt_view="left", lesson="gpt", lesson_step=2)
    for is_begun in (False, True):
        press(app, LEADS_ON)
        job = workspace_of(app).jobs.text_training
        assert (job is not None) is is_begun
    assert job is not None
    job.stop()


def test_a_view_shows_all_its_formulas() -> None:
    expected = [each.latex for each in PAGE_TEXTS[GPT.address].views["since"].formulas]
    shown = [each.value.strip("$\n ") for each in open_page(GPT.file, gpt_view="since").latex]
    assert len(expected) == 3 and shown == expected
