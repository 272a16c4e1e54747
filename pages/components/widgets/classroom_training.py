from __future__ import annotations

import streamlit as st

from core.classroom.queue import QueueFullError
from core.classroom.workspace import Workspace
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from pages.components.app.resources import run_queue

CLASSROOM_NAME = "Classroom French–English"


def start_classroom_training(mine: Workspace) -> None:
    """Train the classroom preset on the fifteen pairs."""
    try:
        mine.start_training(PAIRS, CLASSROOM.model, CLASSROOM.training, CLASSROOM_NAME, run_queue())
    except QueueFullError as error:
        st.toast(str(error), icon=":material/group:")
