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


def test_a_fitting_record_is_accepted_as_it_is() -> None:
    attention = record()
    assert attention.cross.shape == (2, 3, 2, 4)


def test_predicted_and_read_tokens_must_be_as_many() -> None:
    with pytest.raises(
        ValueError, match=r"as many predicted tokens as decoder-input tokens \(2\)\. Received: 1"
    ):
        record(predicted_tokens=("coffee",))


@pytest.mark.parametrize(
    ("name", "wrong", "expected"),
    [
        ("encoder", even(2, 3, 4, 5), "(2, 3, 4, 4)"),
        ("decoder", even(2, 3, 4, 4), "(2, 3, 2, 2)"),
        ("decoder", even(1, 3, 2, 2), "(2, 3, 2, 2)"),
        ("cross", even(2, 3, 4, 2), "(2, 3, 2, 4)"),
        ("cross", even(2, 2, 2, 4), "(2, 3, 2, 4)"),
        ("cross", even(3, 2, 4), "(2, 3, 2, 4)"),
    ],
)
def test_shapes_must_fit_the_tokens(name: str, wrong: NDArray[np.float32], expected: str) -> None:
    with pytest.raises(ValueError) as caught:
        record(**{name: wrong})
    assert str(caught.value) == f"{name} attention must have the shape {expected}. Received: {wrong.shape}"


@pytest.mark.parametrize("name", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("change", [0.01, np.nan])
def test_each_row_must_sum_to_one(name: str, change: float) -> None:
    weights = getattr(record(), name).copy()
    weights[1, 2, 1, 0] += change
    with pytest.raises(ValueError, match=rf"Each row of {name} attention must sum to 1\."):
        record(**{name: weights})


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
