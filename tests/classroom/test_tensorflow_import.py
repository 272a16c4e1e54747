from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import os, sys

class AtItsImport:  # when TensorFlow reads it; the import itself would take seconds
    def find_spec(self, name, path=None, target=None):
        if name == "tensorflow":
            print(os.environ["TF_NUM_INTRAOP_THREADS"], flush=True)
            os._exit(0)

sys.meta_path.insert(0, AtItsImport())
from core.classroom.tensorflow_import import load_tensorflow
load_tensorflow()
"""


@pytest.mark.parametrize(("set_by_hand", "expected"), [(None, "1"), ("4", "4")])
def test_a_server_multiplies_each_matrix_on_one_core(set_by_hand: str | None, expected: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TF_NUM_INTRAOP_THREADS"}
    if set_by_hand is not None:
        environment["TF_NUM_INTRAOP_THREADS"] = set_by_hand
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [expected]
