import pytest

from core.figures.attention import (
    AttentionHeadInfo,
    AttentionKind,
    attention_figure,
    attention_heads_figures,
    attention_info,
    layer_title,
)
from core.figures.heatmap import HeatmapInfo
from tests.figures.drawn import drawn
from tests.figures.records import even_record, small_record


def test_info_of_a_cross_attention_head() -> None:
    assert attention_info(small_record(), "cross", layer=0, head=0) == AttentionHeadInfo(
        kind="cross",
        layer=0,
        head=0,
        heatmap=HeatmapInfo(
            values=((0.75, 0.25), (0.0, 1.0), (0.5, 0.5)),
            row_labels=("i", "come", "[END]"),  # what was predicted, not what was read
            column_labels=("je", "viens"),
            hover=(
                ("“i” looked at “je”: 0.75", "“i” looked at “viens”: 0.25"),
                ("“come” looked at “je”: 0.00", "“come” looked at “viens”: 1.00"),
                ("“[END]” looked at “je”: 0.50", "“[END]” looked at “viens”: 0.50"),
            ),
            row_title="predicted token",
            column_title="source token looked at",
        ),
    )


def test_info_of_the_decoder_leaves_the_future_blank() -> None:
    heatmap = attention_info(small_record(), "decoder", layer=0, head=0).heatmap
    assert heatmap.values == ((1.0, None, None), (0.25, 0.75, None), (0.5, 0.25, 0.25))
    assert heatmap.row_labels == heatmap.column_labels == ("[START]", "i", "come")
    assert heatmap.hover[0] == ("“[START]” looked at “[START]”: 1.00", "", "")


def test_info_of_the_encoder() -> None:
    heatmap = attention_info(small_record(), "encoder", layer=0, head=1).heatmap
    assert heatmap.values == ((0.5, 0.5), (0.75, 0.25))
    assert heatmap.row_labels == heatmap.column_labels == ("je", "viens")


def test_no_head_is_the_mean_over_the_heads() -> None:
    info = attention_info(small_record(), "cross", layer=0, head=None)
    assert info.heatmap.values == ((0.5, 0.5), (0.5, 0.5), (0.5, 0.5))
    assert info.title == "Cross-attention, layer 1, mean of all heads"


def test_people_count_from_one() -> None:
    info = attention_info(small_record(layers=3), "encoder", layer=2, head=1)
    assert info.title == "Encoder self-attention, layer 3, head 2"
    assert drawn(attention_figure(info)).layout.title.text == info.title


@pytest.mark.parametrize(
    ("kind", "layer", "head", "words"),
    [
        ("both", 0, 0, r"kind must be one of encoder, decoder, cross\. Received: 'both'"),
        ("cross", 2, 0, r"layer must be from 0 to 1\. Received: 2"),
        ("cross", -1, 0, r"layer must be from 0 to 1\. Received: -1"),
        ("cross", 0, 2, r"head must be from 0 to 1, or None for their mean\. Received: 2"),
        ("cross", 0, -1, r"head must be from 0 to 1, or None for their mean\. Received: -1"),
    ],
)
def test_what_the_record_has_not_is_refused(kind: AttentionKind, layer: int, head: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        attention_info(small_record(layers=2), kind, layer, head)


def test_colours_run_to_one_or_to_the_highest_weight() -> None:
    info = attention_info(even_record(4, 4), "cross", layer=0)
    fixed, free = (
        drawn(attention_figure(info, fixed_scale=fixed)).layout.coloraxis for fixed in (True, False)
    )
    assert (fixed.cmin, fixed.cmax) == (0.0, 1.0)
    assert (free.cmin, free.cmax) == (0.0, 0.25)


def test_heads_stand_side_by_side_with_one_colour_scale() -> None:
    figures = list(map(drawn, attention_heads_figures(small_record(), "cross", layer=0, fixed_scale=False)))
    assert len(figures) == 2
    assert {figure.layout.coloraxis.cmax for figure in figures} == {1.0}
    assert [figure.layout.coloraxis.showscale for figure in figures] == [False, True]
    assert [figure.layout.annotations[0].text for figure in figures] == ["Head 1", "Head 2"]
    assert {figure.layout.xaxis.ticktext for figure in figures} == {("je", "viens")}
    assert layer_title("cross", 0) == "Cross-attention, layer 1"


def test_bad_layer_or_kind_of_all_heads_is_refused() -> None:
    with pytest.raises(ValueError, match="layer must be from 0 to 0"):
        attention_heads_figures(small_record(), "cross", layer=1)
    with pytest.raises(ValueError, match="kind must be one of"):
        attention_heads_figures(small_record(), "self", layer=0)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("length", [1, 100])
def test_one_token_and_many(kind: AttentionKind, length: int) -> None:
    record = even_record(length, length, heads=2)
    large = drawn(attention_figure(attention_info(record, kind, layer=0, head=1)))
    small = map(drawn, attention_heads_figures(record, kind, layer=0))
    for figure in (large, *small):
        assert len(figure.data[0].z) == length
        assert 1 <= len(figure.layout.xaxis.ticktext) <= 64
