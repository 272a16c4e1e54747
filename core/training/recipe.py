"""From pairs and settings to a training run: vocabularies, encoded pairs, validation pairs, run.

The app and the command line both train by this recipe. It prints nothing: it calls `report` with its progress.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig, TrainingConfig
from core.errors import InputError
from core.language import _
from core.records.text import Pair
from core.tokens.base import MAX_TOKENS, Tokenizer
from core.tokens.subword import SubwordTokenizers
from core.training.batches import TrainingPairs
from core.training.pairs import (
    NUM_EXAMPLES,
    encode_pairs,
    encode_subwords,
    fitting_pairs,
    learn_tokenizers,
    learn_words,
)
from core.weights import Weights, parameter_count

if TYPE_CHECKING:
    import tensorflow as tf

    from core.training.loop import TrainingRun


# Measured on two cores of an AMD EPYC with TensorFlow 2.21: classroom-sized steps are bound by the number of operations,
# larger ones by arithmetic.
_SECONDS_PER_SUBLAYER = 0.5e-3  # forward, backward and dispatch
_SECONDS_PER_STEP = 2e-3  # embeddings, loss, Adam, Python
_FLOPS_PER_SECOND = 8e10
_COMPILE_SECONDS_PER_SUBLAYER = 0.2
_COMPILE_SECONDS = 2.0


_BATCHES_LOOKED_AT = 20  # for the estimate of a training's duration


@dataclass(frozen=True)
class TrainingCorpus:
    """Pairs of two languages to train on, and held-out pairs."""

    read: Callable[[], Iterable[Pair]]  # returns the training pairs, at each call
    held_out: Callable[[], Sequence[Pair]]  # returns the validation pairs; may be empty
    languages: tuple[str, str]  # codes of source and target, as in `SubwordSettings`


@dataclass(frozen=True)
class PreparedTraining:
    """Everything that a training run needs, prepared once."""

    model: ModelConfig  # with the sizes of the vocabularies
    training: TrainingConfig
    pairs: tuple[Pair, ...]  # all pairs, or a few of a large corpus
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    encoded: TrainingPairs
    held_out: tuple[Pair, ...] = ()
    validation: TrainingPairs | None = None  # the held-out pairs, encoded
    left_out: int = 0  # pairs that are too long, or have a side without tokens

    @property
    def steps_per_epoch(self) -> int:
        """Batches of an epoch."""
        return self.encoded.steps_per_epoch(self.training)

    def estimate_seconds(self) -> float:
        """Estimate how long the training takes: compiling, all steps, and the validation after each epoch."""

        def of_epochs(pairs: TrainingPairs) -> float:
            batches = list(islice(pairs.batches(self.training, epoch=1), _BATCHES_LOOKED_AT))
            tokens = sum(batch.source.size + batch.labels.size for batch in batches) // len(batches)
            if self.training.r_drop and pairs is self.encoded:
                tokens *= 2
            steps = self.training.epochs * pairs.steps_per_epoch(self.training)
            return _compile_seconds(self.model) + steps * _step_seconds(self.model, tokens)

        # Validation has no backward pass: a third of the arithmetic, in a graph of its own.
        validation = of_epochs(self.validation) / 3 if self.validation is not None else 0.0
        return of_epochs(self.encoded) + validation

    def new_run(
        self, weights: Weights | None = None, strategy: tf.distribute.Strategy | None = None
    ) -> TrainingRun:
        """Return a new run; this imports TensorFlow.

        Args:
            weights: initial weights; None draws new ones from the seed.
            strategy: devices that share each batch, from `tf.distribute`; None uses one device.
        """
        from core.training.loop import TrainingRun

        return TrainingRun(
            self.model, self.training, self.encoded, weights, self.validation, strategy, self.fingerprint()
        )

    def fingerprint(self) -> str:
        """Return a digest of the pairs, the held-out pairs and the vocabularies."""
        digest = hashlib.sha256()
        for tokenizer in (self.source_tokenizer, self.target_tokenizer):
            digest.update(tokenizer.vocabulary.to_text().encode())
        for array in (*_arrays(self.encoded), *_arrays(self.validation)):
            digest.update(array.tobytes())
        return digest.hexdigest()


def _arrays(data: object) -> Iterator[NDArray[Any]]:
    """Yield all arrays of encoded pairs."""
    if isinstance(data, np.ndarray):
        yield data
    elif is_dataclass(data):
        for each in fields(data):
            yield from _arrays(getattr(data, each.name))


def prepare_word_training(
    pairs: Sequence[Pair],
    model: ModelConfig,
    training: TrainingConfig,
    tokenizers: tuple[Tokenizer, Tokenizer] | None = None,
    held_out: Sequence[Pair] = (),
) -> PreparedTraining:
    """Prepare training on a few pairs, with words as tokens.

    Args:
        pairs: pairs to train on, and those in `held_out`.
        model: has the length limits; its vocabulary sizes are ignored.
        training: how to train.
        tokenizers: tokenizers of source and target; None learns both vocabularies from the training pairs.
        held_out: validation pairs, which are not trained on.

    Raises:
        InputError: there are no pairs, or all are held out, or none of them fits.
    """
    limits = model.max_source_length, model.max_target_length
    fitting = fitting_pairs(pairs, tokenizers or learn_words(pairs), *limits)
    all_fitting = set(fitting)
    held_out = tuple(pair for pair in held_out if pair in all_fitting)
    never_shown = set(held_out)
    shown = tuple(pair for pair in fitting if pair not in never_shown)
    if not shown:
        raise InputError(_("All pairs are held out. Leave at least one to train on."))
    source, target = tokenizers or learn_words(shown)

    def encoded(pairs: Sequence[Pair]) -> TrainingPairs:
        encoded = encode_pairs(pairs, source, target)
        return encoded if training.batch_tokens is None else encoded.bucketed()

    return PreparedTraining(
        model=model.replace(
            source_vocab_size=len(source.vocabulary), target_vocab_size=len(target.vocabulary)
        ),
        training=training,
        pairs=shown,
        source_tokenizer=source,
        target_tokenizer=target,
        encoded=encoded(shown),
        held_out=held_out,
        validation=encoded(held_out) if held_out else None,
        left_out=len(pairs) - len(fitting),
    )


def prepare_subword_training(
    corpus: TrainingCorpus,
    model: ModelConfig,
    training: TrainingConfig,
    tokenizers: SubwordTokenizers | None,
    report: Callable[[str], None],
    max_tokens: int = MAX_TOKENS,
) -> PreparedTraining:
    """Prepare training on a large corpus, with subwords as tokens.

    Args:
        corpus: pairs to train on.
        model: has the requested vocabulary sizes.
        training: how to train.
        tokenizers: tokenizers of source and target; None learns the vocabularies from the corpus.
        report: called with a sentence on what is being done.
        max_tokens: pairs with more tokens on a side are left out.

    Raises:
        InputError: no pair is left, or no vocabulary of that size can be learned.
    """
    if tokenizers is None:
        report("Learning a subword vocabulary. With many pairs this takes minutes.")
        tokenizers = learn_tokenizers(corpus.read, model, *corpus.languages)
    report("Splitting all sentences into subwords.")
    source, target = tokenizers
    sized = model.replace(source_vocab_size=len(source.vocabulary), target_vocab_size=len(target.vocabulary))
    limits = (sized.max_source_length, sized.max_target_length - 1)
    encoded, left_out = encode_subwords(
        corpus.read(), source, target, *(min(max_tokens, most) for most in limits)
    )
    held_out = tuple(corpus.held_out())
    return PreparedTraining(
        model=sized,
        training=training,
        pairs=tuple(islice(corpus.read(), NUM_EXAMPLES)),
        source_tokenizer=source,
        target_tokenizer=target,
        encoded=encoded,
        held_out=held_out,
        validation=encode_subwords(held_out, source, target, *limits)[0] if held_out else None,
        left_out=left_out,
    )


def _step_seconds(config: ModelConfig, tokens: int) -> float:
    """Estimate the seconds that one training step takes."""
    # Two operations per weight and token forward, twice that backward; a token passes half the weights.
    arithmetic = 3 * parameter_count(config) * tokens / _FLOPS_PER_SECOND
    return _SECONDS_PER_STEP + _sublayers(config) * _SECONDS_PER_SUBLAYER + arithmetic


def _compile_seconds(config: ModelConfig) -> float:
    """Estimate the additional seconds that the first step of a shape takes, because it is compiled."""
    return _COMPILE_SECONDS + _sublayers(config) * _COMPILE_SECONDS_PER_SUBLAYER


def _sublayers(config: ModelConfig) -> int:
    return config.num_layers * (5 if config.has_encoder else 2)
