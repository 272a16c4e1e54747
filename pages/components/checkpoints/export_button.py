"""A checkpoint as a TensorFlow SavedModel, made when somebody asks for it."""

from __future__ import annotations

import io
import logging
import tempfile
import threading
import zipfile
from pathlib import Path

import streamlit as st

from core.classroom.jobs.queue import QueueFullError
from core.classroom.memory import MemoryFullError, make_room
from core.classroom.names import file_name
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from pages.components.app.queues import export_queue
from pages.components.app.resources import is_live
from pages.components.app.session import session_id
from pages.components.widgets.words import plain

_EXPORTED = "exported_model"  # (model id, name, zip): one a tab, for it is large

_log = logging.getLogger(__name__)


def show_export_button(model: TrainedModel) -> None:
    """First a button that makes the SavedModel, then one that downloads it."""
    made = st.session_state.get(_EXPORTED)
    if made is not None and made[:2] == (model.id, model.name):
        st.download_button(
            "Download the SavedModel",
            key=f"exported_{model.id}",
            data=made[2],
            file_name=f"{file_name(model.name) or 'model'}-savedmodel.zip",
            mime="application/zip",
            icon=":material/download:",
            on_click="ignore",
            type="primary",
        )
    elif st.button(
        "TensorFlow SavedModel",
        key=f"export_{model.id}",
        icon=":material/deployed_code:",
        help="Text in, text out, without this app: for TensorFlow Serving or any program with tensorflow and "
        "tensorflow-text. Making it takes about half a minute.",
    ):
        with st.spinner(
            "Making the SavedModel: tracing the search as a TensorFlow graph. About half a minute, and as long again for "
            "each other person exporting now."
        ):
            data = _export(model)
        if data is not None:
            st.session_state[_EXPORTED] = (model.id, model.name, data)
            st.rerun()


def _export(model: TrainedModel) -> bytes | None:
    queue = export_queue()
    try:
        with queue.turn(queue.enter(), threading.Event()):
            return _made(model) if is_live(session_id()) else None  # nobody waits for it any more
    except (QueueFullError, MemoryFullError) as error:
        st.error(str(error), icon=":material/group:")
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
    except Exception:
        _log.exception("Exporting %s failed", model.id)
        st.error("The export failed on the server. Try it from the command line.", icon=":material/error:")
    return None


def _made(model: TrainedModel) -> bytes:
    st.session_state.pop(_EXPORTED, None)  # before another one takes memory
    make_room()
    load_tensorflow()
    from core.storage.export import export_saved_model

    with tempfile.TemporaryDirectory() as folder:
        export_saved_model(model.checkpoint, Path(folder) / "model")
        return zip_folder(Path(folder) / "model", file_name(model.name) or "model")


def zip_folder(folder: Path, name: str) -> bytes:
    """All files below a folder, in a folder of that name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}")
    return buffer.getvalue()
