import base64
import json
from typing import Any

import numpy as np
import pytest

from core.figures.browser.attention_stage import COLORS, MASKED, stage_kind
from core.interpretability.attention_view import AttentionOptions, Measure, read_attention
from core.records.attention import ATTENTION_KINDS, AttentionKind
from tests.figures.records import even_record, small_record

NORMS = dict.fromkeys(ATTENTION_KINDS, np.full((1, 2, 1), 7.5, np.float32))  # of every key


def weights_of(kind: dict[str, Any]) -> np.ndarray:
    """As the script in the browser reads them."""
    codes = np.frombuffer(base64.b64decode(kind["weights"]), "<u2")
    shape = (len(kind["roles"]), len(kind["names"]), len(kind["rows"]), len(kind["columns"]))
    return np.where(codes == MASKED, np.nan, codes / (MASKED - 1) * kind["highest"]).reshape(shape)


@pytest.mark.parametrize("kind", ["cross", "encoder", "decoder"])
@pytest.mark.parametrize("measure", ["weights", "norms", "rollout"])
def test_what_is_sent_equals_the_attention(kind: AttentionKind, measure: Measure) -> None:
    maps = read_attention(small_record(), AttentionOptions(measure), NORMS)[kind]
    sent = stage_kind(maps)
    weights = weights_of(sent)
    np.testing.assert_allclose(weights, maps.weights, atol=1e-5 * sent["highest"])
    if measure == "rollout":
        assert (sent["names"], sent["first"]) == (["rollout"], "1.rollout")
    else:
        assert (sent["names"], sent["first"]) == (["1", "2", "mean"], maps.first)
        np.testing.assert_allclose(weights[:, 2], maps.heads.mean(axis=1), atol=1e-5 * sent["highest"])
    assert np.isnan(weights).any() == (kind == "decoder")  # the future


def test_forty_tokens_of_a_large_model_are_small() -> None:
    record = even_record(40, 40, heads=8)
    maps = read_attention(record, AttentionOptions())["cross"]
    assert len(json.dumps(stage_kind(maps))) < 45_000
    assert len(json.dumps(COLORS)) < 4_000
