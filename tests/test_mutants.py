"""That each deliberate breakage still finds its line and its tests; running them all takes minutes."""

from __future__ import annotations

from tests.benchmarks.mutants import MUTANTS, ROOT, find_all


def test_each_finds_its_line_and_its_tests() -> None:
    find_all(ROOT, MUTANTS)  # raises what it misses
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
