import numpy as np
from numpy.typing import NDArray

from core.decoding.padding.effect import Reading, padding_effects
from core.pipeline import Ids


class Script:
    """A "model" of one layer and one head: it looks evenly at what it may, and says how much that was."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[int], list[bool]]] = []

    def __call__(self, ids: Ids, mask: NDArray[np.bool_]) -> Reading:
        assert mask.shape == (1, 1, 1, ids.shape[1])
        self.calls.append((ids[0].tolist(), mask[0, 0, 0].tolist()))
        open_places = mask[0, 0, 0].astype(np.float32)
        row = open_places / open_places.sum()
        length = ids.shape[1]
        return Reading(
            memory=np.full((length, 2), 10.0 * row.max(), np.float32),
            encoder=np.tile(row, (1, 1, length, 1)),
            cross=np.tile(row, (1, 1, 3, 1)),
            ids=[int(open_places.sum())],
        )


def test_three_readings_by_hand() -> None:
    """Two tokens and three pads, looked at evenly: a share of 1/2 each, or of 1/5 with 3/5 on pads."""
    read = Script()
    alone, masked, unmasked = padding_effects(read, [7, 9], 3)
    assert read.calls == [
        ([7, 9], [True, True]),
        ([7, 9, 0, 0, 0], [True, True, False, False, False]),
        ([7, 9, 0, 0, 0], [True] * 5),
    ]
    assert alone.change == masked.change == 0.0
    assert np.isclose(unmasked.change, 3.0)  # from 10 / 2 to 10 / 5
    assert alone.encoder_share.tolist() == masked.encoder_share.tolist() == [[0.0]]
    assert np.allclose(unmasked.encoder_share, 0.6)
    assert np.allclose(unmasked.cross_share, 0.6)
    assert masked.cross_share.tolist() == [[0.0]]
    assert [effect.ids for effect in (alone, masked, unmasked)] == [(2,), (2,), (5,)]


def test_no_pads_change_nothing() -> None:
    alone, masked, unmasked = padding_effects(Script(), [7], 0)
    assert alone.change == masked.change == unmasked.change == 0.0
    assert unmasked.encoder_share.tolist() == [[0.0]]
