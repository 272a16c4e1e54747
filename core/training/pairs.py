"""Sentence pairs as ids: a few pairs, padded, or a large corpus, encoded one by one."""

import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from core.config import ModelConfig, TokenKind, TrainingConfig
from core.errors import InputError
from core.language import _
from core.records.text import Pair
from core.tokens.base import Tokenizer, pad
from core.tokens.character import CharacterTokenizer
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import END_ID, START_ID
from core.tokens.word import WordTokenizer
from core.training.batches import BucketedPairs, EncodedPairs, RaggedIds

NUM_EXAMPLES = 15  # pairs kept to try a model with
MIN_VALIDATION_PAIRS = 3  # held-out pairs that choose the best epoch; one odd sentence would choose the first
HOLD_OUT_FROM = 200  # pairs of one's own: of so many or more, a tenth is held out unless told otherwise

SUBWORDS_FROM = 500  # pairs: so many or more are cut into subwords unless told otherwise
_FEWEST_SUBWORDS, _MOST_SUBWORDS = 500, 8000  # entries of a vocabulary
UNNAMED = ("und", "und")  # codes of languages that nobody has named

# Of languages that are written without spaces: three letters or more of Thai, Lao, Burmese, Khmer, Japanese or Chinese.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{3}")


def are_unspaced(texts: Sequence[str]) -> bool:
    """Return whether most texts are written without spaces."""
    return 2 * sum(bool(_UNSPACED.search(text)) and len(text.split()) == 1 for text in texts) > len(texts)


def token_kind(asked: TokenKind, texts: Sequence[str]) -> TokenKind:
    """Return what the sentences of one side are cut into: as asked, or by the sentences themselves."""
    if asked != "auto":
        return asked
    if are_unspaced(texts):
        return "character"
    return "subword" if len(texts) >= SUBWORDS_FROM else "word"


def with_token_kinds(training: TrainingConfig, pairs: Sequence[Pair]) -> TrainingConfig:
    """Return the settings with the kinds of tokens that these pairs are cut into."""
    return training.replace(
        source_tokens=token_kind(training.source_tokens, [pair.source for pair in pairs]),
        target_tokens=token_kind(training.target_tokens, [pair.target for pair in pairs]),
    )


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
        max_target_length: the largest number of target tokens, without start and end.

    Raises:
        InputError: no pair is left.
    """
    source, target = tokenizers
    fitting = tuple(
        pair
        for pair in pairs
        if 0 < len(source.tokens(pair.source)) <= max_source_length
        and 0 < len(target.tokens(pair.target)) <= max_target_length
    )
    if not fitting:
        raise InputError(
            _(
                "No pair is left: each has a side without words (punctuation and emoji do not count), or more than "
                "{source} tokens in the source or {target} in the target."
            ).format(source=max_source_length, target=max_target_length)
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
    pairs: Sequence[Pair], model: ModelConfig, training: TrainingConfig, languages: tuple[str, str] = UNNAMED
) -> tuple[Tokenizer, Tokenizer]:
    """Learn the vocabularies of both sides, and return the tokenizers of source and target.

    Subwords of both sides have one vocabulary if the model shares its embeddings.

    Args:
        pairs: pairs to learn from.
        model: whether it shares its embeddings.
        training: the kinds of tokens, and the size of a vocabulary of subwords.
        languages: codes of source and target, whose rules write subwords as text.
    """
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    training = with_token_kinds(training, pairs)
    kinds = training.source_tokens, training.target_tokens
    size = training.vocab_size or min(max(_FEWEST_SUBWORDS, len(pairs)), _MOST_SUBWORDS)
    if kinds == ("subword", "subword") and model.share_embeddings:
        source, target = (SubwordSettings(language=language) for language in languages)
        shared = SubwordTokenizer.learn(chain(sources, targets), size, target)
        return SubwordTokenizer(shared.vocabulary, source), shared
    return (
        _learn_tokenizer(kinds[0], sources, size, languages[0], start_and_end=False),
        _learn_tokenizer(kinds[1], targets, size, languages[1], start_and_end=True),
    )


def _learn_tokenizer(
    kind: TokenKind, texts: Sequence[str], size: int, language: str, *, start_and_end: bool
) -> Tokenizer:
    if kind == "subword":
        return SubwordTokenizer.learn(texts, size, SubwordSettings(language=language))
    cut = CharacterTokenizer if kind == "character" else WordTokenizer
    return cut.fit(texts, start_and_end=start_and_end)


def encode_one_by_one(
    pairs: Iterable[Pair],
    source: Tokenizer,
    target: Tokenizer,
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
    """Return the different tokens of a pair that the vocabularies of source and target do not have."""
    unknown: dict[str, None] = {}  # in their order
    for text, tokenizer in zip((pair.source, pair.target), tokenizers, strict=True):
        tokens = tokenizer.tokens(text)
        unknown |= dict.fromkeys(token for token in tokens if token not in tokenizer.vocabulary)
    return list(unknown)


def known_words(texts: Iterable[str], tokenizer: Tokenizer) -> float:
    """Return the share of words in the texts that a vocabulary has whole, 0 to 1; 1 if there are no words."""
    known = total = 0
    for text in texts:
        words = tokenizer.normalized(text).split()
        total += len(words)
        known += sum(word in tokenizer.vocabulary for word in words)
    return known / total if total else 1.0
