"""The threat table of .github/SECURITY.md names files and tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in TABLE.splitlines()
    if line.startswith("|") and not line.startswith(("| who |", "|---"))
]


def functions_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_there_is_a_row_for_each_threat() -> None:
    assert len(ROWS) > 20
    assert all(len(row) == 4 and all(row) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1][:40])
def test_every_row_names_tests_and_files_that_are_there(row: list[str]) -> None:
    _, _, guard, tests = row
    named = re.findall(r"`([^`]+)`", tests)
    assert named
    for each in named:
        file, _, function = each.partition("::")
        assert function.startswith("test_") and function in functions_in(ROOT / file), each
    for file in re.findall(r"`([^` ]*/[^` ]+|[a-z_]+\.py)`", guard):
        assert (ROOT / file).is_file(), file
