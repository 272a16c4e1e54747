import numpy as np
import pytest

from core.figures.padding_shares import padding_shares_figure, padding_shares_info
from core.records import PaddingEffect

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
    assert info.cross.hover[0][1] == "layer 1, head 2: 12.5 % of the attention goes to pads"
    assert info.encoder_mean == 0.5
    assert info.cross_mean == pytest.approx(0.1)


def test_figure() -> None:
    info = padding_shares_info(EFFECT)
    wide, narrow = padding_shares_figure(info), padding_shares_figure(info, stacked=True)
    assert ">100<" in wide.data[0].text[1][1]
    assert np.array_equal(wide.data[1].z, np.array(info.cross.values))
    assert narrow.layout.height > wide.layout.height
    assert wide.layout.coloraxis.colorbar.orientation == "h"
    assert wide.layout.yaxis.title.text == "layer"
    assert (wide.layout.yaxis2.title.text, wide.layout.yaxis2.showticklabels) == ("", False)
    assert (narrow.layout.yaxis2.title.text, narrow.layout.yaxis2.showticklabels) == ("layer", True)
