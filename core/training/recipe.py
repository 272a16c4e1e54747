"""From pairs and settings to a training run: vocabularies, encoded pairs, validation pairs, run.

The app and the command line both train by this recipe. It prints nothing: it calls `report` with its progress.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig, TrainingConfig
from core.errors import InputError
from core.language import _
from core.records.text import Pair
from core.tokens.base import MAX_TOKENS, Tokenizer
from core.tokens.word import WordTokenizer
from core.training.batches import TrainingPairs
from core.training.pairs import (
    NUM_EXAMPLES,
    UNNAMED,
    encode_one_by_one,
    encode_pairs,
    fitting_pairs,
    learn_tokenizers,
    with_token_kinds,
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
_FULL_WIDTH = 256  # of the model; narrower products fill the processor less
_COMPILE_SECONDS_PER_SUBLAYER = 0.2
_COMPILE_SECONDS = 2.0


_MOST_TRIED = 200  # pairs
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
    def tried(self) -> tuple[Pair, ...]:
        """The training pairs that are translated in the end."""
        return self.pairs[:_MOST_TRIED]

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


def prepare_training(
    pairs: Sequence[Pair],
    model: ModelConfig,
    training: TrainingConfig,
    tokenizers: tuple[Tokenizer, Tokenizer] | None = None,
    held_out: Sequence[Pair] = (),
    languages: tuple[str, str] = UNNAMED,
    max_tokens: int = MAX_TOKENS,
) -> PreparedTraining:
    """Prepare training on pairs in memory.

    Args:
        pairs: pairs to train on, and those in `held_out`.
        model: has the length limits; its vocabulary sizes are ignored.
        training: how to train, and on which tokens.
        tokenizers: tokenizers of source and target; None learns both vocabularies from the training pairs.
        held_out: validation pairs, which are not trained on.
        languages: codes of source and target, whose rules write subwords as text.
        max_tokens: pairs with more tokens on a side are left out.

    Raises:
        InputError: there are no pairs, or all are held out, or none of them fits.
    """
    if not pairs:
        raise InputError(_("There are no pairs to train on. Add at least one sentence with its translation."))
    # By all pairs: with some of them held out, the others may be too few for subwords.
    kinds = with_token_kinds(training, pairs)
    learn = partial(learn_tokenizers, model=model, training=kinds, languages=languages)
    first = tokenizers or learn(pairs)
    sized = _sized(model, *first) if tokenizers else _sized(_with_room(model, *first), *first)
    limits = sized.max_source_length, sized.max_target_length - 1
    fitting = fitting_pairs(pairs, first, *(min(max_tokens, most) for most in limits))
    all_fitting = set(fitting)
    held_out = tuple(pair for pair in held_out if pair in all_fitting)
    never_shown = set(held_out)
    shown = tuple(pair for pair in fitting if pair not in never_shown)
    if not shown:
        raise InputError(_("All pairs are held out. Leave at least one to train on."))
    source, target = tokenizers or (first if len(shown) == len(pairs) else learn(shown))

    def encoded(pairs: Sequence[Pair]) -> TrainingPairs:
        encoded = encode_pairs(pairs, source, target)
        return encoded if training.batch_tokens is None else encoded.bucketed()

    return PreparedTraining(
        model=_sized(sized, source, target),
        training=training,
        pairs=shown,
        source_tokenizer=source,
        target_tokenizer=target,
        encoded=encoded(shown),
        held_out=held_out,
        validation=encoded(held_out) if held_out else None,
        left_out=len(pairs) - len(fitting),
    )


def _with_room(model: ModelConfig, source: Tokenizer, target: Tokenizer) -> ModelConfig:
    """Return the model with room for sentences that are cut into tokens smaller than words."""
    room = {
        f"max_{side}_length": max(getattr(model, f"max_{side}_length"), MAX_TOKENS + 1)
        for side, tokenizer in (("source", source), ("target", target))
        if not isinstance(tokenizer, WordTokenizer)
    }
    return model.replace(**room)


def _sized(model: ModelConfig, source: Tokenizer, target: Tokenizer) -> ModelConfig:
    """Return the model with the sizes of these vocabularies."""
    return model.replace(
        source_vocab_size=len(source.vocabulary),
        target_vocab_size=len(target.vocabulary),
        share_embeddings=model.share_embeddings and source.vocabulary.tokens == target.vocabulary.tokens,
    )


def prepare_corpus_training(
    corpus: TrainingCorpus,
    model: ModelConfig,
    training: TrainingConfig,
    tokenizers: tuple[Tokenizer, Tokenizer] | None,
    report: Callable[[str], None],
    max_tokens: int = MAX_TOKENS,
) -> PreparedTraining:
    """Prepare training on a large corpus, which is encoded pair by pair.

    Args:
        corpus: pairs to train on.
        model: its vocabulary sizes are ignored.
        training: how to train, and on which tokens.
        tokenizers: tokenizers of source and target; None learns the vocabularies from the corpus.
        report: called with a sentence on what is being done.
        max_tokens: pairs with more tokens on a side are left out.

    Raises:
        InputError: no pair is left, or no vocabulary of that size can be learned.
    """
    if tokenizers is None:
        report("Learning the vocabularies.")
        tokenizers = learn_tokenizers(tuple(corpus.read()), model, training, corpus.languages)
        model = _with_room(model, *tokenizers)
    report("Encoding all sentences.")
    source, target = tokenizers
    sized = _sized(model, source, target)
    limits = (sized.max_source_length, sized.max_target_length - 1)
    encoded, left_out = encode_one_by_one(
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
        validation=encode_one_by_one(held_out, source, target, *limits)[0] if held_out else None,
        left_out=left_out,
    )


def _step_seconds(config: ModelConfig, tokens: int) -> float:
    """Estimate the seconds that one training step takes."""
    # Two operations per weight and token forward, twice that backward; a token passes half the weights.
    flops_per_second = _FLOPS_PER_SECOND * min(1, config.d_model / _FULL_WIDTH)
    arithmetic = 3 * parameter_count(config) * tokens / flops_per_second
    return _SECONDS_PER_STEP + _sublayers(config) * _SECONDS_PER_SUBLAYER + arithmetic


def _compile_seconds(config: ModelConfig) -> float:
    """Estimate the additional seconds that the first step of a shape takes, because it is compiled."""
    return _COMPILE_SECONDS + _sublayers(config) * _COMPILE_SECONDS_PER_SUBLAYER


def _sublayers(config: ModelConfig) -> int:
    return config.num_layers * (5 if config.has_encoder else 2)
