import numpy as np
import pytest

from core.figures.padding_shares import padding_shares_figure, padding_shares_info
from core.records import PaddingOutcome

OUTCOME = PaddingOutcome(
    change=1.5,
    encoder_share=((0.25, 0.75), (0.0, 1.0), (0.5, 0.5)),
    cross_share=((0.125, 0.125), (0.0, 0.25), (0.0, 0.1)),
    translation="hello",
    finished=True,
)


def test_info() -> None:
    info = padding_shares_info(OUTCOME)
    assert info.encoder.values == ((25.0, 75.0), (0.0, 100.0), (50.0, 50.0))
    assert info.encoder.row_labels == ("1", "2", "3")
    assert info.encoder.column_labels == ("1", "2")
    assert info.encoder.color_range == info.cross.color_range == (0.0, 100.0)
    assert info.cross.hover[0][1] == "layer 1, head 2: 12.5 % of the attention goes to pads"
    assert info.encoder_mean == 0.5
    assert info.cross_mean == pytest.approx(0.1)


def test_figure() -> None:
    info = padding_shares_info(OUTCOME)
    wide, narrow = padding_shares_figure(info), padding_shares_figure(info, stacked=True)
    assert ">100<" in wide.data[0].text[1][1]
    assert np.array_equal(wide.data[1].z, np.array(info.cross.values))
    assert narrow.layout.height > wide.layout.height
    assert wide.layout.coloraxis.colorbar.orientation == "h"
    assert wide.layout.yaxis.title.text == "layer"
