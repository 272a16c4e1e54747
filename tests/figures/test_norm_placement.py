import pytest

from core.figures.norm_placement import norm_placement_figure
from core.theory.norm_placement import measure_stack, post_norm, pre_norm
from tests.figures.drawn import drawn


@pytest.mark.parametrize("layers", [1, 24])
def test_figure(layers: int) -> None:
    post, pre = measure_stack(post_norm, layers), measure_stack(pre_norm, layers)
    figure = drawn(norm_placement_figure(post, pre))
    assert [trace.y for trace in figure.data] == [
        post.size,
        pre.size,
        post.cosine_similarity,
        pre.cosine_similarity,
    ]
    assert figure.data[0].x[-1] == layers
    assert figure.layout.xaxis2.title.text == "layers passed"
    assert [trace.name for trace in figure.data if trace.showlegend] == ["post-norm", "pre-norm"]
