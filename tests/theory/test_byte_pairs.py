from hypothesis import given
from hypothesis import strategies as st

from core.theory.byte_pairs import after_merges
from core.tokens.merges import letters_of, merges

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), min_size=1, max_size=8)


@given(WORDS, st.integers(0, 20))
def test_after_some_merges_the_most_frequent_neighbours_are_those_of_the_next(
    words: dict[str, int], steps: int
) -> None:
    found = after_merges(words, steps)
    following = [*merges(words)][steps : steps + 1]
    if following:
        assert found.counts[following[0].pair] == following[0].count == max(found.counts.values())
    else:
        assert max(found.counts.values(), default=0) < 2
    assert {piece for pieces in found.spelled.values() for piece in pieces} <= {*found.vocabulary}
    joined = sum(step.count for step in found.merged)
    assert found.num_tokens(words) >= sum(n * len(letters_of(w)) for w, n in words.items()) - joined
