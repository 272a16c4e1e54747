"""A corpus too large to keep as text: pairs are encoded one by one and kept as ids alone."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from core.config import ModelConfig
from core.pipeline import BucketedPairs, PipelineError, RaggedIds
from core.records import Pair
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer

MAX_TOKENS = 100  # of a side; few sentences have more, and they take the most memory
NUM_EXAMPLES = 15  # pairs kept to try a model with


class EncodedCorpus(NamedTuple):
    """Pairs for a training, and how many were left out."""

    pairs: BucketedPairs
    left_out: int  # pairs with a side that is empty or longer than the limits


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
    tokenizers: tuple[SubwordTokenizer, SubwordTokenizer],
    max_tokens: int = MAX_TOKENS,
) -> tuple[PreparedCorpus, ModelConfig]:
    """Encode a corpus for training.

    Args:
        pairs: gives the training pairs, as often as it is called.
        config: gives the length limits.
        tokenizers: of source and target.
        max_tokens: pairs with more tokens on a side are left out.

    Returns:
        The prepared corpus, and the config with the sizes of the vocabularies.

    Raises:
        PipelineError: no pair is left.
    """
    source, target = tokenizers
    most = (min(max_tokens, config.max_source_length), min(max_tokens, config.max_target_length - 1))
    corpus = encode_subwords(pairs(), source, target, *most)
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
) -> EncodedCorpus:
    """Encode pairs one by one, keeping ids alone.

    Args:
        pairs: read once.
        source: tokenizer of the language translated from.
        target: tokenizer of the language translated to.
        max_source_tokens: pairs with a longer source are left out; so are those with an empty side.
        max_target_tokens: the same for targets, start and end not counted.

    Raises:
        PipelineError: no pair is left.
    """
    start_id, end_id = target.vocabulary.start_id, target.vocabulary.end_id
    sources: list[array[int]] = []
    targets: list[array[int]] = []
    left_out = 0
    for pair in pairs:
        source_ids, target_ids = source.encode(pair.source), target.encode(pair.target)
        if 0 < len(source_ids) <= max_source_tokens and 0 < len(target_ids) <= max_target_tokens:
            sources.append(array("i", source_ids))
            targets.append(array("i", [start_id, *target_ids, end_id]))
        else:
            left_out += 1
    if not sources:
        raise PipelineError(
            f"There are no pairs to train on: {left_out} were read, and all have an empty side or more than "
            f"{max_source_tokens} tokens."
        )
    encoded = BucketedPairs(RaggedIds.from_sequences(sources), RaggedIds.from_sequences(targets))
    return EncodedCorpus(encoded, left_out)
