import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.config import DecodingConfig
from core.inference.texts import is_unsure
from core.records import AttentionRecord, Hypothesis, Translation


def even(*shape: int) -> NDArray[np.float32]:
    """Attention that looks everywhere alike."""
    return np.full(shape, 1.0 / shape[-1], np.float32)


def record(**changes: Any) -> AttentionRecord:
    """Two layers, three heads, four source tokens, two target tokens."""
    values: dict[str, Any] = {
        "source_tokens": ("j", "aime", "le", "café"),
        "decoder_input_tokens": ("[START]", "coffee"),
        "predicted_tokens": ("coffee", "[END]"),
        "encoder": even(2, 3, 4, 4),
        "decoder": even(2, 3, 2, 2),
        "cross": even(2, 3, 2, 4),
    }
    return AttentionRecord(**{**values, **changes})


def hypothesis(text: str, score: float) -> Hypothesis:
    return Hypothesis(text, tuple(text.split()), (4, 3), 2 * score, score, finished=True)


def test_the_best_hypothesis_is_the_first() -> None:
    translation = Translation(
        "café", ("café",), (False,), (hypothesis("coffee", -0.5), hypothesis("tea", -1.0))
    )
    assert translation.best.text == translation.text == "coffee"


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


def test_json_fields_without_and_with_attention() -> None:
    translation = Translation("Café !", ("café",), (False,), (hypothesis("a coffee", -0.5),))
    assert translation.to_dict() == {
        "source": "Café !",
        "source_tokens": ["café"],
        "target_tokens": ["a", "coffee"],
        "text": "a coffee",
        "stop_added": False,
        "score": -0.5,
        "log_probability": -1.0,
        "mean_probability": pytest.approx(0.6065307),  # exp(-1 / 2)
        "finished": True,
    }
    explained = Translation("x", ("x",), (False,), translation.hypotheses, attention=record())
    attention = json.loads(json.dumps(explained.to_dict()))["attention"]
    assert attention["decoder_input_tokens"] == ["[START]", "coffee"]
    assert np.allclose(attention["cross"], record().cross)
    assert set(attention) == {
        "source_tokens", "decoder_input_tokens", "predicted_tokens", "encoder", "decoder", "cross"
    }  # fmt: skip
