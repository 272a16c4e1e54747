from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

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


def uneven_record(source: int, target: int, layers: int, heads: int) -> AttentionRecord:
    """Random weights, as an untrained model might have."""
    random = np.random.default_rng(0)

    def rows(*shape: int) -> np.ndarray:
        weights = random.random((layers, heads, *shape)) ** 8
        return weights / weights.sum(axis=-1, keepdims=True)

    decoder = np.tril(rows(target, target) + 1e-6)
    return AttentionRecord(
        tuple(f"source{i}" for i in range(source)),
        tuple(f"input{i}" for i in range(target)),
        tuple(f"output{i}" for i in range(target)),
        rows(source, source).astype(np.float32),
        (decoder / decoder.sum(axis=-1, keepdims=True)).astype(np.float32),
        rows(target, source).astype(np.float32),
    )


def test_a_cross_attention_head() -> None:
    figure = drawn(attention_figure(view_of(small_record()), layer=0, head=0))
    (cells,) = figure.data
    assert figure.layout.title.text == "Cross-attention, layer 1, head 1"
    assert [list(row) for row in cells.z] == [[0.75, 0.25], [0.0, 1.0], [0.5, 0.5]]
    assert figure.layout.yaxis.ticktext == ("i", "come", "[END]")  # what was predicted, not what was read
    assert figure.layout.xaxis.ticktext == ("je", "viens")
    assert cells.customdata[1][1] == "“come” → “viens”: weight 1.00"
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)


def test_the_decoder_leaves_the_future_blank() -> None:
    (cells,) = drawn(attention_figure(view_of(small_record(), "decoder"), layer=0, head=0)).data
    assert [list(row) for row in cells.z] == [[1.0, None, None], [0.25, 0.75, None], [0.5, 0.25, 0.25]]
    assert list(cells.customdata[0]) == ["“[START]” → “[START]”: weight 1.00", "", ""]


def test_no_head_is_the_mean_over_the_heads() -> None:
    figure = drawn(attention_figure(view_of(small_record()), layer=0))
    assert np.array_equal(figure.data[0].z, np.full((3, 2), 0.5))
    assert figure.layout.title.text == "Cross-attention, layer 1, mean of all heads"


def test_two_stand_side_by_side_on_one_scale() -> None:
    views = [view_of(even_record(size, size)) for size in (2, 4)]
    figures = [drawn(figure) for figure in attention_panels(views, ("Greedy", "Beams"), 0)]
    assert [figure.layout.annotations[0].text for figure in figures] == ["Greedy", "Beams"]
    assert {figure.layout.coloraxis.cmax for figure in figures} == {1.0}
    assert [figure.layout.coloraxis.showscale for figure in figures] == [False, True]


def test_a_film_has_a_frame_for_each_moment_and_the_last_one_drawn() -> None:
    views = [view_of(uneven_record(5, 4, 1, heads)) for heads in (1, 2, 3)]
    film = film_figure(list(zip((0, 8, 16), views, strict=True)), 0, None, "epoch")
    figure = go.Figure(themed(film, "light"))
    assert [frame.name for frame in figure.frames] == ["0", "8", "16"]
    for frame, view in zip(figure.frames, views, strict=True):
        np.testing.assert_allclose(np.array(frame.data[0].z, float), view.head(0, None), atol=1e-4)
    np.testing.assert_array_equal(figure.data[0].z, figure.frames[2].data[0].z)
    (slider,) = figure.layout.sliders
    assert [step.args[0][0] for step in slider.steps] == ["0", "8", "16"]
    assert slider.active == 2


def test_the_overview_has_a_button_for_each_head() -> None:
    svg = overview_svg(dataclasses.replace(view_of(small_record(layers=3)), name="<Cross>"))
    assert svg.count('role="button"') == svg.count("data:image/png;base64,") == 6
    assert 'data-part="2-1"' in svg
    assert "“come” attends to “viens”, 1.00" in svg
    assert "&lt;Cross&gt;" in svg


def test_lines_hold_every_weight() -> None:
    lines = linked_tokens(view_of(small_record()), 0, 0, marked={(1, 1)})
    assert {(link[1], link[3]): link[4] for link in lines["links"]} == {
        (0, 0): 0.75,
        (0, 1): 0.25,
        (1, 1): 1.0,
        (2, 0): 0.5,
        (2, 1): 0.5,
    }
    assert [link[1:4:2] for link in lines["links"] if link[5]] == [(1, 1)]
    assert [column["tokens"] for column in lines["columns"]] == [("je", "viens"), ("i", "come", "[END]")]


def test_a_file_of_many_tokens_is_one_image_that_its_page_may_show() -> None:
    few, many = (view_of(uneven_record(size, size, 1, 1)) for size in (30, 128))
    assert heatmap_svg(attention_figure(few, 0)).count("<rect") > 900
    page = attention_page(attention_figure(many, 0), linked_tokens(many, 0, 0), "a", "b")
    assert page.count("<image") == page.count('href="data:image/png') == 1
    assert "default-src 'none'; img-src data:" in page
    assert len(heatmap_svg(attention_figure(many, 0))) < 100_000


class Elements(HTMLParser):
    """The names of all elements of a page or drawing."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)


@pytest.mark.parametrize("hostile", ['"><img src=x>', "</script><img>"])
def test_a_token_is_text_in_drawings_and_files(hostile: str) -> None:
    """The overview is put into the page as it is; the files run whatever script they hold."""
    names = ("source_tokens", "decoder_input_tokens", "predicted_tokens")
    tokens: dict[str, Any] = {name: (hostile,) * len(getattr(small_record(), name)) for name in names}
    view = view_of(dataclasses.replace(small_record(), **tokens))
    view = dataclasses.replace(view, name=hostile)
    figure, lines = attention_figure(view, 0, 0), linked_tokens(view, 0, 0)
    for drawn_with_it in (
        overview_svg(view),
        heatmap_svg(figure, hostile),
        attention_page(figure, lines, hostile, hostile, hostile),
    ):
        assert "svg" in Elements(drawn_with_it).found
        assert "img" not in Elements(drawn_with_it).found


Sent = Callable[[AttentionRecord], object]
SENT: dict[str, Sent] = {
    "head": lambda record: themed(attention_figure(view_of(record), 0), "dark"),
    "overview": lambda record: overview_svg(view_of(record)),
    "lines": lambda record: linked_tokens(view_of(record), 0, None),
    "film": lambda record: film_figure([(moment, view_of(record)) for moment in range(5)], 0, 0, "epoch"),
}


@pytest.mark.slow
@pytest.mark.parametrize("view", SENT)
@pytest.mark.parametrize(("tokens", "most"), [(30, 1_000_000), (128, 4_000_000)])
def test_what_is_sent_to_the_browser_stays_small(view: str, tokens: int, most: int) -> None:
    record = uneven_record(tokens, tokens, layers=6, heads=8)
    assert len(json.dumps(SENT[view](record))) < most


def test_no_more_links_than_a_browser_draws_quickly() -> None:
    lines = linked_tokens(view_of(uneven_record(128, 128, layers=1, heads=8)), 0, None)
    assert len(lines["links"]) <= MAX_LINKS
    assert lines["least"] > 0.001


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("length", [1, 100])
def test_one_token_and_many(kind: Kind, length: int) -> None:
    view = view_of(even_record(length, length, heads=2), kind)
    figure = drawn(attention_figure(view, layer=0, head=1))
    assert len(figure.data[0].z) == length
    assert 1 <= len(figure.layout.xaxis.ticktext) <= 64
    assert overview_svg(view).count("<image") == 2
    assert linked_tokens(view, 0, None)["links"]
