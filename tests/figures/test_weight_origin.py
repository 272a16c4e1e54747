"""How a weight came about: the arithmetic that is shown leads to the weight that is drawn."""

import re
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.figures import theme
from core.figures.html.weight_origin import calculations, remark, weight_origin_html
from core.inference.model import attention_names, stacked
from core.interpretability.head_numbers import head_numbers
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.records.analysis import HeadNumbers
from core.records.attention import ATTENTION_KINDS, AttentionKind, Head
from core.theory.attention_steps import attend


class Shown(NamedTuple):
    """A cell of the table: its number, and where its bar begins and ends, percent."""

    number: float
    ends: tuple[float, float]


def _shown(numbers: HeadNumbers, row: int, column: int) -> tuple[list[list[Shown]], list[list[float]]]:
    """The lines of the table, and the numbers of the strips, as a reader sees them."""
    page = ElementTree.fromstring(f"<div>{weight_origin_html(numbers, row, column)}</div>")
    lines = [
        [
            Shown(_number("".join(cell.itertext())), _percents(cell.attrib["style"]))
            for cell in line.iter("td")
        ]
        for line in page.iterfind(".//tbody/tr")
    ]
    strips = [
        [_number(cell.attrib["title"].rpartition(": ")[2]) for cell in strip]
        for strip in page.iterfind(".//*[@role='img']")
    ]
    return lines, strips


def _number(text: str) -> float:
    """The number at the beginning of a text, before a masked score's "− 1e9"."""
    return float(text.partition(" ")[0].replace("−", "-"))


def _percents(style: str) -> tuple[float, float]:
    first, last, *_ = map(float, re.findall(r"([\d.]+)%", style))
    return first, last


def _plain(latex: str) -> str:
    """Numbers with powers of ten as Python writes them."""
    return re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"e\1", latex).replace("−", "-")


def _numbers_at_the_end(softmax: str) -> tuple[float, ...]:
    """The fraction of a softmax, and what it is shown to be."""
    numbers = _plain(softmax).split(r"\approx ")
    fraction = re.findall(r"\{([^{}]+)\}", numbers[1])
    return float(fraction[0]), float(fraction[1]), float(numbers[2])


def _numbers_of_product(taken: str) -> list[float]:
    """The weight, the norm of the value, and what the head takes."""
    return [float(number) for number in re.split(r" \\cdot | \\approx ", _plain(taken).rpartition("= ")[2])]


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


@pytest.mark.slow
@pytest.mark.parametrize("sentence", ["oi 🙂", "este é um problema.", "o livro não é meu"])
def test_every_calculation_ends_in_the_number_of_its_cell(
    sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a head takes is compared with the values of the pass over the sentence."""
    translator = Checkpoint.load(find_checkpoint("ted_pt_en")).translator()
    explained = translator.explain(sentence, typed=True)
    pair = ForcedPair.of_translation(translator, explained.translation)
    tracer = Tracer(translator)
    found = tracer.results(pair, list(translator.model.names))
    monkeypatch.setattr(tracer, "results", lambda *_: found)  # one pass for all heads
    for kind in ATTENTION_KINDS:
        weights = explained.attention.of_kind(kind).weights
        values = stacked(found, attention_names(kind, "values", translator.config))
        norms = np.linalg.norm(values, axis=-1)
        for layer, head in np.ndindex(weights.shape[:2]):
            numbers = head_numbers(tracer, pair, Head(kind, layer, head))
            assert np.allclose(numbers.steps.weights, weights[layer, head], atol=1e-5)
            for row, column in np.ndindex(weights.shape[2:]):
                _, divided, _, softmax, taken = (each.latex for each in calculations(numbers, row, column))
                scaled = numbers.steps.queries[row] @ numbers.steps.keys[column] / 8  # √64
                assert float(_plain(divided).rpartition(" ")[2]) == pytest.approx(scaled, rel=0.01, abs=6e-4)
                own, norm = weights[layer, head, row, column], norms[layer, head, column]
                above, below, weight = _numbers_at_the_end(softmax)
                assert above / below == pytest.approx(own, abs=2e-3)
                assert weight == pytest.approx(own, rel=0.05, abs=5e-4)
                assert _numbers_of_product(taken) == pytest.approx(
                    [own, norm, own * norm], rel=0.01, abs=6e-4
                )


def test_the_hardest_cells_explain_themselves() -> None:
    future = row_of([[1.0], [2.0]], [[1.0], [1.0]], "decoder")
    masked = calculations(future, 0, 1)
    assert "-10^9" in masked[2].latex and masked[3].latex.endswith(r"\approx 0")
    assert remark(future, 0, 1)
    only = row_of([[1.0]], [[3.0]])
    assert calculations(only, 0, 0)[3].latex.endswith(r"\approx 1") and remark(only, 0, 0)
    uniform = row_of([[0.0]], [[1.0], [2.0], [3.0], [4.0]])
    assert calculations(uniform, 0, 2)[3].latex.endswith(r"\approx 0.25") and "1/4" in remark(uniform, 0, 2)
    certain = row_of([[1.0]], [[1.0], [10.0], [2.0]])
    assert "8" in remark(certain, 0, 1), "by how much the others are lower"
    assert not remark(row_of([[1.0]], [[1.0], [2.0]]), 0, 1)


@pytest.mark.parametrize("kind", ATTENTION_KINDS)
def test_table_and_strips_have_the_heads_numbers(kind: AttentionKind) -> None:
    translator = Checkpoint.load(find_checkpoint("ted_pt_en")).translator()
    explained = translator.explain("o livro é meu.", typed=True)
    pair = ForcedPair.of_translation(translator, explained.translation)
    tracer = Tracer(translator)
    numbers = head_numbers(tracer, pair, Head(kind, 1, 1))
    steps = numbers.steps
    norms = np.linalg.norm(steps.weights[:, :, None] * steps.values, axis=2)
    for row, own_weights in enumerate(explained.attention.of_kind(kind).weights[1, 1]):
        table, _ = _shown(numbers, row, 0)
        for column, expected in enumerate((steps.scaled[row], own_weights, norms[row])):
            shown = [cells[column].number for cells in table]
            assert shown == pytest.approx(expected.tolist(), rel=5e-4, abs=5.1e-4)
        # The bars of weights begin at 0, and the longest has the whole width.
        assert [cells[1].ends for cells in table] == [
            (0, pytest.approx(100 * weight / own_weights.max(), abs=0.1)) for weight in own_weights
        ]
    _, strips = _shown(numbers, row := len(numbers.rows) - 1, 0)
    expected_strips = (
        numbers.row_vectors[row],
        numbers.column_vectors[0],
        steps.queries[row],
        steps.keys[0],
        steps.queries[row] * steps.keys[0],
    )
    for strip, vector in zip(strips, expected_strips, strict=True):
        assert strip == pytest.approx(vector.tolist(), rel=5e-4, abs=5.1e-4)
    assert sum(strips[-1]) == pytest.approx(steps.scores[row, 0], abs=0.02)
    written = re.findall(r"\. }(\d+)", calculations(numbers, row, 0)[0].latex)
    products = np.abs(strips[-1])
    assert sorted(products[int(place) - 1] for place in written) == sorted(products)[-3:]


def test_blue_is_below_zero_and_the_chosen_token_is_marked() -> None:
    numbers = row_of([[1.0]], [[-2.0], [3.0], [1.0]])
    page = ElementTree.fromstring(f"<div>{weight_origin_html(numbers, 0, 1)}</div>")
    marked = [line.find("th").text for line in page.iterfind(".//tbody/tr") if line.get("aria-current")]  # type: ignore[union-attr]
    assert marked == ["b"]
    for cell in page.iterfind(".//*[@role='img']/i"):
        color = theme.BLUE if _number(cell.attrib["title"].rpartition(": ")[2]) < 0 else theme.VERMILLION
        assert cell.attrib["style"].startswith(f"background: {color}")
