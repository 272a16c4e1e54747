"""Checking and learning vocabularies of subwords."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from core.errors import InputError
from core.language import _
from core.tokens.normalization import SubwordSettings, normalize_for_subwords, split_words
from core.tokens.vocabulary import END, PAD, START, UNKNOWN, Vocabulary

JOINER = "##"  # begins a subword that continues a word
_LEARN_SLACK = 0.05  # how far the learner may exceed the requested size; the rarest subwords are removed
_LEARN_LINES = 1024  # texts counted at a time
_PART_NOT_NORMAL = 0.05  # share of entries that normalization may change; official vocabularies have a few


def tensorflow_text(needed_for: str) -> Any:
    """Import and return tensorflow-text; `needed_for` begins the error message: "Exporting a SavedModel".

    Raises:
        InputError: it is not installed.
    """
    try:
        import tensorflow_text
    except ModuleNotFoundError as error:
        raise InputError(
            f"{needed_for} needs tensorflow-text, which has no wheels for Windows: do it on Linux, on macOS or in WSL."
        ) from error
    return tensorflow_text


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
    """Learn a vocabulary of `vocab_size` entries with tensorflow-text; a small corpus may give fewer.

    The learner only comes near the requested size. So it is asked for a little more, and the rarest subwords of
    several letters are removed. All single characters stay, so that every word of the corpus can be spelled.

    Args:
        texts: the sentences, read once; those of both languages for a shared vocabulary.
        vocab_size: the number of entries, special tokens included.
        settings: how to normalize text.

    Raises:
        InputError: the texts have no words, or more different characters than `vocab_size` allows; or tensorflow-text is
            not installed.
    """
    tensorflow_text("Learning a vocabulary of subwords")
    import tensorflow as tf
    from tensorflow_text.tools.wordpiece_vocab import bert_vocab_from_dataset

    normal = (normalize_for_subwords(text, settings) for text in texts)
    first = next((text for text in normal if split_words(text)), None)
    if first is None:
        raise InputError("There must be text with words to learn a vocabulary from. Received: none.")

    def lines() -> Iterator[list[str]]:
        yield [first]
        while some := list(islice(normal, _LEARN_LINES)):
            yield some

    subwords = bert_vocab_from_dataset.bert_vocab_from_dataset(
        tf.data.Dataset.from_generator(lines, output_signature=tf.TensorSpec((None,), tf.string)),
        vocab_size=int(vocab_size / (1 - _LEARN_SLACK)),
        reserved_tokens=[PAD, UNKNOWN, START, END],
        bert_tokenizer_params={},  # the text is normalized already
        # The default lower threshold of 10 would stop small corpora far below the size asked for.
        learn_params={"slack_ratio": _LEARN_SLACK, "lower_thresh": 2},
    )
    return Vocabulary(_shorten(subwords, vocab_size))


def _shorten(subwords: Sequence[str], size: int) -> list[str]:
    """Remove the last (rarest) subwords of more than one character, down to `size` entries."""
    several = [subword for subword in subwords[4:] if len(subword.removeprefix(JOINER)) > 1]
    too_many = max(len(subwords) - size, 0)
    if too_many > len(several):
        least = len(subwords) - len(several)
        raise InputError(f"vocab_size must be at least {least} to spell these texts. Received: {size}")
    rare = set(several[len(several) - too_many :])
    return [subword for subword in subwords if subword not in rare]
