"""Which model a page works with: a shipped one from the first moment on, or one's own."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from pages.components.app.resources import preload_tensorflow, prepare_shipped, shipped_models
from pages.components.widgets.classroom_training import start_classroom_training
from pages.components.widgets.current_model import current_model, facts_of
from pages.components.widgets.live_run import show_live_run

_CHOICE = "model_choice"
_ADDRESS = "model"  # in the address, for a link that opens the same shipped model


def choose_model(mine: Workspace) -> TrainedModel:
    """Show which model is used and let people choose another, or train one here.

    Where there is none at all, only the offer to train one is shown, and the page's run ends.
    """
    preload_tensorflow()
    _follow_address(mine)
    model = current_model(mine)
    if model is not None:
        _show_choice(mine, model)
    elif not mine.training:
        st.info(
            "There is no model yet. Train the classroom model on fifteen French–English pairs: it takes seconds.",
            icon=":material/school:",
        )
        _offer_training(mine, st.container(), "primary")
    if mine.job is not None and mine.training:
        st.info(
            "Your model is learning. This page goes on with it by itself when it is ready.",
            icon=":material/school:",
        )
        show_live_run(mine.job, curves=False)
    if model is None:
        st.stop()
    prepare_shipped(model)
    return model


def all_models(mine: Workspace) -> dict[str, TrainedModel]:
    """Every model this person can use, by its id: the shipped ones, then their own."""
    return {model.id: model for model in (*shipped_models(), *mine.models)}


def label_of(model: TrainedModel) -> str:
    """How menus name a model."""
    return model.name if model.shipped else f"{model.name} (yours)"


def _show_choice(mine: Workspace, model: TrainedModel) -> None:
    models = all_models(mine)
    st.session_state[_CHOICE] = model.id  # the workspace knows; another page may have changed it
    offers = not mine.models and not mine.training
    left, right = st.columns([5, 2], vertical_alignment="bottom") if offers else (st.container(), None)
    left.selectbox(
        "Model",
        list(models),
        format_func=lambda model_id: label_of(models[model_id]),
        key=_CHOICE,
        on_change=_choose,
        args=(mine, models),
        help="Models that come with the app, and those you trained or opened in this tab.",
    )
    if right is not None:
        _offer_training(mine, right, "secondary")
    st.caption(facts_of(model))


def _choose(mine: Workspace, models: dict[str, TrainedModel]) -> None:
    mine.model = models[st.session_state[_CHOICE]]
    if mine.model.shipped:
        st.query_params[_ADDRESS] = mine.model.id
    else:
        st.query_params.pop(_ADDRESS, None)


def _follow_address(mine: Workspace) -> None:
    """Open the shipped model a link names, for somebody who has chosen nothing yet."""
    if mine.model is None and (name := st.query_params.get(_ADDRESS)):
        mine.model = next((model for model in shipped_models() if model.id == name), None)


def _offer_training(mine: Workspace, place: DeltaGenerator, kind: Literal["primary", "secondary"]) -> None:
    place.button(
        "Train the classroom model",
        type=kind,
        icon=":material/play_arrow:",
        on_click=start_classroom_training,
        args=(mine,),
        help="Fifteen French–English pairs, a few seconds. Then this page goes on with your own model.",
    )
