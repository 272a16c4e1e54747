from __future__ import annotations

from core.figures import theme
from core.figures.candidates import CandidatesInfo, candidates_figure, candidates_info
from core.figures.label_fit import longest_line
from core.records import Candidate
from tests.figures.drawn import drawn

STEPS = ((Candidate("i", 0.9), Candidate("<b>", 0.1)), (Candidate("i", 0.6), Candidate("[END]", 0.4)))


def test_info_turns_steps_into_columns() -> None:
    assert candidates_info(("i", "i"), STEPS) == CandidatesInfo(
        steps=("1. i", "2. i"),
        tokens=(("i", "i"), ("<b>", "[END]")),
        probabilities=((0.9, 0.6), (0.1, 0.4)),
    )


def test_figure_keeps_repeated_words_apart_and_tokens_as_text() -> None:
    figure = drawn(candidates_figure(candidates_info(("i", "i"), STEPS)))
    assert list(figure.layout.xaxis.ticktext) == ["1. i", "2. i"]
    assert "&lt;b&gt;<br>10.0%" in figure.data[0].text[1][0]


def test_text_is_black_on_bright_cells_and_white_on_dark_ones() -> None:
    text = drawn(candidates_figure(candidates_info(("i", "i"), STEPS))).data[0].text
    assert f"color:{theme.BLACK}" in text[0][0] and f"color:{theme.WHITE}" in text[1][0]


def test_labels_of_many_steps_stay_in_their_columns() -> None:
    long = "responsibility"
    figure = drawn(candidates_figure(candidates_info([long] * 14, [[Candidate(long, 0.9)]] * 14)))
    column = figure.layout.meta["min_width"] / 15
    assert longest_line([f"{long[:6]}…"]) <= column
    assert f"{long[:6]}…<br>" in figure.data[0].text[0][0]
    assert long in figure.data[0].customdata[0][0]


def test_columns_of_few_steps_are_as_wide_on_a_phone_as_what_is_written_in_them() -> None:
    figure = drawn(candidates_figure(candidates_info(["a"] * 2, [[Candidate("grandmother", 0.9)]] * 2)))
    assert "grandmother<br>" in figure.data[0].text[0][0]
    assert longest_line(["grandmother"]) <= figure.layout.meta["min_width"] / 3
