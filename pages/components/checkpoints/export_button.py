"""A checkpoint as a TensorFlow SavedModel, made when somebody asks for it."""

from __future__ import annotations

import io
import logging
import tempfile
import zipfile
from pathlib import Path

import streamlit as st

from core.classroom.names import file_name
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from pages.components.widgets.words import plain

_EXPORTED = "exported_model"  # (model id, name, zip): one at a time, for it is large

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
            "Making the SavedModel: tracing the search as a TensorFlow graph. About half a minute."
        ):
            data = _export(model)
        if data is not None:
            st.session_state[_EXPORTED] = (model.id, model.name, data)
            st.rerun()


def _export(model: TrainedModel) -> bytes | None:
    load_tensorflow()
    from core.storage.export import export_saved_model

    try:
        with tempfile.TemporaryDirectory() as folder:
            export_saved_model(model.checkpoint, Path(folder) / "model")
            return zip_folder(Path(folder) / "model", file_name(model.name) or "model")
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
    except Exception:
        _log.exception("Exporting %s failed", model.id)
        st.error("The export failed on the server. Try it from the command line.", icon=":material/error:")
    return None


def zip_folder(folder: Path, name: str) -> bytes:
    """All files below a folder, in a folder of that name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}")
    return buffer.getvalue()
