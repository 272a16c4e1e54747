import math

import pytest

from core.config import DecodingConfig
from core.inference.texts import is_unsure
from core.records.text import Hypothesis


def test_a_model_that_hardly_believes_its_translation_is_unsure() -> None:
    def of(probability: float, ids: tuple[int, ...] = (4, 5, 6, 3)) -> Hypothesis:
        return Hypothesis(
            "a b c", ("a", "b", "c"), ids, len(ids) * math.log(probability), -1.0, finished=True
        )

    assert of(0.51).mean_probability == pytest.approx(0.51)
    assert is_unsure(of(0.49), DecodingConfig())
    assert not is_unsure(of(0.4999), DecodingConfig())  # which people read as 50 %
    assert not is_unsure(of(0.44, ids=(4, 5, 3)), DecodingConfig())
    assert not is_unsure(of(0.44), DecodingConfig(samples=2))
