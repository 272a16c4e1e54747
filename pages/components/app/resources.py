"""What all sessions of a server share: the only home of st.cache_*. All of it is thread-safe."""

from __future__ import annotations

import threading

import streamlit as st
from streamlit.runtime import exists, get_instance

from core.classroom.corpus_reading import read_split
from core.classroom.jobs.queue import RunQueue
from core.classroom.jobs.recent_jobs import RecentJobs
from core.classroom.presence import Presence
from core.classroom.settings import server_settings
from core.classroom.shipped_models import open_shipped, prepare_in_background
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace, WorkspaceStore
from core.corpora.catalogue import LANGUAGE_NAMES, Corpus
from core.corpora.split import Split
from core.metrics.corpus_statistics import CorpusStatistics, statistics_of
from core.records import PaddingComparison
from core.storage.shipped import FIRST, shipped_checkpoints
from pages.components.app.workarounds import freeze_imported


@st.cache_resource(show_spinner=False)
def run_queue() -> RunQueue:
    """The one queue of trainings."""
    return RunQueue(server_settings().max_runs, server_settings().max_waiting)


@st.cache_resource(show_spinner=False)
def large_queue() -> RunQueue:
    """The one queue of trainings on large corpora: one at a time, for hours."""
    return RunQueue(1, server_settings().max_large_waiting)


@st.cache_resource(show_spinner=False)
def large_jobs() -> RecentJobs:
    """The trainings on large corpora that can still go on."""
    return RecentJobs(server_settings().max_large_kept)


@st.cache_resource(show_spinner=False)
def evaluation_queue() -> RunQueue:
    """The one queue of evaluations: one at a time, since each keeps all cores busy."""
    return RunQueue(1, server_settings().max_waiting, doing="evaluating")


@st.cache_resource(show_spinner=False)
def translation_queue() -> RunQueue:
    """The one queue of translations: they take turns, a portion each."""
    return RunQueue(server_settings().max_translations, server_settings().max_waiting, doing="translating")


@st.cache_resource(show_spinner=False)
def workspace_store() -> WorkspaceStore:
    """The one store of workspaces."""
    return WorkspaceStore(server_settings().max_workspaces, server_settings().workspace_seconds, is_live)


def presence_of(workspace: Workspace) -> Presence:
    """Whether a workspace's tab is there still, for what works for it in the background."""
    return Presence(lambda: is_live(workspace.session_id), server_settings().max_away_seconds)


def is_live(session_id: str) -> bool:
    """Whether a Streamlit session still has a browser tab; without a server, where a test drives the script."""
    return not exists() or get_instance().is_active_session(session_id)


@st.cache_resource(show_spinner=False)
def preload_tensorflow() -> threading.Thread:
    """Import TensorFlow in the background, once a server, while somebody still reads the page."""
    thread = threading.Thread(target=_import_tensorflow, daemon=True, name="import tensorflow")
    thread.start()
    return thread


def _import_tensorflow() -> None:
    load_tensorflow()
    freeze_imported()


def shipped_models() -> list[TrainedModel]:
    """All models that come with the project, the default one first; each is read once a server."""
    found = [
        _shipped_model(name, (folder / "config.json").stat().st_mtime)
        for name, folder in shipped_checkpoints().items()
    ]
    return sorted((model for model in found if model is not None), key=lambda model: model.id != FIRST)


def prepare_shipped(model: TrainedModel) -> None:
    """Get a shipped model ready in the background, once a server."""
    if model.shipped:
        _prepared_model(model.id, model)


def model_for_corpus(corpus: Corpus) -> TrainedModel | None:
    """A shipped model that translates between the corpus's languages, in this direction."""
    languages = (LANGUAGE_NAMES[corpus.source_language], LANGUAGE_NAMES[corpus.target_language])
    fitting = (m for m in shipped_models() if (m.source_language, m.target_language) == languages)
    return next(fitting, None)


@st.cache_resource(show_spinner=False, max_entries=6)
def corpus_statistics(
    name: str, split: Split, model_id: str, _model: TrainedModel | None
) -> CorpusStatistics:
    """What there is to count in a split, in words and in the subwords of a model's vocabulary."""
    tokenizers = None
    if _model is not None:
        tokenizers = (_model.checkpoint.source_tokenizer, _model.checkpoint.target_tokenizer)
    return statistics_of(read_split(name, split), tokenizers)


@st.cache_resource(show_spinner=False, max_entries=8)
def _shipped_model(name: str, changed: float) -> TrainedModel | None:
    return open_shipped(name, shipped_checkpoints()[name])


@st.cache_resource(show_spinner=False, max_entries=8)
def _prepared_model(name: str, _model: TrainedModel) -> threading.Thread:
    return prepare_in_background(_model)


@st.cache_data(show_spinner=False, max_entries=64)
def padding_comparison_of(
    model_id: str, sentence: str, num_pads: int, _model: TrainedModel
) -> PaddingComparison:
    """What pads do to a sentence that a model reads, with its padding mask and without.

    Raises:
        TranslationError: the sentence has no words or too many.
    """
    translator = _model.translator  # before the import: it loads TensorFlow in the one place for that
    from core.decoding.padding_comparison import padding_comparison

    return padding_comparison(translator, sentence, num_pads)
