"""A corpus too large to keep as text: pairs are encoded one by one and kept as ids alone."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from core.config import ModelConfig, TrainingConfig
from core.pipeline import BucketedPairs, PipelineError, RaggedIds, ResampledIds, Sentences
from core.records import Pair
from core.tokens.subword import SubwordTokenizer
from core.tokens.subword_settings import SubwordSettings

CUTS = 16  # ways to split each word, which the epochs draw from
MAX_TOKENS = 100  # of a side; few sentences have more, and they take the most memory
NUM_EXAMPLES = 15  # pairs kept to try a model with


class EncodedCorpus(NamedTuple):
    """Pairs for a training, and how many were left out."""

    pairs: BucketedPairs
    left_out: int  # pairs with a side that is empty or longer than the limits


@dataclass(frozen=True)
class SubwordDropout:
    """Subword regularization: words are split another way in each epoch (Hiraoka 2022, "MaxMatch-Dropout")."""

    rate: float  # the probability that the longest subword that fits is not taken
    seed: int


@dataclass(frozen=True)
class PreparedCorpus:
    """A large corpus with the tokenizers learned from it, encoded."""

    pairs: tuple[Pair, ...]  # a few, to try the model with
    source_tokenizer: SubwordTokenizer
    target_tokenizer: SubwordTokenizer
    encoded: BucketedPairs
    left_out: int  # pairs with a side that is empty or longer than the limits


def learn_tokenizers(
    pairs: Callable[[], Iterable[Pair]], config: ModelConfig, source_language: str, target_language: str
) -> tuple[SubwordTokenizer, SubwordTokenizer]:
    """Learn the vocabularies of both sides: one for both where the model shares its embeddings.

    Args:
        pairs: gives the training pairs, as often as it is called.
        config: its vocabulary sizes are the ones asked for.
        source_language: a code, as in `SubwordSettings`.
        target_language: the same for the target.
    """
    source, target = SubwordSettings(language=source_language), SubwordSettings(language=target_language)
    sources = (pair.source for pair in pairs())
    targets = (pair.target for pair in pairs())
    if config.share_embeddings:
        shared = SubwordTokenizer.learn(chain(sources, targets), config.target_vocab_size, target)
        return SubwordTokenizer(shared.vocabulary, source), shared
    return (
        SubwordTokenizer.learn(sources, config.source_vocab_size, source),
        SubwordTokenizer.learn(targets, config.target_vocab_size, target),
    )


def prepare_subwords(
    pairs: Callable[[], Iterable[Pair]],
    config: ModelConfig,
    training: TrainingConfig,
    tokenizers: tuple[SubwordTokenizer, SubwordTokenizer],
    max_tokens: int = MAX_TOKENS,
) -> tuple[PreparedCorpus, ModelConfig]:
    """Encode a corpus for training.

    Args:
        pairs: gives the training pairs, as often as it is called.
        config: gives the length limits.
        training: gives the subword dropout and the seed.
        tokenizers: of source and target.
        max_tokens: pairs with more tokens on a side are left out.

    Returns:
        The prepared corpus, and the config with the sizes of the vocabularies.

    Raises:
        PipelineError: no pair is left.
    """
    source, target = tokenizers
    most = (min(max_tokens, config.max_source_length), min(max_tokens, config.max_target_length - 1))
    dropout = SubwordDropout(training.subword_dropout, training.seed) if training.subword_dropout else None
    corpus = encode_subwords(pairs(), source, target, *most, dropout)
    examples = tuple(islice(pairs(), NUM_EXAMPLES))
    prepared = PreparedCorpus(examples, source, target, corpus.pairs, corpus.left_out)
    sized = config.replace(source_vocab_size=len(source.vocabulary), target_vocab_size=len(target.vocabulary))
    return prepared, sized


def encode_subwords(
    pairs: Iterable[Pair],
    source: SubwordTokenizer,
    target: SubwordTokenizer,
    max_source_tokens: int,
    max_target_tokens: int,
    dropout: SubwordDropout | None = None,
) -> EncodedCorpus:
    """Encode pairs one by one, keeping ids alone.

    Args:
        pairs: read once.
        source: tokenizer of the language translated from.
        target: tokenizer of the language translated to.
        max_source_tokens: pairs with a longer source are left out; so are those with an empty side.
        max_target_tokens: the same for targets, start and end not counted.
        dropout: None always splits a word the same way.

    Raises:
        PipelineError: no pair is left.
    """
    sources, targets = _Side(source), _Side(target)
    left_out = 0
    for pair in pairs:
        if sources.fits(pair.source, max_source_tokens) and targets.fits(pair.target, max_target_tokens):
            sources.add(pair.source)
            targets.add(pair.target)
        else:
            left_out += 1
    if not sources.sentences:
        raise PipelineError(
            f"There are no pairs to train on: {left_out} were read, and all have an empty side or more than "
            f"{max_source_tokens} tokens."
        )
    wrapping = (target.vocabulary.start_id, target.vocabulary.end_id)
    encoded = BucketedPairs(sources.encoded(dropout), targets.encoded(dropout, wrapping))
    return EncodedCorpus(encoded, left_out)


class _Side:
    """The sentences of one language as numbers of words, each word once."""

    def __init__(self, tokenizer: SubwordTokenizer) -> None:
        self.tokenizer = tokenizer
        self.numbers: dict[str, int] = {}
        self.plain: list[list[int]] = []  # ids of each word, split as usual
        self.sentences: list[array[int]] = []

    def fits(self, text: str, most: int) -> bool:
        return 0 < sum(len(self.plain[word]) for word in self._words(text)) <= most

    def add(self, text: str) -> None:
        self.sentences.append(array("i", self._words(text)))

    def encoded(self, dropout: SubwordDropout | None, wrapping: Sequence[int] = ()) -> Sentences:
        """The sentences as ids, between the two ids of `wrapping`, if given."""
        return self._plain(wrapping)[1] if dropout is None else self.resampled(dropout, wrapping)

    def resampled(self, dropout: SubwordDropout | None, wrapping: Sequence[int] = ()) -> ResampledIds:
        """As `encoded`, with several ways to split each word."""
        words, ids = self._plain(wrapping)
        if dropout is None:
            cuts = RaggedIds.from_sequences([*self.plain, *([id_] for id_ in wrapping)])
            return ResampledIds(words, cuts, ids.lengths, cuts_each=1)
        return ResampledIds(words, self._cuts(dropout, wrapping), ids.lengths, cuts_each=CUTS)

    def number(self, word: str) -> int:
        """The number of a word; a new word gets a new one."""
        if word not in self.numbers:
            self.numbers[word] = len(self.plain)
            self.plain.append(self.tokenizer.ids_of_word(word))
        return self.numbers[word]

    def _plain(self, wrapping: Sequence[int]) -> tuple[RaggedIds, RaggedIds]:
        """The sentences as numbers of words, and as ids, split as usual."""
        words, sentences = list(self.plain), self.sentences
        if wrapping:
            start, end = len(words), len(words) + 1
            words += [[id_] for id_ in wrapping]
            sentences = [array("i", [start, *sentence, end]) for sentence in sentences]
        plain, numbers = RaggedIds.from_sequences(words), RaggedIds.from_sequences(sentences)
        subwords = plain.take(numbers.ids)
        return numbers, RaggedIds(subwords.ids, subwords.ends[numbers.ends - 1])

    def _words(self, text: str) -> list[int]:
        return [self.number(word) for word in self.tokenizer.words(text)]

    def _cuts(self, dropout: SubwordDropout, wrapping: Sequence[int]) -> RaggedIds:
        random = np.random.default_rng(dropout.seed)
        drawn = [
            self.tokenizer.sampled_ids_of_word(word, dropout.rate, random)
            for word in self.numbers
            for _ in range(CUTS)
        ]
        drawn += [[id_] for id_ in wrapping for _ in range(CUTS)]
        return RaggedIds.from_sequences(drawn)
