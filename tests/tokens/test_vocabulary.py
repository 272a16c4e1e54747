import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.tokens.vocabulary import Vocabulary

words = st.lists(st.from_regex(r"[a-zàéœß'☕]{1,6}", fullmatch=True), unique=True, max_size=8)


@given(words, st.booleans())
def test_special_tokens_come_first(ordinary: list[str], start_and_end: bool) -> None:
    vocabulary = Vocabulary.from_tokens(ordinary, start_and_end=start_and_end)
    special = ("[PAD]", "[UNK]", "[START]", "[END]") if start_and_end else ("[PAD]", "[UNK]")
    assert vocabulary.tokens == (*special, *ordinary)
    assert [vocabulary.id_of(token) for token in vocabulary.tokens] == list(range(len(vocabulary)))
    is_special = [vocabulary.is_special(id_) for id_ in range(len(vocabulary))]
    assert is_special == [token in special and token != "[UNK]" for token in vocabulary.tokens]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("", r"\[PAD\].*\[UNK\].*\('',\)"),
        ("[UNK] [PAD]", r"\[PAD\].*\[UNK\]"),
        ("[PAD] [UNK] a b a", "'a'"),
        ("[PAD] [UNK] ", "''"),
        ("[PAD] [UNK] a\t", r"'a\\t'"),
        ("[PAD] [UNK] [START]", r"\[START\].*\[END\].*2.*3"),
        ("[PAD] [UNK] a [START] [END]", r"\[START\].*\[END\].*2.*3"),
    ],
)
def test_what_is_no_vocabulary(tokens: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Vocabulary(tokens.split(" "))
