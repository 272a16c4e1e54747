from __future__ import annotations

import pytest

from core.figures.training import lengths_figure
from tests.figures.drawn import drawn


def test_each_length_is_counted_and_the_longest_marked() -> None:
    figure = drawn(lengths_figure({"source": [1, 2, 2, 4], "target": [3]}, "words"))
    assert [trace.name for trace in figure.data] == ["source", "target"]
    assert [trace.y for trace in figure.data] == [(0, 1, 2, 0, 1), (0, 0, 0, 1, 0)]
    assert [note.text for note in figure.layout.annotations] == ["longest source: 4", "longest target: 3"]
    assert list(figure.layout.xaxis.tickvals) == [0.5, 1.5, 2.5, 3.5, 4.5]  # in the middle of their bars
    assert list(figure.layout.xaxis.ticktext) == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("longest", "first"), [(29, "0"), (30, "0–1"), (59, "0–1"), (60, "0–4"), (336, "0–19")]
)
def test_ranges_are_those_people_count_in(longest: int, first: str) -> None:
    (bars,) = drawn(lengths_figure({"source": [longest]})).data
    assert bars.customdata[0] == first
    assert (bars.y[-1], sum(bars.y)) == (1, 1)
    assert len(bars.y) <= 30
