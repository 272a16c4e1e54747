from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest

from core.config import ModelConfig
from core.figures.architecture import (
    architecture_svg,
    model_size_figure,
    norm_orders_svg,
    norm_placement_figure,
)
from core.theory.model_parts import parts_of_model
from core.theory.model_size import BASE, parameters_by_kind
from core.theory.norm_placement import measure_stack, post_norm, pre_norm
from tests.conftest import TINY
from tests.figures.drawn import drawn

CONFIG = ModelConfig(
    source_vocab_size=38, target_vocab_size=35, num_layers=3, num_heads=2, positional_encoding="learned"
)
PRE = CONFIG.replace(norm="pre")
DRAWINGS = {
    "post": architecture_svg(CONFIG),
    "pre": architecture_svg(PRE, active=["output"], clickable=True),
    "orders": norm_orders_svg(),
}


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(svg).iter() if each.tag.endswith(f"}}{tag}")]


def labels(svg: str) -> list[str | None]:
    """All text, the left stack first, each from the bottom to the top, then the captions."""
    return [element.text for element in elements(svg, "text")]


def test_a_drawing_says_what_the_config_says() -> None:
    assert labels(architecture_svg(CONFIG, ("<Fr & co>", "English"))) == [
        "<Fr & co> words", "Embedding, positions", "Self-attention", "norm", "Feed-forward", "norm",
        "English so far", "Embedding, positions",
        "Masked self-attention", "norm", "Cross-attention", "norm", "Feed-forward", "norm", "Linear, softmax",
        "Encoder, × 3 layers", "Decoder, × 3 layers",
    ]  # fmt: skip


def test_post_norm_stands_behind_the_sum_and_pre_norm_before_the_sublayer() -> None:
    assert labels(norm_orders_svg())[:-2] == [
        "vectors", "Self-attention", "norm", "Feed-forward", "norm", "to the next layer",
        "vectors", "norm", "Self-attention", "norm", "Feed-forward", "to the next layer",
    ]  # fmt: skip
    assert labels(DRAWINGS["pre"])[2:7] == ["norm", "Self-attention", "norm", "Feed-forward", "final norm"]
    assert [len(elements(DRAWINGS[name], "circle")) for name in ("post", "pre", "orders")] == [5, 5, 4]


@pytest.mark.parametrize("name", DRAWINGS)
def test_everything_lies_within_the_picture_and_no_box_on_another(name: str) -> None:
    root = ElementTree.fromstring(DRAWINGS[name])
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    boxes = []
    for box in elements(DRAWINGS[name], "rect"):
        x, y, w, h = (float(box.attrib[part]) for part in ("x", "y", "width", "height"))
        assert 0 <= x <= width - w
        assert 0 <= y <= height - h
        if "stroke-dasharray" not in box.attrib:  # frames lie around boxes
            boxes.append((x, y, w, h))
    for (x1, y1, w1, h1), (x2, y2, w2, h2) in itertools.combinations(boxes, 2):
        assert x1 + w1 <= x2 or x2 + w2 <= x1 or y1 + h1 <= y2 or y2 + h2 <= y1


def test_a_phone_shows_text_of_13_pixels() -> None:
    """358 pixels is what Streamlit leaves of 390."""
    root = ElementTree.fromstring(DRAWINGS["post"])
    scale = 358 / float(root.attrib["viewBox"].split()[2])
    assert all(float(text.attrib["font-size"]) * scale >= 13 for text in elements(DRAWINGS["post"], "text"))


def test_active_parts_stand_out() -> None:
    svg = architecture_svg(CONFIG, active=["decoder_feed_forward", "output"])
    thick = [box for box in elements(svg, "rect") if box.attrib.get("stroke-width") == "3"]
    assert len(thick) == 2
    assert "Standing out: feed-forward of the decoder, linear, softmax of the decoder." in svg


def test_parts_can_be_pressed_with_mouse_and_keyboard() -> None:
    groups = elements(architecture_svg(CONFIG, active=["output"], clickable=True), "g")
    keys = [part.key for part in parts_of_model(CONFIG)]
    assert {group.attrib["data-part"] for group in groups} == set(keys)
    buttons = [group for group in groups if group.attrib.get("role") == "button"]
    assert [each.attrib["data-part"] for each in buttons] == keys  # a sum is no second button for its norm
    pressed = [each.attrib["data-part"] for each in buttons if each.attrib["aria-pressed"] == "true"]
    assert pressed == ["output"]
    assert elements(DRAWINGS["post"], "g") == []


@pytest.mark.parametrize("layers", [1, 24])
def test_vectors_are_measured_after_each_layer(layers: int) -> None:
    post, pre = measure_stack(post_norm, layers), measure_stack(pre_norm, layers)
    figure = drawn(norm_placement_figure(post, pre))
    measures = [post.size, pre.size, post.cosine_similarity, pre.cosine_similarity]
    assert [trace.y for trace in figure.data] == measures
    assert figure.data[0].x[-1] == layers
    assert [trace.name for trace in figure.data if trace.showlegend] == ["post-norm", "pre-norm"]


def test_each_model_has_a_bar_and_each_kind_of_part_a_color() -> None:
    """TINY has 160 + 1152 + 576 + 1120 + 160 + 81 = 3249 parameters."""
    models = {"<b>": parameters_by_kind(TINY), "base": parameters_by_kind(BASE)}
    figure = drawn(model_size_figure(models, ["3,249", "63.1 million"]))
    assert [trace.name for trace in figure.data] == [
        "embeddings", "self-attention", "cross-attention", "feed-forward", "norms", "output",
    ]  # fmt: skip
    assert len({trace.marker.color for trace in figure.data}) == 6
    assert [trace.customdata[0] for trace in figure.data] == [160, 1152, 576, 1120, 160, 81]
    assert figure.data[3].x[0] == pytest.approx(1120 / 3249)
    assert list(figure.data[5].x) == [81 / 3249, 0.0]  # tied: the output has nothing of its own
    assert list(figure.data[5].text) == ["", ""]  # too narrow for its number
    assert figure.layout.annotations[0].text == "<b>&lt;b&gt;</b>: 3,249"
