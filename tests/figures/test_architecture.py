from __future__ import annotations

import itertools
from collections.abc import Iterable
from xml.etree import ElementTree

import pytest

from core.config import ModelConfig
from core.figures.architecture import (
    architecture_info,
    architecture_svg,
    norm_orders_info,
    parts_info,
    parts_svg,
)
from core.figures.stack_drawing import Block, StackDrawing
from core.theory.model_parts import CROSS_ATTENTION, parts_of_model

CONFIG = ModelConfig(
    source_vocab_size=38, target_vocab_size=35, num_layers=3, num_heads=2, positional_encoding="learned"
)
PRE = CONFIG.replace(norm="pre")


def labels(blocks: Iterable[Block]) -> list[str]:
    return [block.label or "+" for block in blocks]


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(svg).iter() if each.tag.endswith(f"}}{tag}")]


def test_info_says_what_the_config_says() -> None:
    info = architecture_info(CONFIG, "French", "English")
    assert labels(info.left.blocks) == [
        "French words",
        "embedding + learned positions",
        *("self-attention, 2 heads", "+", "norm"),
        *("feed-forward", "+", "norm"),
    ]
    assert labels([block for block in info.right.blocks if block.in_layer]) == [
        *("masked self-attention, 2 heads", "+", "norm"),
        *("cross-attention, 2 heads", "+", "norm"),
        *("feed-forward", "+", "norm"),
    ]
    assert info.right.blocks[-1].label == "linear, softmax: next word"
    assert (info.left.caption, info.right.caption) == ("Encoder, × 3 layers", "Decoder, × 3 layers")


def test_svg_is_well_formed_and_holds_every_label_as_text() -> None:
    info = architecture_info(CONFIG, "<Fr & co>", "English")
    said = {element.text for element in elements(architecture_svg(info), "text")}
    assert {block.label for block in (*info.left.blocks, *info.right.blocks)} - {""} <= said
    assert "<Fr & co> words" in said


DRAWINGS = {
    "glance": architecture_svg(architecture_info(CONFIG, "French", "English")),
    "glance, pre": architecture_svg(architecture_info(PRE, "French", "English")),
    "post": parts_svg(parts_info(CONFIG)),
    "pre": parts_svg(parts_info(PRE, ["output"], clickable=True)),
    "orders": parts_svg(norm_orders_info()),
}


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


def test_a_phone_shows_text_of_14_pixels() -> None:
    """358 pixels is what Streamlit leaves of 390."""
    root = ElementTree.fromstring(DRAWINGS["post"])
    scale = 358 / float(root.attrib["viewBox"].split()[2])
    assert all(float(text.attrib["font-size"]) * scale >= 14 for text in elements(DRAWINGS["post"], "text"))


def test_post_norm_stands_behind_the_sum_and_pre_norm_before_the_sublayer() -> None:
    assert labels(parts_info(CONFIG).left.blocks) == [
        "Source words", "Embedding, positions",
        "Self-attention", "+", "norm",
        "Feed-forward", "+", "norm",
    ]  # fmt: skip
    assert labels(parts_info(PRE).left.blocks) == [
        "Source words", "Embedding, positions",
        "norm", "Self-attention", "+",
        "norm", "Feed-forward", "+",
        "final norm",
    ]  # fmt: skip
    assert [block.bypassed for block in parts_info(CONFIG).left.blocks if block.shape == "sum"] == [1, 1]
    assert [block.bypassed for block in parts_info(PRE).left.blocks if block.shape == "sum"] == [2, 2]


@pytest.mark.parametrize("config", [CONFIG, PRE])
def test_every_part_is_drawn(config: ModelConfig) -> None:
    info = parts_info(config)
    drawn = {block.key for block in (*info.left.blocks, *info.right.blocks)}
    assert drawn == {part.key for part in parts_of_model(config)}
    assert info.joined == CROSS_ATTENTION in drawn


def test_what_stands_out() -> None:
    info = parts_info(CONFIG, ["decoder_feed_forward", "output"])
    assert info.description.endswith(
        "Standing out: feed-forward of the decoder, linear, softmax of the decoder."
    )
    thick = [box for box in elements(parts_svg(info), "rect") if box.attrib.get("stroke-width") == "3"]
    assert len(thick) == 2
    plain = elements(parts_svg(parts_info(CONFIG)), "rect")
    assert [box for box in plain if box.attrib.get("stroke-width") == "3"] == []


def test_parts_can_be_pressed_with_mouse_and_keyboard() -> None:
    info = parts_info(CONFIG, ["output"], clickable=True)
    groups = elements(parts_svg(info), "g")
    assert {group.attrib["data-part"] for group in groups} == {part.key for part in parts_of_model(CONFIG)}
    buttons = [group for group in groups if group.attrib.get("role") == "button"]
    assert len(buttons) == len(parts_of_model(CONFIG))  # a sum is no second button for its norm
    assert [each.attrib["data-part"] for each in buttons if each.attrib["aria-pressed"] == "true"] == [
        "output"
    ]
    assert elements(parts_svg(parts_info(CONFIG)), "g") == []


def test_the_two_orders_beside_each_other() -> None:
    info: StackDrawing = norm_orders_info()
    assert labels(info.left.blocks) == [
        "vectors", "Self-attention", "+", "norm", "Feed-forward", "+", "norm", "to the next layer",
    ]  # fmt: skip
    assert labels(info.right.blocks) == [
        "vectors", "norm", "Self-attention", "+", "norm", "Feed-forward", "+", "to the next layer",
    ]  # fmt: skip
