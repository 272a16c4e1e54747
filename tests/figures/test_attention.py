from __future__ import annotations

import dataclasses
import json

import numpy as np
import plotly.graph_objects as go
import pytest

from core.figures.attention import attention_figure, attention_panels, film_figure
from core.figures.attention_drawings import (
    MAX_LINKS,
    attention_page,
    heatmap_svg,
    linked_tokens,
    overview_svg,
)
from core.figures.theme import themed
from core.interpretability.attention_view import AttentionOptions, Kind, read_attention
from core.records import AttentionRecord, AttentionView
from tests.figures.drawn import drawn
from tests.figures.records import even_record, small_record


def view_of(record: AttentionRecord, kind: Kind = "cross") -> AttentionView:
    return read_attention(record, AttentionOptions(kind))


def uneven_view(tokens: int, layers: int = 1, heads: int = 1) -> AttentionView:
    """Random weights, as an untrained model might have."""
    record = even_record(tokens, tokens)
    weights = np.random.default_rng(0).random((layers, heads, tokens, tokens), np.float32) ** 8
    return view_of(dataclasses.replace(record, cross=weights / weights.sum(axis=-1, keepdims=True)))


def test_a_cross_attention_head() -> None:
    figure = drawn(attention_figure(view_of(small_record()), layer=0, head=0))
    (cells,) = figure.data
    assert figure.layout.title.text == "Cross-attention, layer 1, head 1"
    assert [list(row) for row in cells.z] == [[0.75, 0.25], [0.0, 1.0], [0.5, 0.5]]
    assert figure.layout.yaxis.ticktext == ("i", "come", "[END]")  # what was predicted, not what was read
    assert cells.customdata[1][1] == "“come” → “viens”: weight 1.00"
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    mean = attention_figure(view_of(small_record()), layer=0)
    assert np.array_equal(mean["data"][0]["z"], np.full((3, 2), 0.5))


def test_the_decoder_leaves_the_future_blank() -> None:
    (cells,) = drawn(attention_figure(view_of(small_record(), "decoder"), layer=0, head=0)).data
    assert [list(row) for row in cells.z] == [[1.0, None, None], [0.25, 0.75, None], [0.5, 0.25, 0.25]]
    assert list(cells.customdata[0]) == ["“[START]” → “[START]”: weight 1.00", "", ""]


def test_two_stand_side_by_side_on_one_scale() -> None:
    views = [view_of(even_record(size, size)) for size in (1, 4)]
    figures = [drawn(figure) for figure in attention_panels(views, ("Greedy", "Beams"), 0)]
    assert [figure.layout.annotations[0].text for figure in figures] == ["Greedy", "Beams"]
    assert {figure.layout.coloraxis.cmax for figure in figures} == {1.0}


def test_a_film_has_a_frame_for_each_moment_and_the_last_one_drawn() -> None:
    views = [uneven_view(5, heads=heads) for heads in (1, 2, 3)]
    film = film_figure(list(zip((0, 8, 16), views, strict=True)), 0, None, "epoch")
    figure = go.Figure(themed(film, "light"))
    assert [frame.name for frame in figure.frames] == ["0", "8", "16"]
    for frame, view in zip(figure.frames, views, strict=True):
        np.testing.assert_allclose(np.array(frame.data[0].z, float), view.head(0, None), atol=1e-4)
    np.testing.assert_array_equal(figure.data[0].z, figure.frames[2].data[0].z)
    assert [step.args[0][0] for step in figure.layout.sliders[0].steps] == ["0", "8", "16"]


def test_the_overview_has_a_button_for_each_head() -> None:
    svg = overview_svg(view_of(small_record(layers=3)))
    assert svg.count('role="button"') == svg.count("data:image/png;base64,") == 6
    assert 'data-part="2-1"' in svg
    assert "“come” attends to “viens”, 1.00" in svg


def test_lines_hold_every_weight() -> None:
    lines = linked_tokens(view_of(small_record()), 0, 0, marked={(1, 1)})
    weights = {(link[1], link[3]): link[4] for link in lines["links"]}
    assert weights == {(0, 0): 0.75, (0, 1): 0.25, (1, 1): 1.0, (2, 0): 0.5, (2, 1): 0.5}
    assert [link[1:4:2] for link in lines["links"] if link[5]] == [(1, 1)]
    assert [column["tokens"] for column in lines["columns"]] == [("je", "viens"), ("i", "come", "[END]")]


def test_a_file_of_many_tokens_is_one_image_that_its_page_may_show() -> None:
    few, many = uneven_view(30), uneven_view(128)
    assert heatmap_svg(attention_figure(few, 0)).count("<rect") > 900
    page = attention_page(attention_figure(many, 0), linked_tokens(many, 0, 0), "a", "b")
    assert page.count("<image") == page.count('href="data:image/png') == 1
    assert "default-src 'none'; img-src data:" in page


@pytest.mark.parametrize("hostile", ['"><img src=x>', "</script><img>"])
def test_a_token_is_text_in_drawings_and_files(hostile: str) -> None:
    """The overview is put into the page as it is; the files run whatever script they hold."""
    view = view_of(small_record())
    view = dataclasses.replace(view, name=hostile, rows=(hostile,) * 3, columns=(hostile,) * 2)
    figure, lines = attention_figure(view, 0, 0), linked_tokens(view, 0, 0)
    page = attention_page(figure, lines, hostile, hostile, hostile)
    for drawing in (overview_svg(view), heatmap_svg(figure, hostile), page):
        assert "<svg" in drawing and "<img" not in drawing


@pytest.mark.slow
@pytest.mark.parametrize(("tokens", "most"), [(30, 1_000_000), (128, 4_000_000)])
def test_what_is_sent_to_the_browser_stays_small(tokens: int, most: int) -> None:
    view = uneven_view(tokens, layers=6, heads=8)
    film = film_figure([(moment, view) for moment in range(5)], 0, 0, "epoch")
    lines = linked_tokens(view, 0, None)
    for sent in (themed(attention_figure(view, 0), "dark"), film, lines, overview_svg(view)):
        assert len(json.dumps(sent)) < most
    assert len(lines["links"]) <= MAX_LINKS
