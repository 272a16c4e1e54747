"""The queues that all sessions of a server share: one for each kind of long work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.classroom.jobs.queue import JobQueue
from core.classroom.jobs.shared_batches import MAX_TRANSLATIONS
from core.classroom.settings import server_settings

_MAX_WAITING = 60  # jobs in a queue


@st.cache_resource(show_spinner=False)
def training_queue() -> JobQueue:
    """The one queue of trainings."""
    return JobQueue(server_settings().max_trainings, _MAX_WAITING)


@st.cache_resource(show_spinner=False)
def evaluation_queue() -> JobQueue:
    """The one queue of evaluations: one at a time, since each keeps all cores busy."""
    return JobQueue(1, _MAX_WAITING, doing="evaluating")


@st.cache_resource(show_spinner=False)
def translation_queue() -> JobQueue:
    """The one queue of translations: they take turns, a portion each."""
    return JobQueue(MAX_TRANSLATIONS, _MAX_WAITING, doing="translating")


@contextmanager
def translation_turn() -> Iterator[None]:
    """A turn among the translations, for the short work of a model that a page waits for.

    Raises:
        QueueFullError: too many wait already.
    """
    queue = translation_queue()
    with queue.turn(queue.enter(), threading.Event()):
        yield
