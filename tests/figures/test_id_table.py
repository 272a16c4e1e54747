from __future__ import annotations

from core.figures.id_table import IdCell, id_chips_html, id_table_html, kinds_of, legend_html

START, WORD = IdCell("[START]", 2, "start"), IdCell("hello", 9, "word")
UNKNOWN = IdCell("<b>", 1, "unknown")


def test_html_has_a_place_for_each_cell() -> None:
    rows = [[START, WORD], [UNKNOWN]]
    drawn = id_table_html("<i>", ["a", "<b>"], rows, now=[(0, 1)], later=[(0, 0)])
    assert kinds_of(rows) == ("word", "unknown", "start")
    assert "<p>&lt;i&gt;</p>" in drawn
    first, second = (drawn.split("<tr")[number] for number in (2, 3))
    assert 'style="--row: 2; --column: 1">a</th>' in first
    assert 'class="id start later" style="--row: 2; --column: 2"><b>2</b><span>[START]</span></td>' in first
    assert 'class="id word now" style="--row: 2; --column: 3"><b>9</b><span>hello</span></td></tr>' in first
    assert ">&lt;b&gt;</th>" in second
    assert 'class="id unknown" style="--row: 3; --column: 2"><b>1</b><span>&lt;b&gt;</span></td>' in second


def test_chips_and_legend() -> None:
    chips = id_chips_html([START, IdCell("x" * 30, 5, "word")], now=1)
    assert '<div class="id start"><b>2</b>' in chips
    assert f'<div class="id word now"><b>5</b><span>{"x" * 17}…</span>' in chips
    assert '<span class="key pad">padding token: fills up a row</span>' in legend_html(["pad"])
