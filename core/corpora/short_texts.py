"""Words and short runs of words out of sentences: what people also type, and a corpus of sentences hardly has."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable

from core.corpora.glossary import whole_words

MAX_WORDS = 6000  # the most frequent ones
SHARE = 0.3  # of the sentences, that a run of words is taken out of
LENGTHS = (2, 2, 3, 3, 4, 5)  # words of a run, each as likely

Words = Callable[[str], list[str]]


def short_texts(sentences: Iterable[str], words_of: Words, seed: int) -> list[str]:
    """The words of most sentences first, then runs of words, at least half of them from where a sentence begins.

    Args:
        sentences: read once.
        words_of: cuts a sentence into words and punctuation.
        seed: of the draws; the same gives the same.
    """
    draw = random.Random(seed)
    counts: Counter[str] = Counter()
    runs: set[str] = set()
    for sentence in sentences:
        words = words_of(sentence)
        whole = whole_words(words)
        counts.update(sorted(whole))  # the order of sets differs between processes
        length = draw.choice(LENGTHS)
        if length < len(words) and draw.random() < SHARE:
            first = draw.choice((0, draw.randrange(len(words) - length + 1)))
            run = words[first : first + length]
            if whole.issuperset(run):
                runs.add(" ".join(run))
    return [word for word, _ in counts.most_common(MAX_WORDS)] + sorted(runs)
