from xml.etree import ElementTree

import pytest

from core.config import ModelConfig
from core.figures.svg.architecture import (
    architecture_svg,
    model_size_figure,
    norm_orders_svg,
    norm_placement_figure,
)
from core.theory.model_size import BASE, parameters_by_kind
from core.theory.norms import measure_stack
from tests.conftest import TINY, numbers
from tests.figures.drawn import drawn

CONFIG = ModelConfig(source_vocab_size=38, target_vocab_size=35, num_layers=3)
DRAWINGS = {
    "post": architecture_svg(CONFIG, ("<Fr & co>", "English")),
    "pre": architecture_svg(CONFIG.replace(norm="pre"), active=["output"], clickable=True),
}


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(svg).iter() if each.tag.endswith(f"}}{tag}")]


def labels(svg: str) -> list[str]:
    """All text, the left stack first, each from the bottom to the top, then the captions."""
    return [element.text or "" for element in elements(svg, "text")]


def test_a_drawing_says_what_the_config_says() -> None:
    source, embedding, attention, norm, forward, above, target, *decoder, left, right = labels(
        DRAWINGS["post"]
    )
    masked, cross, output = decoder[1], decoder[3], decoder[7]
    assert decoder == [embedding, masked, norm, cross, norm, forward, norm, output]
    assert len({embedding, attention, norm, forward, masked, cross, output}) == 7
    assert "<Fr & co>" in source and "English" in target and above == norm
    assert numbers(left) == numbers(right) == ["3"] and left != right
    assert labels(DRAWINGS["pre"])[2:6] == [norm, attention, norm, forward]
    assert elements(norm_orders_svg(), "rect")


def test_vectors_are_measured_after_each_layer() -> None:
    post, pre = measure_stack("post", 3), measure_stack("pre", 3)
    measures = [post.size, pre.size, post.cosine_similarity, pre.cosine_similarity]
    assert [trace.y for trace in drawn(norm_placement_figure(post, pre)).data] == measures


def test_each_model_has_a_bar_and_each_kind_of_part_a_color() -> None:
    """TINY has 160 + 1152 + 576 + 1120 + 160 + 81 = 3249 parameters."""
    models = {"<b>": parameters_by_kind(TINY), "base": parameters_by_kind(BASE)}
    figure = drawn(model_size_figure(models, ["3,249", "63.1 million"]))
    assert [trace.customdata[0] for trace in figure.data] == [160, 1152, 576, 1120, 160, 81]
    assert figure.data[3].x[0] == pytest.approx(1120 / 3249)
    assert list(figure.data[5].x) == [81 / 3249, 0.0]  # tied: the output has nothing of its own
    assert figure.layout.annotations[0].text.startswith("<b>&lt;b&gt;</b>")
