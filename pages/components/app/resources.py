"""What all sessions of a server share: the only home of st.cache_*. All of it is thread-safe."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.runtime import exists, get_instance

from core.classroom.addresses.short_addresses import ShortAddresses
from core.classroom.code_lock import CodeLock
from core.classroom.corpora.corpus_count import CorpusCount
from core.classroom.inside_preparation import prepare_inside_in_background
from core.classroom.jobs.queue import JobQueue
from core.classroom.jobs.recent_jobs import RecentJobs
from core.classroom.memory import has_room_for_programs, when_short
from core.classroom.presence import Presence
from core.classroom.settings import server_settings
from core.classroom.shipped_models import open_shipped, prepare_in_background
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace, WorkspaceStore
from core.corpora.catalogue import CORPORA, LANGUAGE_NAMES, Corpus
from core.corpora.hand_aligned import aligned_pairs
from core.corpora.split import Split
from core.interpretability.attention.word_links import Step
from core.model.programs.xla_programs import compile_while
from core.records import PaddingComparison
from core.storage.shipped import FIRST, shipped_checkpoints
from pages.components.app.workarounds import end_at_once, freeze_imported

Finding = TypeVar("Finding")


@st.cache_resource(show_spinner=False)
def code_lock(door: str, code: str) -> CodeLock:
    """The one lock of a door, which counts wrong codes."""
    return CodeLock(code, server_settings().max_wrong_codes, server_settings().max_wrong_codes_of_tab)


@st.cache_resource(show_spinner=False)
def short_addresses() -> ShortAddresses:
    """The numbers of the views that the teacher has shown."""
    return ShortAddresses(server_settings().max_short_addresses)


@st.cache_resource(show_spinner=False)
def training_queue() -> JobQueue:
    """The one queue of trainings."""
    return JobQueue(server_settings().max_trainings, server_settings().max_waiting)


@st.cache_resource(show_spinner=False)
def large_training_queue() -> JobQueue:
    """The one queue of trainings on large corpora: one at a time, for hours."""
    return JobQueue(1, server_settings().max_large_waiting)


@st.cache_resource(show_spinner=False)
def large_jobs() -> RecentJobs:
    """The trainings on large corpora that can still go on."""
    return RecentJobs(server_settings().max_large_kept)


@st.cache_resource(show_spinner=False)
def evaluation_queue() -> JobQueue:
    """The one queue of evaluations: one at a time, since each keeps all cores busy."""
    return JobQueue(1, server_settings().max_waiting, doing="evaluating")


@st.cache_resource(show_spinner=False)
def translation_queue() -> JobQueue:
    """The one queue of translations: they take turns, a portion each."""
    return JobQueue(server_settings().max_translations, server_settings().max_waiting, doing="translating")


@contextmanager
def translation_turn() -> Iterator[None]:
    """A turn among the translations, for the short work of a model that a page waits for.

    Raises:
        QueueFullError: too many wait already.
    """
    queue = translation_queue()
    with queue.turn(queue.enter(), threading.Event()):
        yield


@st.cache_resource(show_spinner=False)
def workspace_store() -> WorkspaceStore:
    """The one store of workspaces."""
    store = WorkspaceStore(server_settings().max_workspaces, server_settings().workspace_seconds, is_live)
    when_short(store.forget_gone)
    return store


def presence_of(workspace: Workspace) -> Presence:
    """Whether a workspace's tab is there still, for what works for it in the background."""
    return Presence(lambda: is_live(workspace.session_id), server_settings().max_away_seconds)


def is_live(session_id: str) -> bool:
    """Whether a Streamlit session still has a browser tab; without a server, where a test drives the script."""
    return not exists() or get_instance().is_active_session(session_id)


def preload_tensorflow() -> None:
    """Import TensorFlow in the background, once a server, while somebody still reads the page.

    Where an endpoint translates, only who trains or evaluates needs it here, and waits for it then.
    """
    if not server_settings().endpoint:
        _preloading()


@st.cache_resource(show_spinner=False)
def _preloading() -> threading.Thread:
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
    first = server_settings().default_model or FIRST
    return sorted((model for model in found if model is not None), key=lambda model: model.id != first)


def prepare_shipped(model: TrainedModel) -> None:
    """Get a shipped model ready in the background, once a server; an endpoint has its own ready."""
    if model.shipped and not server_settings().endpoint:
        _prepared_model(model.id, model)


def prepare_inside(model: TrainedModel) -> None:
    """Get what looking inside a shipped model needs ready in the background, once a server; asked for by its pages."""
    if model.shipped and not server_settings().endpoint:
        _prepared_inside(model.id, model)


def model_for_corpus(corpus: Corpus) -> TrainedModel | None:
    """A shipped model that translates between the corpus's languages, in this direction."""
    languages = (LANGUAGE_NAMES[corpus.source_language], LANGUAGE_NAMES[corpus.target_language])
    fitting = (m for m in shipped_models() if (m.source_language, m.target_language) == languages)
    return next(fitting, None)


def corpus_count(name: str, split: Split) -> CorpusCount:
    """What there is to count in a split, in words and in the subwords of a shipped model; begun once a server."""
    model = model_for_corpus(CORPORA[name])
    return _corpus_count(name, split, model.id if model else "", model)


def forget_count(name: str, split: Split) -> None:
    """Count anew for the next visitor: it failed."""
    model = model_for_corpus(CORPORA[name])
    _corpus_count.clear(name, split, model.id if model else "", model)


@st.cache_resource(show_spinner=False, max_entries=6)
def _corpus_count(name: str, split: Split, model_id: str, _model: TrainedModel | None) -> CorpusCount:
    tokenizers = None
    if _model is not None:
        tokenizers = (_model.checkpoint.source_tokenizer, _model.checkpoint.target_tokenizer)
    return CorpusCount(name, split, tokenizers)


@st.cache_resource(show_spinner=False, max_entries=8)
def _shipped_model(name: str, changed: float) -> TrainedModel | None:
    return open_shipped(name, shipped_checkpoints()[name])


@st.cache_resource(show_spinner=False, max_entries=8)
def _prepared_model(name: str, _model: TrainedModel) -> threading.Thread:
    return prepare_in_background(_model)


@st.cache_resource(show_spinner=False, max_entries=8)
def _prepared_inside(name: str, _model: TrainedModel) -> threading.Thread:
    return prepare_inside_in_background(_model)


@st.cache_data(show_spinner=False, max_entries=64)
def padding_comparison_of(
    model_id: str, sentence: str, num_pads: int, _model: TrainedModel
) -> PaddingComparison:
    """What pads do to a sentence that a model reads, with its padding mask and without.

    Raises:
        TranslationError: the sentence has no words or too many.
        QueueFullError: too many translations wait already.
    """
    translator = _model.local_translator  # before the import: it loads TensorFlow in the one place for that
    from core.decoding.padding.comparison import padding_comparison

    with translation_turn():
        return padding_comparison(translator, sentence, num_pads)


@st.cache_resource(show_spinner=False, max_entries=128)
def kept_finding(
    model_id: str, what: str, content: tuple[Hashable, ...], _find: Callable[[], Finding]
) -> Finding:
    """What was found inside a model for some content, computed once; nobody may change it.

    Args:
        model_id: of the model.
        what: kind of finding.
        content: all that the finding depends on, beside the model.

    Raises:
        TranslationError: it cannot be had.
        QueueFullError: too many people wait.
    """
    with translation_turn():
        return _find()


@st.cache_data(show_spinner=False, max_entries=16)
def alignment_errors_of(model_id: str, step: Step, _model: TrainedModel) -> NDArray[np.float32]:
    """The alignment error of every head against pairs aligned by hand, (L, H).

    Raises:
        ValueError: there are no such pairs for the model.
        QueueFullError: too many people wait.
    """
    pairs = aligned_pairs(_model.source_language, _model.target_language)
    if pairs is None:
        raise ValueError("There are no pairs aligned by hand for this model's languages.")
    translator = _model.local_translator  # before the import: it loads TensorFlow in the one place for that
    from core.interpretability.attention.alignment import head_alignment_errors

    with translation_turn():
        return head_alignment_errors(translator, pairs, step)
