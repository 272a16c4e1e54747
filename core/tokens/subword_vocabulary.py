"""Checking and learning vocabularies of subwords."""

import re
from collections import Counter
from collections.abc import Iterable

from core.errors import InputError
from core.language import _
from core.tokens.merges import JOINER, letters_of, merges
from core.tokens.normalization import SubwordSettings, normalize_for_subwords, split_words
from core.tokens.vocabulary import END, PAD, START, UNKNOWN, Vocabulary

_PART_NOT_NORMAL = 0.05  # share of entries that normalization may change; official vocabularies have a few


def check_subwords(vocabulary: Vocabulary, settings: SubwordSettings) -> None:
    """Check that a vocabulary has start, end and ## subwords, and fits the settings.

    Raises:
        InputError: it does not.
    """
    if not vocabulary.has_start_and_end:
        raise InputError(
            _("A WordPiece vocabulary must have {start} and {end} as ids 2 and 3.").format(
                start=START, end=END
            )
        )
    subwords = [token for token in vocabulary.tokens if not re.fullmatch(r"\[[^\[\]]+\]", token)]
    if not any(subword.startswith(JOINER) and len(subword) > len(JOINER) for subword in subwords):
        raise InputError(
            _("A WordPiece vocabulary must have subwords that continue a word, like ##s. Received: none.")
        )
    strange = [subword for subword in subwords if normalize_for_subwords(subword, settings) != subword]
    if len(strange) > _PART_NOT_NORMAL * len(subwords):
        raise InputError(
            _(
                "The vocabulary must fit {settings}: no text could give {count} of its subwords. "
                "Received among them: {subword}"
            ).format(
                settings=f"lower_case={settings.lower_case} and strip_accents={settings.strip_accents}",
                count=len(strange),
                subword=f"{strange[0]!r:.80}",
            )
        )


def learn_subwords(texts: Iterable[str], vocab_size: int, settings: SubwordSettings) -> Vocabulary:
    """Learn a vocabulary of at most `vocab_size` entries: all characters, then the pieces of `merges`.

    All characters stay, so that every word of the texts can be spelled. A small corpus has fewer pieces.

    Args:
        texts: the sentences, read once; those of both languages for a shared vocabulary.
        vocab_size: the number of entries, special tokens included.
        settings: how to normalize text.

    Raises:
        InputError: the texts have no words, or more different characters than `vocab_size` allows.
    """
    words = Counter(word for text in texts for word in split_words(normalize_for_subwords(text, settings)))
    if not words:
        raise InputError(_("There must be text with words to learn a vocabulary from. Received: none."))
    letters: Counter[str] = Counter()
    for word, count in words.items():
        for letter in letters_of(word):
            letters[letter] += count
    special = (PAD, UNKNOWN, START, END)
    room = vocab_size - len(special) - len(letters)
    if room < 0:
        raise InputError(
            _("vocab_size must be at least {least} to spell these texts. Received: {received}").format(
                least=len(special) + len(letters), received=vocab_size
            )
        )
    alphabet = (letter for letter, _count in letters.most_common())
    pieces: dict[str, None] = {}  # two merges may make the same one
    for merge in merges(words):
        if len(pieces) == room:
            break
        pieces[merge.piece] = None
    return Vocabulary((*special, *alphabet, *pieces))
