"""How a weight came about: the arithmetic that is shown leads to the weight that is drawn."""

from __future__ import annotations

import re

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.figures.weight_origin import calculations, remark, row_figure, vectors_figure
from core.inference.translator import Translator
from core.interpretability.head_numbers import as_drawn, head_numbers
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.records.analysis import HeadNumbers
from core.records.attention import ATTENTION_KINDS, AttentionKind, Head
from core.theory.attention_steps import attend
from tests.figures.drawn import drawn


def opened(translator: Translator, sentence: str, head: Head) -> HeadNumbers:
    pair = ForcedPair.of_translation(translator, translator.translate([sentence], typed=True)[0])
    return head_numbers(Tracer(translator), pair, head)


def _numbers_at_the_end(softmax: str) -> tuple[float, ...]:
    """The fraction of a softmax, and what it is shown to be."""
    numbers = re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"e\1", softmax).split(r"\approx ")
    fraction = re.findall(r"\{([^{}]+)\}", numbers[1])
    return float(fraction[0]), float(fraction[1]), float(numbers[2])


def row_of(queries: list[list[float]], keys: list[list[float]], kind: AttentionKind = "cross") -> HeadNumbers:
    """A head with chosen numbers."""
    mask = (
        np.tri(len(queries), len(keys), dtype=np.bool_)
        if kind == "decoder"
        else np.ones((1, len(keys)), np.bool_)
    )
    steps = attend(queries, keys, keys, mask)
    tokens = tuple("abcd"[: len(keys)])
    vectors = np.array(keys, np.float32)
    return HeadNumbers(Head(kind, 0, 0), tokens[: len(queries)], tokens, vectors, vectors, mask, steps)


@pytest.mark.parametrize("sentence", ["oi", "este é um problema.", "o livro não é meu"])
def test_every_calculation_ends_in_the_number_of_its_cell(sentence: str) -> None:
    translator = Checkpoint.load(find_checkpoint("ted_pt_en")).translator()
    explained = translator.explain(sentence, typed=True)
    pair = ForcedPair.of_translation(translator, explained.translation)
    for kind in ATTENTION_KINDS:
        attention = explained.attention.of_kind(kind)
        weights = attention.weights
        for layer, head in np.ndindex(weights.shape[:2]):
            computed = head_numbers(Tracer(translator), pair, Head(kind, layer, head))
            numbers = as_drawn(computed, attention)
            assert np.allclose(computed.steps.weights, numbers.steps.weights, atol=1e-5)
            for row, column in np.ndindex(weights.shape[2:]):
                softmax = calculations(numbers, row, column)[3].latex
                above, below, weight = _numbers_at_the_end(softmax)
                assert above / below == pytest.approx(weights[layer, head, row, column], abs=2e-3)
                assert weight == pytest.approx(weights[layer, head, row, column], rel=0.05, abs=5e-4)


def test_the_hardest_cells_explain_themselves() -> None:
    future = row_of([[1.0], [2.0]], [[1.0], [1.0]], "decoder")
    masked = calculations(future, 0, 1)
    assert "-10^9" in masked[2].latex and masked[3].latex.endswith(r"\approx 0")
    assert "exactly 0" in remark(future, 0, 1)
    only = row_of([[1.0]], [[3.0]])
    assert calculations(only, 0, 0)[3].latex.endswith(r"\approx 1") and "only one key" in remark(only, 0, 0)
    uniform = row_of([[0.0]], [[1.0], [2.0], [3.0], [4.0]])
    assert calculations(uniform, 0, 2)[3].latex.endswith(r"\approx 0.25") and "1/4" in remark(uniform, 0, 2)
    certain = row_of([[1.0]], [[1.0], [10.0]])
    assert "lower by 9" in remark(certain, 0, 1)
    assert not remark(row_of([[1.0]], [[1.0], [2.0]]), 0, 1)


@pytest.mark.parametrize("kind", ATTENTION_KINDS)
def test_bars_and_strips_have_the_heads_numbers(kind: AttentionKind) -> None:
    translator = Checkpoint.load(find_checkpoint("ted_pt_en")).translator()
    numbers = opened(translator, "o livro é meu.", Head(kind, 1, 1))
    row, column = len(numbers.rows) - 1, 0
    steps = numbers.steps
    scores, weights, norms = (trace.y for trace in drawn(row_figure(numbers, row, column)).data)
    assert scores == pytest.approx(steps.scaled[row])
    assert weights == pytest.approx(steps.weights[row])
    assert norms == pytest.approx(np.linalg.norm(steps.weights[row][:, None] * steps.values, axis=1))
    states, products = drawn(vectors_figure(numbers, row, column)).data
    assert len(states.customdata[0]) == numbers.row_vectors.shape[1]
    shown = [float(re.sub("−", "-", text.rpartition(": ")[2])) for text in products.customdata[2]]
    assert sum(shown) == pytest.approx(steps.scores[row, column], abs=0.02)
