"""Analyses of what a model computes, each done once for all sessions, in turn with others."""

import time
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

import streamlit as st

from core.interpretability.teacher_forcing import Tracer
from core.language import _
from core.server.queue import compute_gate
from core.server.trained_model import TrainedModel

MAX_ANALYSIS_TOKENS = 128  # on each side of an analyzed sentence
MAX_ANALYSIS_SECONDS = 30.0  # the time limit of one analysis

Result = TypeVar("Result")


def _full_name(function: FunctionType) -> str:
    """Return the name by which the cache knows a function: one in a function would share it with others."""
    if "<" in function.__qualname__:
        raise TypeError(f"An analysis is a function of a module. Received: {function.__qualname__}.")
    return f"{function.__module__}.{function.__qualname__}"


def analyze(model: TrainedModel, function: Callable[..., Result], *arguments: Any) -> Result:
    """Return `function(tracer, *arguments)`, computed once and shared by all sessions: do not change it.

    Args:
        model: the model that the tracer runs.
        function: a function of a module.
        arguments: everything else that the result depends on, compared by content: texts, ids, records of them.

    Raises:
        ValueError: the analysis is impossible or takes too long.
    """
    analysis: Result = _cached(_("Computing. A long sentence takes some seconds."))(
        model, function, *arguments
    )
    return analysis


@cache  # so that each language has a spinner of its own; Streamlit knows the function, and all share its results
def _cached(spinner: str) -> Callable[..., Any]:
    keep = st.cache_resource(
        show_spinner=spinner,
        max_entries=128,
        hash_funcs={TrainedModel: lambda model: model.id, FunctionType: _full_name},
    )
    return keep(_analyze)


def _analyze(model: TrainedModel, function: Callable[..., Result], *arguments: Any) -> Result:
    with compute_gate():
        return function(Tracer(model.translator, pausing(MAX_ANALYSIS_SECONDS)), *arguments)


def pausing(seconds: float) -> Callable[[], None]:
    """Return a function to call between two batches: it lets others compute, and raises after `seconds` of computing.

    Waiting does not count. The caller holds a place at the gate.
    """
    left = seconds
    since: float | None = None

    def pause() -> None:
        nonlocal left, since
        if since is not None:
            left -= time.monotonic() - since
        if left < 0:
            raise ValueError(_("This analysis takes too long on this server. Try a shorter sentence."))
        compute_gate().leave()
        compute_gate().enter()
        since = time.monotonic()

    return pause
