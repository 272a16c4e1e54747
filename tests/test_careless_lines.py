"""The lines of tests/benchmarks/careless.py are what they are called."""

from __future__ import annotations

from collections import Counter

from core.records import Pair
from tests.benchmarks.careless import _repeats, careless_lines

PAIRS = [
    *(Pair(f"esta é a frase número {number} .", f"this is sentence {number} .") for number in range(300)),
    *(Pair(f"frase {letter} !", f"sentence {letter} !") for letter in "abcdefghijklmnopqrstuvwxyz"),
    Pair("sem ponto", "without"),
    Pair("uma . duas .", "one . two ."),
    Pair("( aplausos )", "( applause )"),
    Pair("não , não , não .", "no no no ."),
]


def test_lines_are_made_by_rule_from_whole_sentences() -> None:
    lines = careless_lines(PAIRS)
    assert lines == careless_lines(PAIRS)
    kinds = Counter(line.kind for line in lines)
    assert sum(kinds.values()) == 200 and len(kinds) == 7 and min(kinds.values()) >= 20
    for line in lines:
        assert line.careful.source[-1] in ".!" and line.careful.target[-1] in ".!"
        assert line.careless.source != line.careful.source
        assert (line.careless.target == line.careful.target) == (
            line.kind in ("capitals", "no accents", "a slip")
        )
        assert "aplausos" not in line.careful.source and "não" not in line.careful.source
    words = [len(line.careless.source.split()) for line in lines if line.kind == "a word or two"]
    assert set(words) == {2}


def test_a_token_three_times_in_a_row_is_a_repetition() -> None:
    assert _repeats(["a", "b", "b", "b"]) and not _repeats(["b", "b", "a", "b"])
    assert not _repeats(["day", ".", ".", "."]) and not _repeats([])
