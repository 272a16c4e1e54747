from __future__ import annotations

import pytest

from core.figures.lengths import LengthsInfo, lengths_figure, lengths_info
from tests.figures.drawn import drawn


def test_info_counts_each_length() -> None:
    assert lengths_info({"source": [1, 2, 2, 4], "target": [3]}) == LengthsInfo(
        starts=(0, 1, 2, 3, 4),
        width=1,
        counts={"source": (0, 1, 2, 0, 1), "target": (0, 0, 0, 1, 0)},
        longest={"source": 4, "target": 3},
        unit="tokens",
    )


@pytest.mark.parametrize(("longest", "width"), [(29, 1), (30, 2), (59, 2), (60, 5), (336, 20)])
def test_ranges_are_those_people_count_in(longest: int, width: int) -> None:
    info = lengths_info({"source": [longest]})
    assert info.width == width
    assert sum(info.counts["source"]) == 1
    assert len(info.starts) <= 30


def test_ranges_in_words() -> None:
    assert lengths_info({"source": [59]}).labels[:2] == ("0–1", "2–3")


def test_figure_marks_the_longest_of_each_side() -> None:
    figure = drawn(lengths_figure(lengths_info({"source": [1, 7], "target": [3]}, "words")))
    assert [annotation.text for annotation in figure.layout.annotations] == [
        "longest source: 7",
        "longest target: 3",
    ]
    assert [trace.name for trace in figure.data] == ["source", "target"]


def test_ticks_name_single_lengths_in_the_middle_of_their_bars() -> None:
    figure = drawn(lengths_figure(lengths_info({"source": [1, 2, 2]})))
    assert list(figure.layout.xaxis.tickvals) == [0.5, 1.5, 2.5]
    assert list(figure.layout.xaxis.ticktext) == ["0", "1", "2"]
    assert drawn(lengths_figure(lengths_info({"source": [99]}))).layout.xaxis.tickvals is None
