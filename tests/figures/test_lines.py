from core.figures.lines import LinePanel, line, stacked_figure
from core.figures.model_inside import erasure_figure
from tests.figures.drawn import drawn


def test_panels_have_axes_of_their_own_or_share_one() -> None:
    trace = line([1, 2], [2, 3], "a", "#000000", "")
    panels = [LinePanel("one", [trace], {}), LinePanel("two", [trace], {"nticks": 3}, {}, [{"text": "here"}])]
    own, shared = (
        drawn(stacked_figure(panels, 300, 0.2)),
        drawn(stacked_figure(panels, 300, 0.2, {"nticks": 9})),
    )
    assert [(each.xaxis, each.yaxis) for each in own.data] == [("x", "y"), ("x2", "y2")]
    assert [(each.xaxis, each.yaxis) for each in shared.data] == [("x", "y"), ("x", "y2")]
    assert [each.showlegend for each in own.data] == [True, False]  # one name, one entry
    assert [note.text for note in own.layout.annotations] == ["one", "two", "here"]
    assert own.layout.annotations[2].yref == "y2"
    assert own.layout.yaxis2.nticks == 3
    assert shared.layout.xaxis.nticks == 9


def test_erasure() -> None:
    curves = {"Raw": [0.0, -1.0], "By chance": [0.0, -0.5]}
    figure = drawn(erasure_figure([0, 1], curves, "By chance"))
    assert [trace.name for trace in figure.data] == ["Raw", "By chance"]
    assert figure.data[1].line.dash == "dash"
    assert figure.data[0].y == (0.0, -1.0)
    assert figure.layout.xaxis.dtick == 1  # no half a word
