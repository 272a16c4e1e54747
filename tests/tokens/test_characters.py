import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tokens.characters import SPACES, case_ignorable, cased, in_categories


@given(st.characters(codec="utf-8"))
def test_categories_are_those_of_unicode(character: str) -> None:
    for categories in (("L", "N"), ("Pd", "Sc"), ("C",)):
        expected = unicodedata.category(character).startswith(categories)
        assert bool(re.fullmatch(f"[{in_categories(*categories)}]", character)) is expected


@given(st.characters())
def test_spaces_are_those_that_split(character: str) -> None:
    assert bool(re.fullmatch(f"[{SPACES}]", character)) is (character.split() == [])


def test_surrogates_are_no_characters() -> None:
    assert re.fullmatch(f"[{in_categories('C')}]", "\ud800") is None


@pytest.mark.parametrize(
    ("character", "is_cased", "is_ignorable"),
    [
        ("a", True, False),
        ("Σ", True, False),
        ("1", False, False),
        ("'", False, True),
        ("\u0301", False, True),
    ],
)
def test_case(character: str, is_cased: bool, is_ignorable: bool) -> None:
    assert bool(re.fullmatch(f"[{cased()}]", character)) is is_cased
    assert bool(re.fullmatch(f"[{case_ignorable()}]", character)) is is_ignorable
