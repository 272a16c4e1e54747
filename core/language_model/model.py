"""A decoder alone, which continues texts, in NumPy. Axis letters: see `core.config`; here M texts are written at once.

A pair is one text: start, source, separator, target, end. So a source and the separator are a beginning, and what follows
is the translation.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Bools, Floats, Ids
from core.config import DecoderConfig, DecodingConfig
from core.inference.model import KeyValueCache, attention_names, stacked
from core.inference.search import TranslationError, check_finite, draw, log_softmax, without_pad_and_start
from core.language import _, number
from core.model.forward import ForwardPass, recording
from core.records.text import Hypothesis, Pair, Translation
from core.tokens.base import Tokenizer, pad
from core.tokens.vocabulary import END_ID, PAD_ID, START, START_ID
from core.weights import Weights

SEPARATOR, SEPARATOR_ID = "[SEP]", 4  # between source and target
GREEDY = DecodingConfig(temperature=0.0)
_MAX_ROWS = 128  # texts written at once


class TextTokens(NamedTuple):
    """A text as the model reads it, from the start token on; T tokens."""

    words: tuple[str, ...]
    ids: tuple[int, ...]
    unknown: tuple[bool, ...]  # True for words that are not in the vocabulary


class WritingStep(NamedTuple):
    """The next token of M texts."""

    logits: Floats  # (M, V); pad and start, which are never written, are impossible
    tokens: Ids  # (M,), written or read; padding after the end
    is_written: Bools  # (M,), False where the token is still one of the beginning, or the text has ended


class LanguageModel:
    """A decoder alone with the weights and the words that it has learned. Read-only: threads may share it.

    Args:
        config: the model's configuration.
        weights: its weights by name.
        tokenizer: of both languages, with `SEPARATOR` as the id after start and end.
        pairs: what it was trained on.
        learns_source: whether it has learned to write sources, too.
    """

    def __init__(
        self,
        config: DecoderConfig,
        weights: Weights,
        tokenizer: Tokenizer,
        pairs: Sequence[Pair] = (),
        learns_source: bool = False,
    ) -> None:
        self.config = config
        self.weights = weights
        self.tokenizer = tokenizer
        self.pairs = tuple(pairs)
        self.learns_source = learns_source
        self.forward = ForwardPass(config, weights)
        self._known = {
            (*prompt_of(pair.source, tokenizer), *answer_of(pair, tokenizer)): pair for pair in pairs
        }

    def tokens(self, text: str) -> TextTokens:
        """Return a text as the model reads it; "[SEP]" in it is the separator.

        Raises:
            TranslationError: it is too long to be continued.
        """
        words = [START]
        for number_of_part, part in enumerate(text.split(SEPARATOR)):
            words += [SEPARATOR] * bool(number_of_part) + self.tokenizer.tokens(part)
        most = self.config.max_target_length
        if len(words) > most:
            raise TranslationError(
                _(
                    "The sentence has {count} tokens; this model reads at most {most}. Shorten it or split it."
                ).format(count=number(len(words), ","), most=most)
            )
        vocabulary = self.tokenizer.vocabulary
        unknown = tuple(word not in vocabulary for word in words)
        return TextTokens(tuple(words), tuple(map(vocabulary.id_of, words)), unknown)

    def pair_of(self, ids: Sequence[int]) -> Pair | None:
        """Return the training pair that a whole text is, from the start token to the end; None if it is none."""
        return self._known.get(tuple(ids))

    def steps(
        self, prompts: Sequence[Sequence[int]], decoding: DecodingConfig = GREEDY, most: int | None = None
    ) -> Iterator[WritingStep]:
        """Continue M texts with a key-value cache, until each has ended, has `most` more tokens, or is full.

        Args:
            prompts: ids of the beginnings, each with the start token first.
            decoding: temperature, top-k, top-p and seed; drawn are at most `MAX_SAMPLES` texts at once, each differently.
            most: None for as many as the model reads.
        """
        beginnings, lengths = pad(prompts), np.array(list(map(len, prompts)))
        caches = [KeyValueCache(1, len(prompts), self.config) for _layer in range(self.config.num_layers)]
        last = beginnings[:, 0]
        is_over = np.zeros(len(prompts), np.bool_)
        for position in range(1, self.config.max_target_length + 1):
            x = self.forward.decode_step(last[None], None, caches)
            logits = without_pad_and_start(self.forward.logits(x)[0])
            check_finite(logits)
            is_read = lengths > position
            is_written = ~is_read & ~is_over
            last = np.where(is_over, PAD_ID, draw(logits[None], position, decoding)[0]).astype(np.int32)
            if is_read.any():
                last[is_read] = beginnings[is_read, position]
            if is_written.any():
                yield WritingStep(logits, last, is_written)
            is_over |= is_written & (last == END_ID)
            if most is not None:
                is_over |= position + 1 - lengths >= most
            if is_over.all():
                return

    def write(
        self, prompts: Sequence[Sequence[int]], decoding: DecodingConfig = GREEDY, most: int | None = None
    ) -> list[list[tuple[int, float]]]:
        """Return what `steps` writes after each beginning: ids, each with its log probability before any cut, nats."""
        found: list[list[tuple[int, float]]] = [[] for _prompt in prompts]
        for step in self.steps(prompts, decoding, most):
            log_probability = log_softmax(step.logits)
            for row in np.flatnonzero(step.is_written):
                token = int(step.tokens[row])
                found[row].append((token, float(log_probability[row, token])))
        return found

    def translate(self, sentences: Sequence[str]) -> list[Translation]:
        """Return what the model writes after each sentence and a separator, the likeliest token each time.

        Raises:
            TranslationError: a sentence is too long.
        """
        read = [self.tokens(f"{sentence} {SEPARATOR}") for sentence in sentences]
        written: list[list[tuple[int, float]]] = []
        for first in range(0, len(read), _MAX_ROWS):
            written += self.write([each.ids for each in read[first : first + _MAX_ROWS]])
        return [
            Translation(
                sentence, each.words[1:-1], each.ids[1:-1], each.unknown[1:-1], (self._hypothesis(ids),)
            )
            for sentence, each, ids in zip(sentences, read, written, strict=True)
        ]

    def _hypothesis(self, written: Sequence[tuple[int, float]]) -> Hypothesis:
        ids = tuple(token for token, _log_probability in written)
        total = sum(log_probability for _token, log_probability in written)
        finished = END_ID in ids
        words = tuple(self.tokenizer.vocabulary.tokens[token] for token in ids if token != END_ID)
        return Hypothesis(self.tokenizer.decode(ids), words, ids, total, total, finished)

    def attention(self, ids: Sequence[int]) -> Floats:
        """Return the attention weights of one text, (L, H, T, T): 0 ahead of each token."""
        found: dict[str, Floats] = {}
        self.forward.hooked(recording(found)).decode(np.array([ids], np.int32), None)
        return stacked(found, attention_names("decoder", "weights", self.config))


def prompt_of(source: str, tokenizer: Tokenizer) -> tuple[int, ...]:
    """Return the beginning that asks for a translation: start, source, separator."""
    return (START_ID, *tokenizer.encode(source), SEPARATOR_ID)


def answer_of(pair: Pair, tokenizer: Tokenizer) -> tuple[int, ...]:
    """Return what follows the beginning: target, end."""
    return (*tokenizer.encode(pair.target), END_ID)
