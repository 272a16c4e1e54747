"""Sentence pairs as ids: a few pairs in words, padded, or a large corpus in subwords, encoded one by one."""

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from core.config import ModelConfig
from core.errors import InputError
from core.language import _
from core.records.text import Pair
from core.tokens.base import Tokenizer, pad
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer, SubwordTokenizers
from core.tokens.vocabulary import END_ID, START_ID
from core.tokens.word import WordTokenizer
from core.training.batches import BucketedPairs, EncodedPairs, RaggedIds

NUM_EXAMPLES = 15  # pairs kept to try a model with
MIN_VALIDATION_PAIRS = 3  # held-out pairs that choose the best epoch; one odd sentence would choose the first
HOLD_OUT_FROM = 200  # pairs of one's own: of so many or more, a tenth is held out unless told otherwise

# Of languages that are written without spaces: three letters or more of Thai, Lao, Burmese, Khmer, Japanese or Chinese.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{3}")


def learn_words(pairs: Sequence[Pair]) -> tuple[WordTokenizer, WordTokenizer]:
    """Learn the word vocabularies of both sides, and return the tokenizers of source and target."""
    return (
        WordTokenizer.fit((pair.source for pair in pairs), start_and_end=False),
        WordTokenizer.fit((pair.target for pair in pairs), start_and_end=True),
    )


def unspaced_side(pairs: Sequence[Pair]) -> str:
    """Return where most sentences are written without spaces: "source", "target", "source and target", or ""."""

    def is_unspaced(texts: Sequence[str]) -> bool:
        return 2 * sum(bool(_UNSPACED.search(text)) and len(text.split()) == 1 for text in texts) > len(texts)

    sides = {"source": [pair.source for pair in pairs], "target": [pair.target for pair in pairs]}
    return " and ".join(side for side, texts in sides.items() if is_unspaced(texts))


def fitting_pairs(
    pairs: Sequence[Pair],
    tokenizers: tuple[Tokenizer, Tokenizer],
    max_source_length: int,
    max_target_length: int,
) -> tuple[Pair, ...]:
    """Return the pairs that a model can be trained on: no side is without tokens or too long.

    Args:
        pairs: pairs to choose from.
        tokenizers: tokenizers of source and target.
        max_source_length: the largest number of source tokens.
        max_target_length: the largest number of decoder-input tokens, start included.

    Raises:
        InputError: no pair is left.
    """
    if not pairs:
        raise InputError(_("There are no pairs to train on. Add at least one sentence with its translation."))
    source, target = tokenizers
    fitting = tuple(
        pair
        for pair in pairs
        if 0 < len(source.tokens(pair.source)) <= max_source_length
        and 0 < len(target.tokens(pair.target)) < max_target_length
    )
    if not fitting:
        raise InputError(
            _(
                "No pair is left: each has a side without words (punctuation and emoji do not count), or more than "
                "{source} words in the source or {target} in the target."
            ).format(source=max_source_length, target=max_target_length - 1)
        )
    return fitting


def encode_pairs(
    pairs: Sequence[Pair], source_tokenizer: Tokenizer, target_tokenizer: Tokenizer
) -> EncodedPairs:
    """Encode pairs, add start and end, and pad each side to its longest sentence."""
    source = [source_tokenizer.encode(pair.source) for pair in pairs]
    target = [[START_ID, *target_tokenizer.encode(pair.target), END_ID] for pair in pairs]
    return EncodedPairs(source=pad(source), target=pad(target))


def learn_tokenizers(
    pairs: Callable[[], Iterable[Pair]], config: ModelConfig, source_language: str, target_language: str
) -> SubwordTokenizers:
    """Learn the vocabularies of both sides, or one for both if the model shares its embeddings."""
    source = SubwordSettings(language=source_language)
    target = SubwordSettings(language=target_language)
    sources = (pair.source for pair in pairs())
    targets = (pair.target for pair in pairs())
    if config.share_embeddings:
        shared = SubwordTokenizer.learn(chain(sources, targets), config.target_vocab_size, target)
        return SubwordTokenizer(shared.vocabulary, source), shared
    return (
        SubwordTokenizer.learn(sources, config.source_vocab_size, source),
        SubwordTokenizer.learn(targets, config.target_vocab_size, target),
    )


def encode_subwords(
    pairs: Iterable[Pair],
    source: SubwordTokenizer,
    target: SubwordTokenizer,
    max_source_tokens: int,
    max_target_tokens: int,
) -> tuple[BucketedPairs, int]:
    """Encode pairs one by one, and return their ids and how many pairs were left out.

    Args:
        pairs: pairs to encode, read once.
        source: tokenizer of the language translated from.
        target: tokenizer of the language translated to.
        max_source_tokens: pairs with a longer source, or with an empty side, are left out.
        max_target_tokens: pairs with a longer target are left out; start and end do not count.

    Raises:
        InputError: no pair is left.
    """
    sources: list[array[int]] = []
    targets: list[array[int]] = []
    left_out = 0
    for pair in pairs:
        source_ids = source.encode(pair.source)
        target_ids = target.encode(pair.target)
        if 0 < len(source_ids) <= max_source_tokens and 0 < len(target_ids) <= max_target_tokens:
            sources.append(array("i", source_ids))
            targets.append(array("i", [START_ID, *target_ids, END_ID]))
        else:
            left_out += 1
    if not sources:
        raise InputError(
            f"No pair is left: all {left_out} that were read have an empty side or more than {max_source_tokens} tokens."
        )
    return BucketedPairs(RaggedIds.from_sequences(sources), RaggedIds.from_sequences(targets)), left_out


def hold_out(pairs: Sequence[Pair], share: float, seed: int) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Split pairs into pairs to train on and held-out pairs, each in their order.

    A repeated pair is held out with all its copies, so that training sees none of them.

    Args:
        pairs: at least two different pairs.
        share: share of the different pairs to hold out, 0 to 1; at least one pair is held out, and at least one stays.
        seed: the same seed holds out the same pairs.

    Raises:
        InputError: there are fewer than two different pairs.
    """
    different = list(dict.fromkeys(pairs))
    if len(different) < 2:
        raise InputError(
            _(
                "Holding pairs out takes at least 2 different ones. Received: {received}. Add pairs, or hold none out."
            ).format(received=len(different))
        )
    number = min(max(1, round(share * len(different))), len(different) - 1)
    drawn = np.random.default_rng(seed).permutation(len(different))[:number]
    held_out = tuple(different[place] for place in sorted(drawn))
    never_shown = set(held_out)
    return tuple(pair for pair in pairs if pair not in never_shown), held_out


def unknown_words(pair: Pair, tokenizers: tuple[Tokenizer, Tokenizer]) -> list[str]:
    """Return the different words of a pair that the vocabularies of source and target do not have."""
    unknown: dict[str, None] = {}  # in their order
    for text, tokenizer in zip((pair.source, pair.target), tokenizers, strict=True):
        words = tokenizer.normalized(text).split()
        unknown |= dict.fromkeys(word for word in words if word not in tokenizer.vocabulary)
    return list(unknown)


def known_words(texts: Iterable[str], tokenizer: Tokenizer) -> float:
    """Return the share of words in the texts that a vocabulary has whole, 0 to 1; 1 if there are no words."""
    known = total = 0
    for text in texts:
        words = tokenizer.normalized(text).split()
        total += len(words)
        known += sum(word in tokenizer.vocabulary for word in words)
    return known / total if total else 1.0
