"""CPU time of figures: built as plain dictionaries, and what Plotly's checks of the same ones would add.

python -m tests.benchmarks.figures
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import plotly.graph_objects as go
import plotly.io

from core.figures.attention import attention_figure, attention_info
from core.figures.candidates import candidates_figure, candidates_info
from core.figures.curves import training_curves_figure, training_curves_info
from core.figures.theme import Figure, themed
from core.interpretability.attention_view import AttentionOptions, read_attention
from core.records import AttentionRecord, Candidate, EpochReport, StepReport

_TOKENS = tuple(f"token{number}" for number in range(12))
_HEADS = 4
_ROUNDS, _CALLS = 5, 4


def _record() -> AttentionRecord:
    weights = np.full((1, _HEADS, len(_TOKENS), len(_TOKENS)), 1 / len(_TOKENS), np.float32)
    past = np.tri(len(_TOKENS))
    decoder = np.broadcast_to(past / past.sum(-1, keepdims=True), weights.shape).astype(np.float32)
    return AttentionRecord(_TOKENS, _TOKENS, _TOKENS, weights, decoder, weights)


def _milliseconds(work: Callable[[], object]) -> float:
    """CPU time of one call, the best of some rounds."""
    work()
    rounds = []
    for _ in range(_ROUNDS):
        start = time.process_time()
        for _ in range(_CALLS):
            work()
        rounds.append((time.process_time() - start) / _CALLS * 1000)
    return min(rounds)


def _main() -> None:
    record = _record()
    candidates = [[Candidate(f"word{rank}", 0.2) for rank in range(5)] for _ in _TOKENS]
    reports = [
        StepReport(step, step // 10 + 1, 4 / step, 0.5, 1e-3, step % 10 == 9) for step in range(1, 600)
    ]
    epochs = [EpochReport(n, 10 * n, 4 / n, 0.5, 1e-3, 1.0) for n in range(1, 60)]
    figures: dict[str, Callable[[], tuple[Figure, ...]]] = {
        "one head": lambda: (
            attention_figure(attention_info(read_attention(record, AttentionOptions()), 0)),
        ),
        "candidates": lambda: (candidates_figure(candidates_info(_TOKENS, candidates)),),
        "training curves": lambda: (training_curves_figure(training_curves_info(reports, epochs)),),
    }
    for name, build in figures.items():
        plain = _milliseconds(partial(_write, build))
        checks = _milliseconds(partial(_check, [themed(figure, "light") for figure in build()]))
        print(f"{name:16} {plain:6.1f} ms, with Plotly's checks {plain + checks:6.1f} ms")


def _write(build: Callable[[], tuple[Figure, ...]]) -> None:
    for figure in build():
        plotly.io.to_json(figure, validate=False)


def _check(figures: list[Figure]) -> None:
    for figure in figures:
        go.Figure(figure).to_dict()


if __name__ == "__main__":
    _main()
