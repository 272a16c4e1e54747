"""Everything but exporting and learning a vocabulary runs without tensorflow-text, as on Windows.

One process, in which tensorflow_text cannot be imported, does what a person does; the pages' own tests hide it, too.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]

HIDDEN = """
import importlib, json, pkgutil, sys, tempfile
from pathlib import Path

sys.modules["tensorflow_text"] = None  # as if it were not installed
found = {}

import core, pages.components
names = [module.name for package in (core, pages.components)
         for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
names = [name for name in names if not name.startswith("core.cluster")]  # needs other requirements
for name in names:
    importlib.import_module(name)
found["modules"] = len(names)

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
checkpoint = Checkpoint.load(find_checkpoint("ted_pt_en"))
text = "este é um problema que temos que resolver."
found["translation"] = checkpoint.translator().translate_typed([text])[0].text

from core.checkpoints.export import export_saved_model
from core.tokens.subword import SubwordTokenizer
from core.tokens.subword_vocabulary import TensorFlowTextError
def refused(do):
    try:
        do()
    except TensorFlowTextError as error:
        return str(error)
with tempfile.TemporaryDirectory() as folder:
    found["export"] = refused(lambda: export_saved_model(checkpoint, Path(folder) / "model"))
found["learn"] = refused(lambda: SubwordTokenizer.learn(["a text"] * 9, 30))

print(json.dumps(found))
"""


def test_what_a_person_does() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["modules"] > 100
    assert "problem" in found["translation"]
    assert found["export"].startswith("Exporting a SavedModel needs tensorflow-text")
    assert found["learn"].startswith("Learning a vocabulary of subwords needs tensorflow-text")
    assert all(found[each].endswith("do it on Linux, on macOS or in WSL.") for each in ("export", "learn"))


def test_it_is_required_where_it_has_wheels() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("tensorflow-text")]
    assert line.partition("#")[0].strip().endswith('; sys_platform != "win32"')
