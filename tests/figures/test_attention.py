from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from core.figures.attention import (
    AttentionHeadInfo,
    attention_figure,
    attention_info,
    attention_panels,
)
from core.figures.attention_overview import overview_info, overview_svg
from core.figures.attention_page import attention_page
from core.figures.heatmap import HeatmapInfo
from core.figures.heatmap_svg import heatmap_svg
from core.figures.linked_tokens import MAX_LINKS, lines_info
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


def test_info_of_a_cross_attention_head() -> None:
    assert attention_info(view_of(small_record()), layer=0, head=0) == AttentionHeadInfo(
        title="Cross-attention, layer 1, head 1",
        heatmap=HeatmapInfo(
            values=((0.75, 0.25), (0.0, 1.0), (0.5, 0.5)),
            row_labels=("i", "come", "[END]"),  # what was predicted, not what was read
            column_labels=("je", "viens"),
            hover=(
                ("“i” → “je”: weight 0.75", "“i” → “viens”: weight 0.25"),
                ("“come” → “je”: weight 0.00", "“come” → “viens”: weight 1.00"),
                ("“[END]” → “je”: weight 0.50", "“[END]” → “viens”: weight 0.50"),
            ),
            row_title="predicted token",
            column_title="source token attended to",
            color_range=(0.0, 1.0),
        ),
    )


def test_info_of_the_decoder_leaves_the_future_blank() -> None:
    heatmap = attention_info(view_of(small_record(), "decoder"), layer=0, head=0).heatmap
    assert heatmap.values == ((1.0, None, None), (0.25, 0.75, None), (0.5, 0.25, 0.25))
    assert heatmap.row_labels == heatmap.column_labels == ("[START]", "i", "come")
    assert heatmap.hover[0] == ("“[START]” → “[START]”: weight 1.00", "", "")


def test_no_head_is_the_mean_over_the_heads() -> None:
    info = attention_info(view_of(small_record()), layer=0, head=None)
    assert info.heatmap.values == ((0.5, 0.5), (0.5, 0.5), (0.5, 0.5))
    assert info.title == "Cross-attention, layer 1, mean of all heads"


def test_two_stand_side_by_side_on_one_scale() -> None:
    infos = [attention_info(view_of(even_record(size, size)), 0, None) for size in (2, 4)]
    figures = [drawn(figure) for figure in attention_panels(infos, ("Greedy", "Beams"))]
    assert [figure.layout.annotations[0].text for figure in figures] == ["Greedy", "Beams"]
    assert {figure.layout.coloraxis.cmax for figure in figures} == {1.0}
    assert [figure.layout.coloraxis.showscale for figure in figures] == [False, True]


def test_the_overview_has_a_button_for_each_head() -> None:
    svg = overview_svg(overview_info(view_of(small_record(layers=3))), "<Cross>")
    assert svg.count('role="button"') == svg.count("data:image/png;base64,") == 6
    assert 'data-part="2-1"' in svg
    assert "“come” attends to “viens”, 1.00" in svg
    assert "&lt;Cross&gt;" in svg


def test_lines_hold_every_weight() -> None:
    info = lines_info(view_of(small_record()), 0, 0, marked={(1, 1)})
    assert {(link[1], link[3]): link[4] for link in info.links} == {
        (0, 0): 0.75,
        (0, 1): 0.25,
        (1, 1): 1.0,
        (2, 0): 0.5,
        (2, 1): 0.5,
    }
    assert [link[1:4:2] for link in info.links if link[5]] == [(1, 1)]
    assert [column.tokens for column in info.columns] == [("je", "viens"), ("i", "come", "[END]")]


def test_a_file_of_many_tokens_is_one_image() -> None:
    drawn_cells, image = (
        heatmap_svg(attention_info(view_of(uneven_record(size, size, 1, 1)), 0).heatmap, "title")
        for size in (30, 128)
    )
    assert drawn_cells.count("<rect") > 900
    assert image.count("<image") == 1
    assert len(image) < 100_000


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
    head, lines = attention_info(view, 0, 0), lines_info(view, 0, 0)
    for drawn_with_it in (
        overview_svg(overview_info(view), hostile),
        heatmap_svg(head.heatmap, hostile, hostile),
        attention_page(dataclasses.replace(head, title=hostile), lines, hostile, hostile, hostile),
    ):
        assert "svg" in Elements(drawn_with_it).found
        assert "img" not in Elements(drawn_with_it).found


Sent = Callable[[AttentionRecord], object]
SENT: dict[str, Sent] = {
    "head": lambda record: themed(attention_figure(attention_info(view_of(record), 0)), "dark"),
    "overview": lambda record: overview_svg(overview_info(view_of(record)), "all"),
    "lines": lambda record: lines_info(view_of(record), 0, None).to_data(),
}


@pytest.mark.slow
@pytest.mark.parametrize("view", SENT)
@pytest.mark.parametrize(("tokens", "most"), [(30, 1_000_000), (128, 4_000_000)])
def test_what_is_sent_to_the_browser_stays_small(view: str, tokens: int, most: int) -> None:
    record = uneven_record(tokens, tokens, layers=6, heads=8)
    assert len(json.dumps(SENT[view](record))) < most


def test_no_more_links_than_a_browser_draws_quickly() -> None:
    info = lines_info(view_of(uneven_record(128, 128, layers=1, heads=8)), 0, None)
    assert len(info.links) <= MAX_LINKS
    assert info.least > 0.001


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("length", [1, 100])
def test_one_token_and_many(kind: Kind, length: int) -> None:
    view = view_of(even_record(length, length, heads=2), kind)
    figure = drawn(attention_figure(attention_info(view, layer=0, head=1)))
    assert len(figure.data[0].z) == length
    assert 1 <= len(figure.layout.xaxis.ticktext) <= 64
    assert overview_svg(overview_info(view), "all").count("<image") == 2
    assert lines_info(view, 0, None).links


def test_the_page_of_a_long_sentence_may_show_its_image() -> None:
    view = view_of(even_record(81, 81), "encoder")
    page = attention_page(attention_info(view, 0, 0), lines_info(view, 0, 0), "a", "b")
    assert 'href="data:image/png' in page
    assert "default-src 'none'; img-src data:" in page
