from __future__ import annotations

from xml.etree import ElementTree

from core.config import ModelConfig
from core.figures.architecture import architecture_info, architecture_svg

CONFIG = ModelConfig(
    source_vocab_size=38, target_vocab_size=35, num_layers=3, num_heads=2, positional_encoding="learned"
)


def test_info_says_what_the_config_says() -> None:
    info = architecture_info(CONFIG, "French", "English")
    assert [block.label for block in info.encoder] == [
        "French words",
        "embedding + learned positions",
        "self-attention, 2 heads",
        "feed-forward",
    ]
    assert [block.label for block in info.decoder if block.in_layer] == [
        "masked self-attention, 2 heads",
        "cross-attention, 2 heads",
        "feed-forward",
    ]
    assert info.repeats == "× 3 layers"


def test_svg_is_well_formed_and_holds_every_label_as_text() -> None:
    info = architecture_info(CONFIG, "<Fr & co>", "English")
    svg = ElementTree.fromstring(architecture_svg(info))
    said = {element.text for element in svg.iter() if element.tag.endswith("text")}
    assert {block.label for block in (*info.encoder, *info.decoder)} <= said
    assert "<Fr & co> words" in said


def test_everything_lies_within_the_picture() -> None:
    svg = ElementTree.fromstring(architecture_svg(architecture_info(CONFIG, "French", "English")))
    _, _, width, height = map(float, svg.attrib["viewBox"].split())
    for box in (element for element in svg.iter() if element.tag.endswith("rect")):
        assert 0 <= float(box.attrib["x"]) <= width - float(box.attrib["width"])
        assert 0 <= float(box.attrib["y"]) <= height - float(box.attrib["height"])
