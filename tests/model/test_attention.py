import numpy as np
import pytest

from core.model.attention import scaled_dot_product_attention


@pytest.mark.filterwarnings("error")
def test_one_word_is_looked_at_without_a_warning() -> None:
    """Keras takes a softmax over one entry for a mistake; for word lists it is none. Else: NumPy equals Keras."""
    source, queries = np.ones((2, 4, 1, 3), np.float32), np.ones((2, 4, 5, 3), np.float32)
    output = scaled_dot_product_attention(queries, source, 2 * source, True)
    assert np.array_equal(output, np.full((2, 4, 5, 3), 2))
