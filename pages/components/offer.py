from __future__ import annotations

import streamlit as st

from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from pages.components.resources import run_queue
from pages.components.run_queue import QueueFullError
from pages.components.workspace import Workspace

CLASSROOM_NAME = "Classroom French–English"


def start_classroom_training(mine: Workspace) -> None:
    """Train the classroom preset on the fifteen pairs."""
    try:
        mine.start_training(PAIRS, CLASSROOM.model, CLASSROOM.training, CLASSROOM_NAME, run_queue())
    except QueueFullError as error:
        st.toast(str(error), icon=":material/group:")
