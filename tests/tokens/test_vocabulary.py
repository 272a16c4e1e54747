import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tokens.vocabulary import Vocabulary, VocabularyError

words = st.lists(st.from_regex(r"[a-zàéœß'☕]{1,6}", fullmatch=True), unique=True, max_size=8)


@given(words, st.booleans())
def test_special_tokens_come_first_and_ids_count_on(ordinary: list[str], start_and_end: bool) -> None:
    vocabulary = Vocabulary.from_tokens(ordinary, start_and_end=start_and_end)
    special = ("[PAD]", "[UNK]", "[START]", "[END]") if start_and_end else ("[PAD]", "[UNK]")
    assert vocabulary.tokens == (*special, *ordinary)
    assert len(vocabulary) == len(special) + len(ordinary)
    assert [vocabulary.id_of(token) for token in vocabulary.tokens] == list(range(len(vocabulary)))
    assert vocabulary.has_start_and_end == start_and_end
    assert [vocabulary.is_special(i) for i in range(len(special))] == [True, False, True, True][
        : len(special)
    ]
    assert not any(vocabulary.is_special(i) for i in range(len(special), len(vocabulary)))


def test_known_ids() -> None:
    vocabulary = Vocabulary.from_tokens(["hello"], start_and_end=True)
    # As in the first notebook: pad 0, unknown 1, then start 2 and end 3.
    assert (vocabulary.pad_id, vocabulary.unknown_id, vocabulary.start_id, vocabulary.end_id) == (0, 1, 2, 3)
    assert vocabulary.id_of("hello") == 4
    assert vocabulary.id_of("goodbye") == vocabulary.unknown_id
    assert "hello" in vocabulary and "goodbye" not in vocabulary


@given(words, st.booleans())
def test_text_round_trip(ordinary: list[str], start_and_end: bool) -> None:
    vocabulary = Vocabulary.from_tokens(ordinary, start_and_end=start_and_end)
    assert Vocabulary.from_text(vocabulary.to_text()).tokens == vocabulary.tokens


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ((), r"must begin with \[PAD\] and \[UNK\]\. Received: \(\)"),
        (("[UNK]", "[PAD]"), r"must begin with \[PAD\] and \[UNK\]"),
        (("[PAD]", "[UNK]", "a", "b", "a"), r"must be in a vocabulary once\. Received twice: 'a'"),
        (("[PAD]", "[UNK]", ""), r"must not be empty or padded with spaces\. Received: ''"),
        (("[PAD]", "[UNK]", "a "), r"must not be empty or padded with spaces\. Received: 'a '"),
        (("[PAD]", "[UNK]", "[START]"), r"\[START\] and \[END\] must have the ids 2 and 3"),
        (("[PAD]", "[UNK]", "[END]", "[START]"), r"\[START\] and \[END\] must have the ids 2 and 3"),
        (("[PAD]", "[UNK]", "a", "[START]", "[END]"), r"\[START\] and \[END\] must have the ids 2 and 3"),
    ],
)
def test_what_is_no_vocabulary(tokens: tuple[str, ...], message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        Vocabulary(tokens)
