from collections import Counter
from itertools import islice, pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.tokens.merges import joined, letters_of, merge, merges

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=12)


def counted_anew(words: dict[str, int], spelled: dict[str, list[str]]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for word, times in words.items():
        for pair in pairwise(spelled[word]):
            counts[pair] += times
    return counts


@given(WORDS)
def test_each_merge_is_the_most_frequent_pair_of_a_text_that_is_counted_anew(words: dict[str, int]) -> None:
    spelled = {word: letters_of(word) for word in words}
    for step in merges(words, least=1):
        counts = counted_anew(words, spelled)
        most = max(counts.values())
        assert step.count == most == counts[step.pair]
        assert step.pair == min(pair for pair, count in counts.items() if count == most)
        assert step.piece == joined(step.pair)
        for pieces in spelled.values():
            merge(pieces, step.pair)
        assert all("".join(piece.removeprefix("##") for piece in spelled[word]) == word for word in words)
    assert all(len(pieces) == 1 for pieces in spelled.values())


def test_the_words_of_the_paper() -> None:
    """Sennrich et al. 2016, section 3.2: what "newer" and "wider" share is met first, then what "low" and "lowest" do."""
    words = {"low": 5, "lowest": 2, "newer": 6, "wider": 3}
    first, second, third = islice(merges(words), 3)
    assert (first.piece, first.count) == ("##er", 9)
    assert (second.count, third.piece, third.count) == (7, "low", 7)
