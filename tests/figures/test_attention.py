import base64
import dataclasses
from typing import Any

import numpy as np
import pytest

from core.figures import theme
from core.figures.plotly.attention import Screen, attention_figure
from core.figures.theme import Figure
from core.interpretability.attention_view import AttentionOptions, Measure, read_attention
from core.records.attention import ATTENTION_KINDS, AttentionKind, HeadMaps
from tests.conftest import numbers
from tests.figures.drawn import drawn
from tests.figures.records import even_record, small_record

LAPTOP = Screen(780)
SCREENS = [LAPTOP, Screen(1200, 526, 20 / 14), Screen(330, is_phone=True)]


def maps_of(kind: AttentionKind, layers: int = 2) -> HeadMaps:
    maps = read_attention(small_record(layers), AttentionOptions())[kind]
    return dataclasses.replace(maps, roles=(("aligns", "one step late", ""),) * layers, first="1.2")


def clicks_of(figure: Figure) -> dict[str, str]:
    """What a click reports, with what the mouse says there."""
    points = [trace for trace in figure["data"] if trace["type"] == "scatter"]
    return {
        click: says
        for each in points
        for click, says in zip(each["customdata"], each["hovertext"], strict=True)
    }


def small_colors(figure: Figure, maps: HeadMaps) -> np.ndarray:
    """The colors of the small maps (L, N, rows, columns, 3), cut out at their edges."""
    (trace,) = (trace for trace in figure["data"] if isinstance(trace.get("z"), dict))
    height, width = map(int, trace["z"]["shape"].split(", "))
    codes = np.frombuffer(base64.b64decode(trace["z"]["bdata"]), np.uint8).reshape(height, width)
    axis = figure["layout"][trace["coloraxis"]]
    whole = theme.themed(figure, "light")["layout"]["template"]["layout"]["coloraxis2"]["colorscale"]
    scale = tuple((place, color) for place, color in whole if color != theme.TRANSPARENT)
    colors = theme.colors_of((codes - axis["cmin"]) / (axis["cmax"] - axis["cmin"]), scale)
    x, y = np.array(trace["x"][:-1]), np.array(trace["y"][:-1])
    layers, names, rows, columns = maps.weights.shape
    found = np.empty((*maps.weights.shape, 3))
    for layer, name in np.ndindex(layers, names):
        at = np.ix_((layer <= y) & (y < layer + 1), (name <= x) & (x < name + 1))
        found[layer, name] = colors[at][:rows, :columns]
        assert ((codes[at][:rows, :columns] == 255) == np.isnan(maps.weights[layer, name])).all()
    return found


def random_maps(kind: AttentionKind, measure: Measure = "weights") -> HeadMaps:
    """Two layers of three heads, of which no two are alike; no weight is near 1."""
    record = even_record(3, 4)
    weights = np.random.default_rng(0).uniform(0.01, 0.6, (2, 3, *record.of_kind(kind).weights.shape[2:]))
    changed: dict[str, Any] = {kind: weights.astype(np.float32)}
    record = dataclasses.replace(record, **changed)
    norms = dict.fromkeys(ATTENTION_KINDS, np.array([[[1.0]], [[7.0]]], np.float32))
    return read_attention(record, AttentionOptions(measure), norms)[kind]


@pytest.mark.parametrize("kind", ATTENTION_KINDS)
def test_every_weight_is_in_a_cell_and_said_under_the_mouse(kind: AttentionKind) -> None:
    maps = maps_of(kind)
    for head in maps.ids:
        figure = attention_figure(maps, head, "", LAPTOP)
        weights = maps.weights[maps.place(head)]
        large = np.array(drawn(figure).data[0].z, np.float64)
        np.testing.assert_allclose(large, weights, atol=1e-4)
        said = clicks_of(figure)
        for (row, column), weight in np.ndenumerate(weights):
            says = said[f"cell {row + 1}.{column + 1}"]
            assert says.startswith(f"{maps.rows[row]} → {maps.columns[column]}: ")
            assert numbers(says) == ([] if np.isnan(weight) else [f"{weight:.2f}"])


@pytest.mark.parametrize("kind", ATTENTION_KINDS)
def test_the_mean_is_of_all_heads_of_its_layer(kind: AttentionKind) -> None:
    maps = random_maps(kind)
    for layer, heads in enumerate(maps.weights, start=1):
        drawn_mean = attention_figure(maps, f"{layer}.mean", "", LAPTOP)["data"][0]["z"]
        np.testing.assert_allclose(
            np.array(drawn_mean, float), (heads[0] + heads[1] + heads[2]) / 3, atol=1e-4
        )


@pytest.mark.parametrize("kind", ATTENTION_KINDS)
@pytest.mark.parametrize("measure", ["weights", "norms"])
def test_a_number_has_one_color_in_all_maps_small_and_large(kind: AttentionKind, measure: Measure) -> None:
    maps = random_maps(kind, measure)
    figure = attention_figure(maps, "1.1", "", LAPTOP)
    axis = figure["layout"]["coloraxis"]
    # Weights go up to 1 in every sentence; norms have no such limit.
    assert axis["cmin"] == 0 and axis["cmax"] == (1 if measure == "weights" else np.nanmax(maps.weights))
    expected = theme.colors_of(np.nan_to_num(maps.weights) / axis["cmax"], theme.SHARES["light"])
    shown = ~np.isnan(maps.weights)
    assert np.abs(small_colors(figure, maps)[shown] - expected[shown]).max() <= 2  # of 255


def test_each_head_and_the_mean_beside_them_can_be_clicked() -> None:
    figure = attention_figure(maps_of("cross"), "1.1", "", LAPTOP)
    said = clicks_of(figure)
    names = {(int(note["x"]), int(note["y"])): note["text"] for note in figure["layout"]["annotations"][1:]}
    assert names[0, 0] == names[0, 1] != names[1, 0] == names[1, 1]
    heads = {click: numbers(says) for click, says in said.items() if click.startswith("head")}
    assert heads == {
        f"head {layer}.{head}": [layer] if head == "mean" else [layer, head]
        for layer in "12"
        for head in ("1", "2", "mean")
    }


def test_what_is_chosen_is_framed() -> None:
    def frames(**chosen: Any) -> list[Any]:
        figure = drawn(attention_figure(maps_of("cross"), "2.1", "", LAPTOP, **chosen))
        return [(each.xref, each.x0, each.x1, each.y0, each.y1) for each in figure.layout.shapes]

    (head,) = frames()
    assert head[0] == "x2" and head[1] == 0 and head[3] == 1
    assert ("x", 0.5, 1.5, 1.5, 2.5) in frames(cell=(2, 1))
    in_a_row = frames(word=("row", 1))
    assert ("x", -0.5, 1.5, 0.5, 1.5) in in_a_row
    assert len(in_a_row) == 2 + 6  # in the large map, the chosen one, and all small ones
    assert ("x", 0.5, 1.5, -0.5, 2.5) in frames(word=("column", 1))


@pytest.mark.parametrize("screen", SCREENS, ids=["laptop", "projector", "phone"])
@pytest.mark.parametrize("is_enlarged", [False, True])
@pytest.mark.parametrize("length", [1, 64])
def test_maps_do_not_overlap_on_any_screen(screen: Screen, is_enlarged: bool, length: int) -> None:
    maps = read_attention(even_record(length, length, heads=8), AttentionOptions())["cross"]
    layout = drawn(attention_figure(maps, "1.1", "a → b", screen, is_enlarged=is_enlarged)).layout
    for axis in (layout.xaxis, layout.yaxis):
        low, high = axis.domain
        assert 0 <= low < high <= 1
    if not is_enlarged:
        is_beside = layout.xaxis.domain[1] <= layout.xaxis2.domain[0]
        assert is_beside or layout.yaxis2.domain[1] <= layout.yaxis.domain[0]


def test_all_words_of_a_long_sentence_are_labels_and_equal_ones_stay_apart() -> None:
    maps = maps_of("cross", layers=1)
    record = even_record(57, 57)
    long = read_attention(record, AttentionOptions())["cross"]
    for each in (maps, long):
        layout = drawn(attention_figure(each, each.first, "", LAPTOP, is_enlarged=True)).layout
        assert list(layout.yaxis.ticktext) == list(each.rows)
        assert len(set(layout.yaxis.tickvals)) == len(each.rows)


def test_the_picture_says_sentence_and_translation_as_text() -> None:
    caption = "<b>é</b> " * 40 + "→ is"
    title = drawn(attention_figure(maps_of("cross"), "1.1", caption, LAPTOP)).layout.title.text
    assert title.replace("<br>", " ") == caption.replace("<", "&lt;").replace(">", "&gt;")
