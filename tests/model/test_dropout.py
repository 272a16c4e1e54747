import keras
import numpy as np
import pytest

from core.model.dropout import Dropout

ONES = np.ones((200, 50), np.float32)


def test_rate_scale_and_shared_seed_generator() -> None:
    seed_generator = keras.random.SeedGenerator(7)
    first, second = Dropout(0.2, seed_generator, name="a"), Dropout(0.2, seed_generator, name="b")
    received, other = np.asarray(first(ONES, training=True)), np.asarray(second(ONES, training=True))
    assert np.unique(received) == pytest.approx([0.0, 1.25], abs=1e-4)
    assert abs((received == 0).mean() - 0.2) < 0.02  # five standard deviations of 10,000 draws
    assert not np.array_equal(received, other)


def test_off_outside_training_and_at_rate_zero() -> None:
    seed_generator = keras.random.SeedGenerator(7)
    assert Dropout(0.9, seed_generator)(ONES) is ONES or np.array_equal(
        Dropout(0.9, seed_generator)(ONES), ONES
    )
    assert np.array_equal(Dropout(0.0, seed_generator)(ONES, training=True), ONES)


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("entries", [1, 2, 99_999])  # odd numbers leave half a draw over
def test_each_rate_and_number_of_entries(rate: float, entries: int) -> None:
    ones = np.ones(entries, np.float32)
    received = np.asarray(Dropout(rate, keras.random.SeedGenerator(7))(ones, training=True))
    assert received.shape == ones.shape
    deviation = np.sqrt(rate * (1 - rate) / entries)
    assert abs((received == 0).mean() - rate) <= 5 * deviation + 2**-16
    if entries > 2:
        assert abs(received.mean() - 1) < 0.05
        assert np.allclose(received[received != 0], 1 / (1 - rate), rtol=1e-3)


def test_the_scale_is_that_of_the_rate_drawn() -> None:
    """Of a rate that is no 65,536th, and so high that rounding it matters."""
    received = np.asarray(Dropout(0.99999, keras.random.SeedGenerator(7))(np.ones(4_000_000), training=True))
    assert (received == 0).mean() == pytest.approx(1 - 2**-16, abs=1e-5)
    assert set(np.unique(received)) == {0.0, 2.0**16}


def test_neighbours_fall_independently() -> None:
    """Two entries share a draw of 32 bits, half each."""
    dropped = np.asarray(Dropout(0.5, keras.random.SeedGenerator(7))(np.ones(40_000), training=True)) == 0
    for distance in (1, 2):
        both = (dropped[:-distance] & dropped[distance:]).mean()
        assert abs(both - 0.25) < 0.011  # five standard deviations of 40,000 draws
