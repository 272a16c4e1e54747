"""The models that come with the project, and TensorFlow for them: each loaded once a server, for all sessions."""

from __future__ import annotations

import threading

import streamlit as st

from core.checkpoints.shipped import shipped_checkpoints
from core.classroom.inside_preparation import prepare_inside_in_background
from core.classroom.memory import has_room_for_programs
from core.classroom.shipped_models import default_name, open_shipped, prepare_in_background
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from core.corpora.corpus import Corpus
from core.model.programs.xla_programs import compile_while
from pages.components.app.workarounds import end_at_once, freeze_imported


@st.cache_resource(show_spinner=False)
def preload_tensorflow() -> threading.Thread:
    """Import TensorFlow in the background, once a server, while somebody still reads the page."""
    thread = threading.Thread(target=_import_tensorflow, daemon=True, name="import tensorflow")
    thread.start()
    return thread


def _import_tensorflow() -> None:
    end_at_once()
    compile_while(has_room_for_programs)
    load_tensorflow()
    freeze_imported()
    end_at_once()


def shipped_models() -> list[TrainedModel]:
    """All models that come with the project, the default one first; each is read once a server."""
    found = [
        _shipped_model(name, (folder / "config.json").stat().st_mtime)
        for name, folder in shipped_checkpoints().items()
    ]
    first = default_name()
    return sorted((model for model in found if model is not None), key=lambda model: model.id != first)


def prepare_shipped(model: TrainedModel) -> None:
    """Get a shipped model ready in the background, once a server."""
    if model.shipped:
        _prepared_model(model.id, model)


def prepare_inside(model: TrainedModel) -> None:
    """Get what looking inside a shipped model needs ready in the background, once a server: 140 MB.

    Asked for by the two pages that need most of it, once they are drawn: both would wait for Python's lock.
    """
    if model.shipped:
        _prepared_inside(model.id, model)


def model_for_corpus(corpus: Corpus) -> TrainedModel | None:
    """A shipped model that translates between the corpus's languages, in this direction."""
    fitting = (m for m in shipped_models() if (m.source_language, m.target_language) == corpus.language_names)
    return next(fitting, None)


@st.cache_resource(show_spinner=False, max_entries=8)
def _shipped_model(name: str, changed: float) -> TrainedModel | None:
    return open_shipped(name, shipped_checkpoints()[name])


@st.cache_resource(show_spinner=False, max_entries=8)
def _prepared_model(name: str, _model: TrainedModel) -> threading.Thread:
    return prepare_in_background(_model)


@st.cache_resource(show_spinner=False, max_entries=8)
def _prepared_inside(name: str, _model: TrainedModel) -> threading.Thread:
    return prepare_inside_in_background(_model)
