import json

import plotly.graph_objects as go
from hypothesis import given
from hypothesis import strategies as st

from core.figures import theme


def test_no_figure_brings_its_own_black_or_white() -> None:
    figure = theme.apply_theme(go.Figure(go.Scatter(y=[1, 2])), height=300)
    layout = figure.to_plotly_json()["layout"]
    layout.pop("template", None)
    assert figure.layout.height == 300
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0, 0, 0, 0)"
    text = json.dumps(layout).lower()
    assert not any(colour in text for colour in ("black", "white", "#000", "#fff"))
    assert figure.layout.font.color is None


def test_the_buttons_keep_data_on_the_machine() -> None:
    assert theme.PLOTLY_CONFIG["displaylogo"] is False
    assert theme.PLOTLY_CONFIG["modeBarButtons"] == [["toImage", "resetScale2d"]]
    assert theme.PLOTLY_CONFIG["showSendToCloud"] is False
    assert theme.PLOTLY_CONFIG["toImageButtonOptions"]["format"] == "svg"


def test_escaped() -> None:
    assert theme.escaped('<b> & "x"') == '&lt;b&gt; &amp; "x"'


def test_shortened() -> None:
    assert theme.shortened("internationals") == "internationals"
    assert theme.shortened("internationally") == "international…"


@given(st.integers(0, 300), st.integers(1, 50))
def test_tick_positions_are_even_begin_at_0_and_are_not_too_many(count: int, most: int) -> None:
    positions = list(theme.tick_positions(count, most))
    assert len(positions) <= most
    assert positions[:1] == ([0] if count else [])
    assert count > most or positions == list(range(count))
