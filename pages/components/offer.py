"""No page is a dead end: where there is no model yet, one is trained in place."""

from __future__ import annotations

import streamlit as st

from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from pages.components.live_run import show_live_run
from pages.components.resources import preload_tensorflow, run_queue
from pages.components.run_queue import QueueFullError
from pages.components.trained_model import TrainedModel
from pages.components.workspace import Workspace

CLASSROOM_NAME = "Classroom French–English"


def start_classroom_training(mine: Workspace) -> None:
    """Train the classroom preset on the fifteen pairs."""
    try:
        mine.start_training(PAIRS, CLASSROOM.model, CLASSROOM.training, CLASSROOM_NAME, run_queue())
    except QueueFullError as error:
        st.toast(str(error), icon=":material/group:")


def model_or_offer(mine: Workspace) -> TrainedModel:
    """The current model; where there is none, offer to train one and end the page's run there."""
    if mine.model is None:
        _offer(mine)
        st.stop()
    return mine.model


def _offer(mine: Workspace) -> None:
    preload_tensorflow()
    if mine.job is not None and mine.training:
        st.info(
            "Your model is learning. This page goes on by itself when it is ready.", icon=":material/school:"
        )
        show_live_run(mine.job, curves=False)
    else:
        st.info(
            "There is no model yet. Train the classroom model on fifteen French–English pairs: it takes seconds.",
            icon=":material/school:",
        )
        st.button(
            "Train the classroom model",
            type="primary",
            icon=":material/play_arrow:",
            on_click=start_classroom_training,
            args=(mine,),
        )
