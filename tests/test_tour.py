"""The notebook's code cells, in their order, in a process of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import numbers

TOUR = Path(__file__).parents[1] / "core" / "tour.ipynb"
RUN = """
import ast, json, sys
shown, names = [], {}
sys.displayhook = shown.append
for number, cell in enumerate(json.load(open("tour.ipynb", encoding="utf-8"))["cells"]):
    if cell["cell_type"] == "code":
        tree = ast.Interactive(ast.parse("".join(cell["source"])).body)
        exec(compile(tree, f"cell {number}", "single"), names)
figures = [each.to_dict()["data"] for each in shown if isinstance(each, names["go"].Figure)]
print(json.dumps([len(list(filter(None, figures))), names["weights"].sum(axis=1).tolist()]))
"""


@pytest.mark.long
def test_the_tour_runs_from_top_to_bottom() -> None:
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(command, cwd=TOUR.parent, capture_output=True, encoding="utf-8", check=True)
    assert "0000 00:00" not in done.stderr  # the messages of TensorFlow's C++ code
    figures, attention = json.loads(done.stdout.splitlines()[-1])
    assert figures == 3 and attention == pytest.approx([1.0] * len(attention))
    assert ["15", "15"] in map(numbers, done.stdout.splitlines()) and "Bananas are a problem" in done.stdout
