"""Norms of what attention moves, vector by vector."""

from __future__ import annotations

import numpy as np
import pytest

from core.inference.translator import Translator
from core.interpretability.norms import value_norms


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_norms_equal_the_vectors_one_by_one(translator: Translator, kind: str) -> None:
    translation = translator.translate(["je suis malade"])[0]
    norms = getattr(value_norms(translator, translation), kind)
    source = translator.source_tokenizer.encode("je suis malade")
    trace = translator.trace_of(source, translation.best.ids)
    values = getattr(trace, f"{kind}_values")[0]
    assert norms.shape == values.shape[:3]
    stack, sublayer = ("decoder", "cross") if kind == "cross" else (kind, "self")
    layer, head, key, width = 1, 3, 2, translator.config.head_dim
    kernel = translator.weights[f"{stack}/layer_{layer}/{sublayer}_attention/output/kernel"]
    moved = values[layer, head, key] @ kernel[head * width : (head + 1) * width]
    assert norms[layer, head, key] == pytest.approx(np.sqrt((moved**2).sum()), rel=1e-4)
