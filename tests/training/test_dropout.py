import numpy as np
import pytest

from tests.conftest import TINY

SEED = np.array([7, 1 << 16])


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("entries", [1, 2, 99_999])  # odd numbers leave half a draw over
def test_dropout_has_the_rate_and_keeps_the_mean(rate: float, entries: int) -> None:
    import tensorflow as tf

    from core.training.dropout import dropped

    received = dropped(tf.ones(entries), rate, SEED).numpy()
    assert received.shape == (entries,)
    assert np.allclose(received[received != 0], 1 / (1 - rate), rtol=1e-3)
    assert abs((received == 0).mean() - rate) <= 5 * np.sqrt(rate * (1 - rate) / entries) + 2**-16


def test_neighbours_are_dropped_independently() -> None:
    """Two entries share a draw of 32 bits, half each."""
    import tensorflow as tf

    from core.training.dropout import dropped

    zeros = dropped(tf.ones(40_000), 0.5, SEED).numpy() == 0
    for distance in (1, 2):
        both = (zeros[:-distance] & zeros[distance:]).mean()
        assert abs(both - 0.25) < 0.011  # five standard deviations of 40,000 draws


def test_every_result_and_every_step_has_numbers_of_its_own() -> None:
    import tensorflow as tf

    from core.training.dropout import dropout, dropped_names
    from core.training.step import dropout_seed

    ones = tf.ones((4, 100))
    config = TINY.replace(dropout_rate=0.5)
    names = dropped_names(config)
    first, second = (dropout(config, dropout_seed(7, step)) for step in (1, 2))
    zeros = [np.asarray(hook(name, ones)) == 0 for hook in (first, second) for name in names]
    assert all(0.3 < each.mean() < 0.7 for each in zeros)
    assert len({each.tobytes() for each in zeros}) == 2 * len(names)
    assert np.array_equal(np.asarray(first(names[0], ones)) == 0, zeros[0])
    assert first("encoder/layer_0/self_attention/weights", ones) is ones  # as in the authors' code
    assert dropout(TINY.replace(dropout_rate=0.0), SEED)(names[0], ones) is ones
