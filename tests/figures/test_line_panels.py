from __future__ import annotations

import pytest
from plotly.subplots import make_subplots

from core.figures.line_panels import LinePanel, line_panels
from tests.figures.drawn import drawn


@pytest.mark.parametrize(("count", "gap"), [(1, 0.1), (2, 0.17), (3, 0.09)])
def test_panels_are_where_plotly_itself_would_put_them(count: int, gap: float) -> None:
    ours = drawn(
        line_panels([LinePanel("t", [{"type": "scatter", "y": [1]}])] * count, 300, gap, shared=True)
    )
    theirs = make_subplots(rows=count, cols=1, vertical_spacing=gap, shared_xaxes=True)
    for number in range(1, count + 1):
        here, there = (next(figure.select_yaxes(row=None, selector=number - 1)) for figure in (ours, theirs))
        assert here.domain == pytest.approx(there.domain)
        here, there = (next(figure.select_xaxes(row=None, selector=number - 1)) for figure in (ours, theirs))
        assert (here.matches, here.showticklabels) == (there.matches, there.showticklabels)
    assert [trace.yaxis for trace in ours.data] == ["y", "y2", "y3"][:count]


def test_titles_and_notes_belong_to_their_panels() -> None:
    panels = [
        LinePanel("a", []),
        LinePanel("b", [], {"nticks": 3}, {"range": [0, 2]}, [{"text": "here", "x": 1}]),
    ]
    figure = drawn(line_panels(panels, 300, 0.2, layout={"barmode": "group"}))
    assert [note.text for note in figure.layout.annotations] == ["a", "b", "here"]
    assert figure.layout.annotations[2].yref == "y2"
    assert (figure.layout.xaxis2.nticks, figure.layout.yaxis2.range) == (3, (0, 2))
    assert figure.layout.xaxis.matches is None
    assert (figure.layout.barmode, figure.layout.height) == ("group", 300)
