"""The queues that all sessions of a server share: one for each kind of long work."""

from __future__ import annotations

import streamlit as st

from core.classroom.jobs import JobQueue
from core.classroom.settings import server_settings

_MAX_WAITING = 60  # jobs in a queue
_MAX_TRANSLATIONS = 4  # long ones at a time, whose batches take turns


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
    """The one queue of long translations and analyses."""
    return JobQueue(_MAX_TRANSLATIONS, _MAX_WAITING, doing="translating")
