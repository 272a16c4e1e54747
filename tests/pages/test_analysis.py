from types import SimpleNamespace

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.server.trained_model import TrainedModel
from pages.components.model.analysis import analyze, pausing

_calls: list[str] = []


def _num_source_tokens(tracer: Tracer, pair: ForcedPair) -> int:
    _calls.append("source")
    return len(pair.source)


def _num_target_tokens(tracer: Tracer, pair: ForcedPair) -> int:
    _calls.append("target")
    return len(pair.predicted)


def test_an_analysis_is_computed_once_for_each_function_and_content(checkpoint: Checkpoint) -> None:
    model, another = TrainedModel("One", checkpoint), TrainedModel("Another", checkpoint)
    _calls.clear()
    for _ in range(2):  # an equal pair, not the same
        pair = ForcedPair.of_ids(model.translator, [4, 5, 6], [7, 3])
        assert analyze(model, _num_source_tokens, pair) == 3
        assert analyze(model, _num_target_tokens, pair) == 2
    longer = ForcedPair.of_ids(model.translator, [4, 5, 6], [7, 8, 3])
    assert analyze(model, _num_target_tokens, longer) == 3
    assert _calls == ["source", "target", "target"]
    analyze(another, _num_source_tokens, pair)
    assert len(_calls) == 4


def test_a_function_whose_name_others_share_is_refused(checkpoint: Checkpoint) -> None:
    with pytest.raises(Exception, match="lambda"):
        analyze(TrainedModel("One", checkpoint), lambda tracer: 1)


def test_waiting_for_others_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    class Busy:
        def leave(self) -> None:
            pass

        def enter(self) -> None:
            nonlocal now
            now += 10

    monkeypatch.setattr("pages.components.model.analysis.compute_gate", Busy)
    monkeypatch.setattr("pages.components.model.analysis.time", SimpleNamespace(monotonic=lambda: now))
    pause = pausing(3)
    for _ in range(3):
        pause()
        now += 1
    pause()
    now += 1
    with pytest.raises(ValueError):
        pause()
