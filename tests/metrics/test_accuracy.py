import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from core.metrics.accuracy import masked_accuracy


@given(
    arrays(np.float32, (3, 4, 5), elements=st.integers(-99, 99), unique=True),
    arrays(np.int32, (3, 4), elements=st.integers(0, 4)),
)
def test_counts_hits_among_real_tokens(logits: NDArray[np.float32], labels: NDArray[np.int32]) -> None:
    real = [(row, t) for row in range(3) for t in range(4) if labels[row, t]]
    hits = sum(max(range(5), key=lambda v: logits[row, t, v]) == labels[row, t] for row, t in real)
    assert float(masked_accuracy(logits, labels)) == pytest.approx(hits / max(len(real), 1))


def test_a_pad_predicted_rightly_is_no_hit() -> None:
    logits = np.zeros((1, 3, 4), np.float32)
    logits[0, :, 0] = 1.0  # "pad" everywhere
    assert float(masked_accuracy(logits, np.array([[2, 3, 0]]))) == 0.0
    assert float(masked_accuracy(logits, np.zeros((1, 3), np.int32))) == 0.0
