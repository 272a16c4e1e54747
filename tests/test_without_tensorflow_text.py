"""On Windows, which tensorflow-text has no wheels for, exporting and learning a vocabulary say what they need.

Nothing else imports it (tests/test_architecture.py), and the pages' tests hide it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.tokens.subword import SubwordTokenizer
from core.tokens.subword_vocabulary import TensorFlowTextError
from tests.conftest import subword_checkpoint

NEEDS = "needs tensorflow-text, .* do it on Linux, on macOS or in WSL"


def test_what_needs_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.checkpoints.export import export_saved_model

    monkeypatch.setitem(sys.modules, "tensorflow_text", None)  # as if it were not installed
    with pytest.raises(TensorFlowTextError, match=f"Exporting a SavedModel {NEEDS}"):
        export_saved_model(subword_checkpoint(), tmp_path / "model")
    with pytest.raises(TensorFlowTextError, match=f"Learning a vocabulary of subwords {NEEDS}"):
        SubwordTokenizer.learn(["a text"] * 9, 30)


def test_it_is_required_where_it_has_wheels() -> None:
    requirements = Path(__file__).parents[1] / "requirements.txt"
    lines = requirements.read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("tensorflow-text")]
    assert line.partition("#")[0].strip().endswith('; sys_platform != "win32"')
