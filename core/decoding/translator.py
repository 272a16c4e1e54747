"""Text in, translation out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import tensorflow as tf

from core.config import DecodingConfig, ModelConfig
from core.decoding.batches import batch_bucket, batches_by_length, source_bucket
from core.decoding.compiled import compiled_forward, compiled_search, pack, target_limit
from core.decoding.continuations import IMPOSSIBLE
from core.decoding.final_stop import is_open, with_final_stop, without_final_stop
from core.model.tensor import Tensor
from core.model.transformer import AttentionWeights
from core.model.weight_shapes import Weights, weight_shapes
from core.pipeline import pad
from core.records import AttentionRecord, Candidate, Hypothesis, Translation
from core.tokens.base import Tokenizer

GREEDY = DecodingConfig()
MAX_ATTENTION = 50_000_000  # weights of one explanation, 200 MB


class TranslationError(ValueError):
    """A text that cannot be translated; the message says what to do.

    Args:
        message: for people.
        row: which of the sentences it is, from 0.
    """

    def __init__(self, message: str, row: int = 0) -> None:
        super().__init__(message)
        self.row = row


class Translator:
    """One model's weights and tokenizers, ready to translate. It is read-only: threads may share it.

    Args:
        config: shape of the model.
        weights: by name.
        source_tokenizer: of the language translated from.
        target_tokenizer: of the language translated to.
        needs_stop: whether it has only seen sentences that end in punctuation.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: Weights,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        needs_stop: bool = False,
    ) -> None:
        self.config = config
        self.needs_stop = needs_stop
        self.source_tokenizer = source_tokenizer
        self.target_tokenizer = target_tokenizer
        self._weights = pack([tf.constant(weights[name]) for name in weight_shapes(config)])

    @property
    def packed_weights(self) -> Tensor:
        """The weights, for other functions compiled for this config."""
        return self._weights

    def warm_up(self, batch_size: int = 1) -> None:
        """Compile what a short sentence needs, before anybody waits for it."""
        source = np.ones((batch_bucket(batch_size), source_bucket(1, self.config)), np.int32)
        compiled_search(self.config, *source.shape, GREEDY.beam_size)(self._weights, source, 0.0)

    def check(self, sentences: Sequence[str]) -> None:
        """Whether the model can read the sentences.

        Raises:
            TranslationError: one is empty or too long; its row says which.
        """
        for row, sentence in enumerate(sentences):
            self._encode(sentence, row)

    def translate(self, sentences: Sequence[str], decoding: DecodingConfig = GREEDY) -> list[Translation]:
        """Translate sentences as they are, in batches of similar length. Evaluations measure this.

        Raises:
            TranslationError: a sentence is empty or too long, or the weights overflow. Nothing is
                translated then.
        """
        encoded = [self._encode(sentence, row) for row, sentence in enumerate(sentences)]
        results: dict[int, Translation] = {}
        lengths = {row: len(ids) for row, ids in enumerate(encoded)}
        for rows in batches_by_length(lengths, self.config):
            hypotheses = self._search([encoded[row] for row in rows], decoding)
            for row, found in zip(rows, hypotheses, strict=True):
                results[row] = self._translation(sentences[row], encoded[row], found)
        return [results[row] for row in range(len(sentences))]

    def translate_typed(
        self, sentences: Sequence[str], decoding: DecodingConfig = GREEDY
    ) -> list[Translation]:
        """As `translate`, with a full stop added where people left it out, if the model needs one.

        The translation's text then leaves out its own full stop; its tokens keep it.

        Raises:
            TranslationError: as `translate`.
        """
        added = [self._adds_stop(sentence) for sentence in sentences]
        read = [
            with_final_stop(sentence) if is_added else sentence
            for sentence, is_added in zip(sentences, added, strict=True)
        ]
        found = self.translate(read, decoding)
        return [
            _as_typed(translation, sentence) if is_added else translation
            for translation, sentence, is_added in zip(found, sentences, added, strict=True)
        ]

    def explain(self, translation: Translation, num_candidates: int = 5) -> Translation:
        """The same translation with its attention and each step's most likely tokens.

        Both come from one teacher-forced pass: the model reads the whole translation at once, and each
        position predicts the next token.

        Raises:
            TranslationError: its attention would take too much memory.
        """
        source_ids = self.source_tokenizer.encode(translation.read)
        predicted = list(translation.best.ids)
        log_probabilities, attention = self._teacher_forced(source_ids, predicted)
        source, target = len(source_ids), len(predicted)
        vocabulary = self.target_tokenizer.vocabulary
        tokens = vocabulary.tokens
        record = AttentionRecord(
            source_tokens=translation.source_tokens,
            decoder_input_tokens=tuple(tokens[i] for i in [vocabulary.start_id, *predicted[:-1]]),
            predicted_tokens=tuple(tokens[i] for i in predicted),
            encoder=attention.encoder.numpy()[0, :, :, :source, :source],
            decoder=attention.decoder.numpy()[0, :, :, :target, :target],
            cross=attention.cross.numpy()[0, :, :, :target, :source],
        )
        probabilities = np.exp(log_probabilities.numpy()[0, :target])
        candidates = tuple(self._most_likely(row, num_candidates) for row in probabilities)
        return replace(translation, attention=record, candidates=candidates)

    def _teacher_forced(self, source_ids: list[int], predicted: list[int]) -> tuple[Tensor, AttentionWeights]:
        """Log P (1, T, V) of each next token, and all attention, from reading `predicted` at once."""
        source_length = source_bucket(len(source_ids), self.config)
        target_length = target_limit(source_length, self.config)
        cells = source_length**2 + target_length**2 + source_length * target_length
        if cells * self.config.num_layers * self.config.num_heads > MAX_ATTENTION:
            raise TranslationError(
                f"The attention of {len(source_ids):,} tokens in {self.config.num_layers} layers of "
                f"{self.config.num_heads} heads is too much to show. Shorten the sentence."
            )
        start_id = self.target_tokenizer.vocabulary.start_id
        return compiled_forward(self.config, source_length, target_length)(
            self._weights,
            pad([source_ids], source_length),
            pad([[start_id, *predicted[:-1]]], target_length),
        )

    def _adds_stop(self, sentence: str) -> bool:
        """Whether a sentence has words, no final punctuation, and room for one more token."""
        if not self.needs_stop or not is_open(sentence):
            return False
        return 0 < len(self.source_tokenizer.tokens(sentence)) < self.config.max_source_length

    def _encode(self, sentence: str, row: int = 0) -> list[int]:
        ids = self.source_tokenizer.encode(sentence)
        if not ids:
            raise TranslationError(
                f"There are no words to translate (punctuation and emoji do not count). "
                f"Type a sentence. Received: {sentence!r:.80}",
                row,
            )
        if len(ids) > self.config.max_source_length:
            raise TranslationError(
                f"The sentence has {len(ids):,} tokens; this model reads at most "
                f"{self.config.max_source_length}. Shorten it or split it.",
                row,
            )
        return ids

    def _search(self, encoded: list[list[int]], decoding: DecodingConfig) -> list[tuple[Hypothesis, ...]]:
        length = source_bucket(max(map(len, encoded)), self.config)
        rows = batch_bucket(len(encoded))
        search = compiled_search(self.config, rows, length, decoding.beam_size)
        result = search(self._weights, pad(encoded, length, rows), decoding.length_penalty)
        ids, log_probability, score, finished = (values.numpy()[: len(encoded)] for values in result)
        if not (log_probability[:, 0] > IMPOSSIBLE / 2).all():  # nor is NaN
            raise TranslationError(
                "This model's weights are too large to compute with. Train it again with a lower learning rate."
            )
        # A tiny vocabulary may allow fewer sentences than there are beams; the rest stay impossible.
        return [
            tuple(
                self._hypothesis(ids[row, n], log_probability[row, n], score[row, n], finished[row, n])
                for n in range(ids.shape[1])
                if log_probability[row, n] > IMPOSSIBLE / 2
            )
            for row in range(len(encoded))
        ]

    def _hypothesis(
        self, ids: np.ndarray, log_probability: float, score: float, finished: bool
    ) -> Hypothesis:
        vocabulary = self.target_tokenizer.vocabulary
        kept = tuple(int(i) for i in ids if i != vocabulary.pad_id)
        return Hypothesis(
            text=self.target_tokenizer.decode(kept),
            tokens=tuple(vocabulary.tokens[i] for i in kept if not vocabulary.is_special(i)),
            ids=kept,
            log_probability=float(log_probability),
            score=float(score),
            finished=bool(finished),
        )

    def _translation(self, sentence: str, ids: list[int], hypotheses: tuple[Hypothesis, ...]) -> Translation:
        return Translation(
            source=sentence,
            source_tokens=tuple(self.source_tokenizer.tokens(sentence)),
            unknown=tuple(i == self.source_tokenizer.vocabulary.unknown_id for i in ids),
            hypotheses=hypotheses,
        )

    def _most_likely(self, probabilities: np.ndarray, number: int) -> tuple[Candidate, ...]:
        tokens = self.target_tokenizer.vocabulary.tokens
        order = np.argsort(-probabilities, kind="stable")[:number]
        return tuple(Candidate(tokens[i], float(probabilities[i])) for i in order)


def _as_typed(translation: Translation, sentence: str) -> Translation:
    """The translation of the sentence as it was typed, without the full stop that was added."""
    hypotheses = tuple(replace(each, text=without_final_stop(each.text)) for each in translation.hypotheses)
    return replace(translation, source=sentence, hypotheses=hypotheses, stop_added=True)
