import pytest

from core.figures.norm_placement import norm_placement_figure, norm_placement_info
from core.theory.norm_placement import measure_stack, post_norm, pre_norm
from tests.figures.drawn import drawn


def test_info_holds_both_stacks() -> None:
    info = norm_placement_info(4)
    assert (info.post, info.pre) == (measure_stack(post_norm, 4), measure_stack(pre_norm, 4))


@pytest.mark.parametrize("layers", [1, 24])
def test_figure(layers: int) -> None:
    info = norm_placement_info(layers)
    figure = drawn(norm_placement_figure(info))
    assert [trace.y for trace in figure.data] == [
        info.post.size,
        info.pre.size,
        info.post.cosine_similarity,
        info.pre.cosine_similarity,
    ]
    assert figure.data[0].x[-1] == layers
    assert figure.layout.xaxis2.title.text == "layers passed"
    assert [trace.name for trace in figure.data if trace.showlegend] == ["post-norm", "pre-norm"]
