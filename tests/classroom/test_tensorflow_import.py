from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
from core.classroom.tensorflow_import import load_tensorflow
load_tensorflow()
import os
print(os.environ["TF_NUM_INTRAOP_THREADS"])
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
