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

CONFIG = ModelConfig(source_vocab_size=38, target_vocab_size=35, num_layers=3)
DRAWINGS = {
    "post": architecture_svg(CONFIG, ("<Fr & co>", "English")),
    "pre": architecture_svg(CONFIG.replace(norm="pre"), active=["output"], clickable=True),
    "orders": norm_orders_svg(),
}


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(svg).iter() if each.tag.endswith(f"}}{tag}")]


def labels(svg: str) -> list[str | None]:
    """All text, the left stack first, each from the bottom to the top, then the captions."""
    return [element.text for element in elements(svg, "text")]


def test_a_drawing_says_what_the_config_says() -> None:
    assert labels(DRAWINGS["post"]) == [
        "<Fr & co> words", "Embedding, positions", "Self-attention", "norm", "Feed-forward", "norm",
        "English so far", "Embedding, positions",
        "Masked self-attention", "norm", "Cross-attention", "norm", "Feed-forward", "norm", "Linear, softmax",
        "Encoder, × 3 layers", "Decoder, × 3 layers",
    ]  # fmt: skip
    assert labels(DRAWINGS["pre"])[2:7] == ["norm", "Self-attention", "norm", "Feed-forward", "final norm"]
    assert [len(elements(each, "circle")) for each in DRAWINGS.values()] == [5, 5, 4]  # sums


@pytest.mark.parametrize("name", DRAWINGS)
def test_everything_lies_within_the_picture_no_box_on_another_and_text_can_be_read(name: str) -> None:
    """A phone shows text of 13 pixels: 358 are what Streamlit leaves of 390."""
    root = ElementTree.fromstring(DRAWINGS[name])
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert float(root.attrib["font-size"]) * 358 / width >= 13
    boxes = []
    for box in elements(DRAWINGS[name], "rect"):
        x, y, w, h = (float(box.attrib[part]) for part in ("x", "y", "width", "height"))
        assert 0 <= x <= width - w
        assert 0 <= y <= height - h
        if "stroke-dasharray" not in box.attrib:  # frames lie around boxes
            boxes.append((x, y, w, h))
    for (x1, y1, w1, h1), (x2, y2, w2, h2) in itertools.combinations(boxes, 2):
        assert x1 + w1 <= x2 or x2 + w2 <= x1 or y1 + h1 <= y2 or y2 + h2 <= y1


def test_parts_stand_out_and_can_be_pressed_with_mouse_and_keyboard() -> None:
    svg = architecture_svg(CONFIG, active=["output"], clickable=True)
    assert "Standing out: linear, softmax of the decoder." in svg
    assert len([box for box in elements(svg, "rect") if box.attrib.get("stroke-width") == "3"]) == 1
    buttons = [group for group in elements(svg, "g") if group.attrib.get("role") == "button"]
    # A sum is no second button for its norm.
    assert [each.attrib["data-part"] for each in buttons] == [part.key for part in parts_of_model(CONFIG)]
    pressed = [each.attrib["data-part"] for each in buttons if each.attrib["aria-pressed"] == "true"]
    assert pressed == ["output"]


def test_vectors_are_measured_after_each_layer() -> None:
    post, pre = measure_stack(post_norm, 24), measure_stack(pre_norm, 24)
    measures = [post.size, pre.size, post.cosine_similarity, pre.cosine_similarity]
    assert [trace.y for trace in drawn(norm_placement_figure(post, pre)).data] == measures


def test_each_model_has_a_bar_and_each_kind_of_part_a_color() -> None:
    """TINY has 160 + 1152 + 576 + 1120 + 160 + 81 = 3249 parameters."""
    models = {"<b>": parameters_by_kind(TINY), "base": parameters_by_kind(BASE)}
    figure = drawn(model_size_figure(models, ["3,249", "63.1 million"]))
    assert [trace.customdata[0] for trace in figure.data] == [160, 1152, 576, 1120, 160, 81]
    assert figure.data[3].x[0] == pytest.approx(1120 / 3249)
    assert list(figure.data[5].x) == [81 / 3249, 0.0]  # tied: the output has nothing of its own
    assert figure.layout.annotations[0].text == "<b>&lt;b&gt;</b>: 3,249"
