from __future__ import annotations

from core.figures.score_by_length import (
    LengthScore,
    ScoreByLengthInfo,
    score_by_length_figure,
    score_by_length_info,
)
from tests.figures.drawn import drawn

SHORT, LONG, LONGEST = (
    LengthScore("1–10", 40.0, 7),
    LengthScore("11–20", 30.0, 3),
    LengthScore("over 60", 5.0, 1),
)


def test_info_puts_evaluations_side_by_side() -> None:
    assert score_by_length_info({"A": [LONG, LONGEST], "B": [SHORT, LONG]}) == ScoreByLengthInfo(
        labels=("1–10", "11–20", "over 60"),
        scores={"A": (None, 30.0, 5.0), "B": (40.0, 30.0, None)},
        sentences={"A": (0, 3, 1), "B": (7, 3, 0)},
        score_name="BLEU",
    )


def test_figure_writes_scores_and_counts() -> None:
    figure = drawn(score_by_length_figure(score_by_length_info({"<b>": [SHORT, LONG]})))
    assert list(figure.data[0].text) == ["40<br>n = 7", "30<br>n = 3"]
    assert figure.data[0].name == "&lt;b&gt;"
    assert not figure.layout.showlegend


def test_no_sentence_gives_a_figure_that_says_so() -> None:
    assert (
        "No sentences" in drawn(score_by_length_figure(score_by_length_info({}))).layout.annotations[0].text
    )
