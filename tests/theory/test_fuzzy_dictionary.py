import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.fuzzy_dictionary import ENTRIES, directions, fuzzy_look_up


@given(st.floats(0, 90), st.floats(0, 40))
def test_the_answer_is_a_mixture(degrees: float, strength: float) -> None:
    weights, answer = fuzzy_look_up(degrees, strength)
    assert weights.sum() == pytest.approx(1.0)
    assert answer == pytest.approx(sum(w * entry.value for w, entry in zip(weights, ENTRIES, strict=True)))


def test_by_hand() -> None:
    # The scores are the cosines of the angles to the keys, times 3 / sqrt 2.
    above = [math.exp(3 / math.sqrt(2) * math.cos(math.radians(entry.degrees - 72))) for entry in ENTRIES]
    assert fuzzy_look_up(72, 3)[0] == pytest.approx([each / sum(above) for each in above])


def test_without_strength_everybody_answers_alike_and_with_much_the_nearest_alone() -> None:
    assert fuzzy_look_up(72, 0)[0] == pytest.approx([0.25] * 4)
    assert fuzzy_look_up(84, 1000)[0] == pytest.approx([0, 0, 0, 1])


def test_directions() -> None:
    assert np.allclose(directions([0, 90]), [[1, 0], [0, 1]])
