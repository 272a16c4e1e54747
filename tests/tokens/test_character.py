import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.tokens.character import SPACE, CharacterTokenizer, characters_of
from core.tokens.vocabulary import PAD_ID, UNKNOWN_ID
from core.tokens.word import normalize

TEXTS = st.text(max_size=30)
SENTENCES = ["我喜欢狗。", "ฉันกินข้าว", "I  am, café!", "क्या", "كِتاب جديد"]
# Characters newer than Python's Unicode tables are left out: TensorFlow's are of another year.
LETTERS = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=20)


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


@pytest.mark.long
def test_the_graph_gives_the_same_ids_and_writes_the_same_text() -> None:
    tf = pytest.importorskip("tensorflow")
    pytest.importorskip("tensorflow_text")
    from core.checkpoints.export import TokenizerInGraph

    tokenizer = CharacterTokenizer.fit(SENTENCES, start_and_end=True)
    module = TokenizerInGraph(tokenizer)

    @example(SENTENCES)
    @settings(max_examples=50)
    @given(st.lists(LETTERS, min_size=1, max_size=16))
    def check(texts: list[str]) -> None:
        ids = module.ids(module.tokens(tf.constant(texts)))
        expected = [tokenizer.encode(text) for text in texts]
        assert ids.to_list() == expected
        written = module.text(module.token_strings(ids.to_tensor(PAD_ID)))
        decoded = [tokenizer.decode(row) for row in expected]
        assert [text.decode() for text in written.numpy()] == decoded

    check()
