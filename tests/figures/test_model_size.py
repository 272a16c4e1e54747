import pytest

from core.figures.model_size import ModelBar, model_size_figure
from core.theory.model_size import BASE, parameters_by_kind
from tests.conftest import TINY
from tests.figures.drawn import drawn


def test_shares_by_hand() -> None:
    """TINY has 160 + 1152 + 576 + 1120 + 160 + 81 = 3249 parameters."""
    bar = ModelBar("Tiny", parameters_by_kind(TINY))
    assert tuple(bar.counts.values()) == (160, 1152, 576, 1120, 160, 81)
    assert bar.parameters == 3249
    assert bar.shares["feed-forward"] == pytest.approx(1120 / 3249)
    assert sum(bar.shares.values()) == pytest.approx(1)


def test_figure_has_a_bar_for_each_model_and_a_colour_for_each_kind() -> None:
    bars = [ModelBar(name, parameters_by_kind(config)) for name, config in (("<b>", TINY), ("base", BASE))]
    figure = drawn(model_size_figure(bars, ["3,249", "63.1 million"]))
    assert [trace.name for trace in figure.data] == [
        "embeddings", "self-attention", "cross-attention", "feed-forward", "norms", "output",
    ]  # fmt: skip
    assert len({trace.marker.color for trace in figure.data}) == 6
    assert list(figure.data[5].x) == [81 / 3249, 0.0]  # tied: the output has nothing of its own
    assert list(figure.data[5].text) == ["", ""]  # too narrow for its number
    assert figure.data[3].text[1] == "40%"
    assert [note.text for note in figure.layout.annotations] == [
        "<b>&lt;b&gt;</b>: 3,249",
        "<b>base</b>: 63.1 million",
    ]
    assert figure.layout.xaxis.title.text == "share of all parameters"
