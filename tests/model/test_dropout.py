import keras
import numpy as np

from core.model.dropout import Dropout

ONES = np.ones((200, 50), np.float32)


def test_rate_scale_and_shared_randomness() -> None:
    randomness = keras.random.SeedGenerator(7)
    first, second = Dropout(0.2, randomness, name="a"), Dropout(0.2, randomness, name="b")
    received, other = np.asarray(first(ONES, training=True)), np.asarray(second(ONES, training=True))
    assert set(np.unique(received)) == {0.0, np.float32(1.25)}
    assert abs((received == 0).mean() - 0.2) < 0.02  # five standard deviations of 10,000 draws
    assert not np.array_equal(received, other)


def test_off_outside_training_and_at_rate_zero() -> None:
    randomness = keras.random.SeedGenerator(7)
    assert Dropout(0.9, randomness)(ONES) is ONES or np.array_equal(Dropout(0.9, randomness)(ONES), ONES)
    assert np.array_equal(Dropout(0.0, randomness)(ONES, training=True), ONES)
