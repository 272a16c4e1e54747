import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tokens.character import SPACE, CharacterTokenizer, characters_of
from core.tokens.vocabulary import UNKNOWN_ID
from core.tokens.word import normalize

TEXTS = st.text(max_size=30)


@pytest.mark.parametrize(
    ("text", "characters"),
    [
        ("我喜欢狗。", ["我", "喜", "欢", "狗"]),
        ("ฉันกินข้าว", ["ฉั", "น", "กิ", "น", "ข้", "า", "ว"]),
        ("I am", ["i", SPACE, "a", "m"]),
        ("क्या", ["क्", "या"]),
        ("كِتاب", ["كِ", "ت", "ا", "ب"]),
    ],
)
def test_a_token_is_a_character_with_the_signs_on_it(text: str, characters: list[str]) -> None:
    assert characters_of(normalize(text)) == characters


@given(TEXTS)
def test_no_letter_is_lost(text: str) -> None:
    tokenizer = CharacterTokenizer.fit([text], start_and_end=True)
    ids = tokenizer.encode(text)
    assert UNKNOWN_ID not in ids or any(len(token) > 100 for token in tokenizer.tokens(text))
    if UNKNOWN_ID not in ids:
        assert tokenizer.decode(ids) == normalize(text)
        assert tokenizer.decode_words(ids) == tokenizer.normalized(text)


def test_an_unknown_character_is_one_unknown_token() -> None:
    tokenizer = CharacterTokenizer.fit(["我喜欢狗"], start_and_end=True)
    assert tokenizer.encode("我喜欢猫").count(UNKNOWN_ID) == 1
