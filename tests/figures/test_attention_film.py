from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go

from core.figures.attention import attention_info
from core.figures.attention_film import film_figure
from core.figures.theme import themed
from core.interpretability.attention_view import AttentionOptions, read_attention
from tests.figures.test_attention import uneven_record


def test_a_frame_for_each_moment_and_the_last_one_drawn() -> None:
    records = [uneven_record(5, 4, 1, layers) for layers in (1, 2, 3)]
    infos = [attention_info(read_attention(record, AttentionOptions()), 0) for record in records]
    figure = go.Figure(themed(film_figure(list(zip((0, 8, 16), infos, strict=True)), "epoch"), "light"))
    assert [frame.name for frame in figure.frames] == ["0", "8", "16"]
    for frame, info in zip(figure.frames, infos, strict=True):
        np.testing.assert_array_equal(np.array(frame.data[0].z, float), np.array(info.heatmap.values))
    (slider,) = figure.layout.sliders
    assert [step.label for step in slider.steps] == ["0", "8", "16"]
    assert [step.args[0][0] for step in slider.steps] == ["0", "8", "16"]
    assert slider.active == 2
    assert slider.currentvalue.prefix == "After epoch "
    np.testing.assert_array_equal(
        np.array(figure.data[0].z, float), np.array(infos[-1].heatmap.values, float)
    )


def test_what_is_sent_to_the_browser_stays_small() -> None:
    info = attention_info(read_attention(uneven_record(30, 30, 1, 1), AttentionOptions()), 0)
    film = film_figure([(moment, info) for moment in range(26)], "epoch")
    assert len(json.dumps(film)) < 1_000_000
