from __future__ import annotations

from pathlib import PurePath

import streamlit as st

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.files import OPEN_LIMITS, CheckpointError, CheckpointTooLargeError
from core.classroom.jobs import compute_gate
from core.classroom.memory import MemoryFullError, make_room
from core.classroom.models import TrainedModel, unused_name
from core.classroom.workspace import Workspace
from pages.components.app.models import shipped_models
from pages.components.widgets.memory import sent_value
from pages.components.widgets.words import plain

_PROBLEM = "checkpoint_problem"
_FILE = "checkpoint_file"


def open_checkpoint(workspace: Workspace) -> None:
    """Let people upload a checkpoint zip; it becomes the current model."""
    st.file_uploader(
        "A checkpoint zip downloaded from this app",
        type=["zip"],
        key=_FILE,
        on_change=_open,
        args=(workspace,),
        help="It is read as data; nothing in it is executed. It becomes the current model.",
    )
    if problem := st.session_state.get(_PROBLEM):
        st.error(plain(problem), icon=":material/error:")


def _open(workspace: Workspace) -> None:
    file = sent_value(_FILE)
    st.session_state[_PROBLEM] = None
    if file is None:
        return
    try:
        with compute_gate():  # or thirty who open at once would all find room
            make_room()
            checkpoint = Checkpoint.from_zip(file.getvalue(), OPEN_LIMITS)
        name = unused_name(
            checkpoint.name or PurePath(file.name).stem, [each.name for each in shipped_models()]
        )
        workspace.open_model(TrainedModel(name, checkpoint))
        assert workspace.model is not None
        st.toast(f"Opened, and now the current model: {plain(workspace.model.name)}", icon=":material/check:")
    except CheckpointTooLargeError as error:
        st.session_state[_PROBLEM] = (
            f"{str(error).rstrip('.')}. Use it from the command line: python -m core translate."
        )
    except (CheckpointError, MemoryFullError) as error:
        st.session_state[_PROBLEM] = str(error)
