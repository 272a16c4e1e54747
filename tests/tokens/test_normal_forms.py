import sys
import unicodedata
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tokens.normalization import Form, normal_form

# Accents of several orders, alone and in characters that fall apart into some; letters they meet; signs that are
# marks but stop the sorting.
ACCENTED = st.text(alphabet="aé\u0301\u0323\u0327\u0344\u0f73\u0f81\uff9e\u20dd\u034f\uac00\u11a8ﷺ\u1e69")


@pytest.mark.parametrize("form", get_args(Form))
@given(ACCENTED)
def test_it_is_what_unicodedata_gives(form: Form, text: str) -> None:
    long = text * 20 + "a" + text[::-1] + "é" * 256
    assert normal_form(form, long) == unicodedata.normalize(form, long)


@pytest.mark.parametrize("form", get_args(Form))
def test_every_character_between_accents(form: Form) -> None:
    characters = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    known = [
        character for character in characters if unicodedata.category(character) not in ("Cn", "Co", "Lo")
    ]
    text = "".join(f"\u0301{character}\u0323\u0315" for character in known)
    assert normal_form(form, text) == unicodedata.normalize(form, text)
