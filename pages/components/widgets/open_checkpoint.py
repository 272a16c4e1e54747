from __future__ import annotations

from pathlib import PurePath

import streamlit as st

from core.classroom.limits import MAX_OPEN_PARAMETERS
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from core.model.weight_shapes import parameter_count
from core.storage.checkpoint import Checkpoint, CheckpointError
from pages.components.widgets.words import plain

_PROBLEM = "checkpoint_problem"
_FILE = "checkpoint_file"


def open_checkpoint(mine: Workspace) -> None:
    """Let people upload a checkpoint zip; it becomes the current model."""
    st.file_uploader(
        "A checkpoint zip downloaded from this app",
        type=["zip"],
        key=_FILE,
        on_change=_open,
        args=(mine,),
        help="It is read as data; nothing in it is executed. It becomes the current model.",
    )
    if problem := st.session_state.get(_PROBLEM):
        st.error(plain(problem), icon=":material/error:")


def _check_size(checkpoint: Checkpoint) -> None:
    parameters = parameter_count(checkpoint.config)
    if parameters > MAX_OPEN_PARAMETERS:
        raise CheckpointError(
            f"The app opens models of at most {MAX_OPEN_PARAMETERS:,} parameters. Received: {parameters:,}. "
            "Use it from the command line: python -m core translate."
        )


def _open(mine: Workspace) -> None:
    file = st.session_state[_FILE]
    st.session_state[_PROBLEM] = None
    if file is None:
        return
    try:
        checkpoint = Checkpoint.from_zip(file.getvalue())
        _check_size(checkpoint)
        mine.open_model(TrainedModel(checkpoint.name or PurePath(file.name).stem, checkpoint))
        st.toast("The checkpoint is open: it is the current model now.", icon=":material/check:")
    except CheckpointError as error:
        st.session_state[_PROBLEM] = str(error)
