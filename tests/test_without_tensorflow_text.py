"""On Windows, which tensorflow-text has no wheels for, exporting says what it needs.

Nothing else imports it (tests/test_architecture.py), and the pages' tests hide it.
"""

import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from core.errors import InputError
from tests.conftest import subword_checkpoint

TRAINING = {"tensorflow", "keras", "tensorflow-text", "tensorflow-datasets", "importlib_resources"}


def test_what_needs_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.checkpoints.export import export_saved_model

    monkeypatch.setitem(sys.modules, "tensorflow_text", None)  # as if it were not installed
    with pytest.raises(InputError):
        export_saved_model(subword_checkpoint(), tmp_path / "model")


@pytest.mark.parametrize(
    ("system", "machine", "python", "left_out"),
    [
        ("linux", "x86_64", "3.11", set()),
        ("linux", "aarch64", "3.13", set()),
        ("darwin", "arm64", "3.12", set()),
        ("win32", "AMD64", "3.12", {"tensorflow-text"}),
        ("darwin", "x86_64", "3.12", TRAINING),
        ("linux", "x86_64", "3.14", TRAINING),
    ],
)
def test_what_has_no_wheels_is_not_required(
    system: str, machine: str, python: str, left_out: set[str]
) -> None:
    lines = (Path(__file__).parents[1] / "requirements.txt").read_text(encoding="utf-8").splitlines()
    required = [Requirement(line) for line in lines if not line.startswith("#")]
    here = {"sys_platform": system, "platform_machine": machine, "python_version": python}
    missing = {each.name for each in required if each.marker and not each.marker.evaluate(here)}
    assert missing == left_out and {each.name for each in required} >= TRAINING
