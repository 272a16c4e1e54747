"""Which model a page works with: a shipped one from the first moment on, or one's own."""

from __future__ import annotations

from functools import partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.models import TrainedModel
from core.classroom.workspace import Workspace, why_no_training
from pages.components.app.models import shipped_models
from pages.components.app.navigation import end_page
from pages.components.widgets.address import is_left_out
from pages.components.widgets.memory import sent_value, set_value
from pages.components.widgets.model.current_model import current_model
from pages.components.widgets.model.training import (
    show_live_training,
    start_classroom_training,
    training_is_off,
)
from pages.components.widgets.remembered import choose

_CHOICE = "model_choice"
_ADDRESS = "model"


def choose_model(workspace: Workspace, place: DeltaGenerator) -> TrainedModel:
    """Show which model is used and let people choose another.

    Where there is none at all, only the offer to train one is shown, and the page's run ends.

    Args:
        workspace: of the person.
        place: for the menu.
    """
    model = _require_model(workspace)
    with place:
        model = _show_menu(workspace, model)
    _show_training(workspace)
    return model


def offer_training(workspace: Workspace) -> None:
    """A button that trains the classroom model on the page itself, for those who have no model of their own."""
    if not workspace.models and not workspace.training and not why_no_training():
        _show_training_button(workspace, "secondary")


def _require_model(workspace: Workspace) -> TrainedModel:
    if is_left_out(_CHOICE) and _ADDRESS not in st.query_params:
        workspace.model = None
    model = current_model(workspace)
    if model is None:
        if not workspace.training and not training_is_off():
            st.info(
                "There is no model yet. Train the classroom model on fifteen French–English pairs: it takes seconds.",
                icon=":material/school:",
            )
            _show_training_button(workspace, "primary")
        _show_training(workspace)
        end_page()
    return model


def _show_training(workspace: Workspace) -> None:
    if workspace.job is not None and workspace.training:
        st.info(
            "Your model is learning. This page continues with it as soon as it is ready.",
            icon=":material/school:",
        )
        show_live_training(workspace.job)


def all_models(workspace: Workspace) -> dict[str, TrainedModel]:
    """Every model this person can use, by its id: the shipped ones, then their own."""
    return {model.id: model for model in (*shipped_models(), *workspace.models)}


def label_of(model: TrainedModel) -> str:
    """How menus name a model."""
    return model.name if model.shipped else f"{model.name} (yours)"


def _show_menu(workspace: Workspace, model: TrainedModel) -> TrainedModel:
    models = {**all_models(workspace), model.id: model}
    set_value(_CHOICE, model.id)  # the workspace knows; another page may have changed it
    chosen = choose(
        "Model",
        {name: label_of(each) for name, each in models.items()},
        key=_CHOICE,
        address=_ADDRESS,
        says_default=True,  # Back must find it when another model has been trained since
        look="menu",
        on_change=partial(_choose, workspace, models),
        help="Models that come with the app, and those you trained or opened in this tab.",
    )
    if chosen != model.id:  # a link names it
        model = workspace.model = models[chosen]
    return model


def _choose(workspace: Workspace, models: dict[str, TrainedModel]) -> None:
    chosen = sent_value(_CHOICE)
    if chosen in models:
        workspace.model = models[chosen]


def _show_training_button(workspace: Workspace, kind: Literal["primary", "secondary"]) -> None:
    st.button(
        "Train the classroom model",
        type=kind,
        icon=":material/play_arrow:",
        on_click=start_classroom_training,
        args=(workspace,),
        help="Fifteen French–English pairs, a few seconds. Then this page continues with your own model.",
    )
