import json
import math

import numpy as np
import pytest

from core.config import DecodingConfig
from core.inference.texts import is_unsure
from core.records.attention import AttentionRecord
from core.records.text import ExplainedTranslation, Hypothesis, Translation


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


def test_json_fields_with_attention() -> None:
    best, other = (
        Hypothesis(text, ("a",), (4, 3), 2 * s, s, finished=True) for text, s in (("a", -0.5), ("b", -1.0))
    )
    cross = np.full((1, 2, 2, 1), 1 / 3, np.float32)
    attention = AttentionRecord(("café",), ("[START]", "a"), ("a", "[END]"), cross, cross, cross)
    translation = Translation("Café !", ("café",), (4,), (False,), (best, other))
    explained = ExplainedTranslation(translation, attention, ())
    values = json.loads(json.dumps(explained.to_dict()))
    shown = values.pop("attention")
    assert values == {
        "source": "Café !",
        "source_tokens": ["café"],
        "target_tokens": ["a"],
        "text": "a",
        "stop_added": False,
        "score": -0.5,
        "log_probability": -1.0,
        "mean_probability": pytest.approx(0.6065307),  # exp(-1 / 2)
        "finished": True,
    }
    assert shown["decoder_input_tokens"] == ["[START]", "a"]
    assert np.allclose(shown["cross"], cross, atol=1e-6)
    assert shown.keys() == vars(attention).keys()
