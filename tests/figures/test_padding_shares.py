import numpy as np
import pytest

from core.figures.padding_shares import padding_shares_figures, padding_shares_info
from core.records import PaddingEffect
from tests.figures.drawn import drawn

EFFECT = PaddingEffect(
    change=1.5,
    encoder_share=np.array([[0.25, 0.75], [0.0, 1.0], [0.5, 0.5]], np.float32),
    cross_share=np.array([[0.125, 0.125], [0.0, 0.25], [0.0, 0.1]], np.float32),
    ids=(7, 3),
)


def test_info() -> None:
    info = padding_shares_info(EFFECT)
    assert info.encoder.values == ((25.0, 75.0), (0.0, 100.0), (50.0, 50.0))
    assert info.encoder.row_labels == ("1", "2", "3")
    assert info.encoder.column_labels == ("1", "2")
    assert info.encoder.color_range == info.cross.color_range == (0.0, 100.0)
    assert info.cross.hover[0][1] == "layer 1, head 2: 12.5% of the attention goes to padding"
    assert info.encoder_mean == 0.5
    assert info.cross_mean == pytest.approx(0.1)


def test_figure() -> None:
    info = padding_shares_info(EFFECT)
    encoder, cross = map(drawn, padding_shares_figures(info))
    assert ">100<" in encoder.data[0].text[1][1]
    assert np.array_equal(cross.data[0].z, np.array(info.cross.values))
    assert cross.layout.coloraxis.colorbar.orientation == "h"
    assert [figure.layout.yaxis.title.text for figure in (encoder, cross)] == ["layer", "layer"]
