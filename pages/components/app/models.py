"""The models that come with the project, and TensorFlow for Train: each loaded once a server, for all sessions."""

from __future__ import annotations

import threading

import streamlit as st

from core.checkpoints.shipped import shipped_checkpoints
from core.classroom.models import TrainedModel, default_name, open_shipped
from core.classroom.training_job import load_tensorflow
from core.corpora.corpus import Corpus
from pages.components.app.workarounds import end_at_once


@st.cache_resource(show_spinner=False)
def preload_tensorflow() -> threading.Thread:
    """Import TensorFlow in the background, once a server, while somebody still reads the page."""
    thread = threading.Thread(target=_import_tensorflow, daemon=True, name="import tensorflow")
    thread.start()
    return thread


def _import_tensorflow() -> None:
    end_at_once()
    load_tensorflow()
    end_at_once()


def shipped_models() -> list[TrainedModel]:
    """All models that come with the project, the default one first; each is read once a server."""
    found = [
        _shipped_model(name, (folder / "config.json").stat().st_mtime)
        for name, folder in shipped_checkpoints().items()
    ]
    first = default_name()
    return sorted(found, key=lambda model: model.id != first)


def model_for_corpus(corpus: Corpus) -> TrainedModel | None:
    """A shipped model that translates between the corpus's languages, in this direction."""
    fitting = (m for m in shipped_models() if (m.source_language, m.target_language) == corpus.language_names)
    return next(fitting, None)


@st.cache_resource(show_spinner=False, max_entries=8)
def _shipped_model(name: str, changed: float) -> TrainedModel:
    return open_shipped(name, shipped_checkpoints()[name])
