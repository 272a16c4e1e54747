"""Graphs that are traced before somebody needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from core.classroom import inside_preparation
from core.classroom.trained_model import TrainedModel

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint


@pytest.mark.slow
def test_every_page_s_graphs_are_traced(checkpoint: Checkpoint) -> None:
    inside_preparation._prepare(TrainedModel("Classroom", checkpoint), 0.0)
    from core.decoding import open_search

    from core.interpretability import trace_graphs
    from core.interpretability.heads import gated_translation

    config = checkpoint.config.replace(dropout_rate=0.0)
    graphs: list[Any] = [
        trace_graphs.compiled_trace(config),
        trace_graphs.compiled_scores(config),
        gated_translation._compiled_search(config),
        open_search.compiled_samples(config),
        open_search.compiled_record(config, 4),
    ]
    assert [graph.experimental_get_tracing_count() for graph in graphs] == [1] * len(graphs)


def test_nothing_is_traced_where_memory_is_short(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inside_preparation, "has_room_for_programs", lambda: False)
    monkeypatch.setattr("core.interpretability.tracer.Tracer.trace", lambda *_: pytest.fail("traced"))
    inside_preparation._prepare(TrainedModel("Classroom", checkpoint), 0.0)
