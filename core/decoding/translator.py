"""Text in, translation out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.config import DecodingConfig, ModelConfig
from core.decoding.batches import source_bucket
from core.decoding.compiled import Shape, compiled_forward, compiled_search
from core.decoding.open_search import samples
from core.decoding.packed_weights import WeightTensors
from core.decoding.text.first_search import first_search, is_plain_greedy
from core.decoding.text.sentence_translator import SentenceTranslator
from core.decoding.text.text_translator import GREEDY
from core.decoding.text.translation_error import TranslationError
from core.model.tensor import Tensor
from core.model.transformer import AttentionWeights
from core.pipeline import Ids, pad
from core.records import AttentionRecord, Candidate, Hypothesis, Translation
from core.tokens.base import Tokenizer
from core.weights import Weights, weight_shapes

MAX_ATTENTION = 50_000_000  # weights of one explanation, 200 MB


class Translator(SentenceTranslator):
    """One model's weights and tokenizers, ready to translate. It is read-only: threads may share it.

    Args:
        config: shape of the model.
        weights: by name.
        source_tokenizer: of the language translated from.
        target_tokenizer: of the language translated to.
        needs_stop: whether it reads well only what ends in punctuation.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: Weights,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        needs_stop: bool = False,
    ) -> None:
        super().__init__(config, source_tokenizer, target_tokenizer, needs_stop)
        self._weights = WeightTensors.of(config, weights)

    @property
    def packed_weights(self) -> Tensor:
        """The weights, for other functions compiled for this config."""
        return self._weights.packed

    def weights(self) -> Weights:
        """The weights by name, without a copy."""
        names = weight_shapes(self.config)
        return {
            name: np.asarray(memoryview(tensor))  # `numpy()` would copy
            for name, tensor in zip(names, self._weights.each, strict=True)
        }

    def warm_up(self, beam_size: int = GREEDY.beam_size) -> None:
        """Trace what a translation needs, before anybody waits for it."""
        source = np.ones((1, source_bucket(1, self.config)), np.int32)
        compiled_search(self.config, beam_size).warm_up(self._weights, source)

    def compile_later(self, beam_size: int, shape: Shape) -> None:
        """Have the XLA program for a batch of this shape made in the background, after those asked for before."""
        rows, length = shape
        source = np.ones((rows, source_bucket(length, self.config)), np.int32)
        compiled_search(self.config, beam_size).compile_later(self._weights, source)

    def compile_now(self, sentences: Sequence[str], decoding: DecodingConfig = GREEDY) -> None:
        """Wait until XLA has compiled what these sentences need, as far as it may.

        Raises:
            TranslationError: as `translate`.
        """
        search = compiled_search(self.config, decoding.beam_size)
        for batch in self._batches(sentences, decoding):
            search.compile_now(self._weights, self._padded(list(batch.values())))

    def explain(self, translation: Translation, num_candidates: int = 5) -> Translation:
        """The same translation with its attention and each step's most likely tokens.

        Both come from one teacher-forced pass: the model reads the whole translation at once, and each
        position predicts the next token.

        Raises:
            TranslationError: its attention would take too much memory.
        """
        source_ids = self.source_tokenizer.encode(translation.read)
        predicted = list(translation.best.ids)
        log_probabilities, attention = self.teacher_forced(source_ids, predicted)
        vocabulary = self.target_tokenizer.vocabulary
        tokens = vocabulary.tokens
        record = AttentionRecord(
            source_tokens=translation.source_tokens,
            decoder_input_tokens=tuple(tokens[i] for i in [vocabulary.start_id, *predicted[:-1]]),
            predicted_tokens=tuple(tokens[i] for i in predicted),
            encoder=attention.encoder.numpy()[0],
            decoder=attention.decoder.numpy()[0],
            cross=attention.cross.numpy()[0],
        )
        probabilities = np.exp(log_probabilities.numpy()[0])
        candidates = tuple(self._most_likely(row, num_candidates) for row in probabilities)
        return replace(translation, attention=record, candidates=candidates)

    def teacher_forced(
        self, source_ids: Sequence[int], predicted: Sequence[int]
    ) -> tuple[Tensor, AttentionWeights]:
        """Log P (1, T, V) of each next token, and all attention, from reading `predicted` at once.

        Raises:
            TranslationError: the attention would take too much memory.
        """
        source, target = len(source_ids), len(predicted)
        cells = source**2 + target**2 + source * target
        if cells * self.config.num_layers * self.config.num_heads > MAX_ATTENTION:
            raise TranslationError(
                f"The attention of {source:,} tokens in {self.config.num_layers} layers of "
                f"{self.config.num_heads} heads is too large to show. Shorten the sentence."
            )
        start_id = self.target_tokenizer.vocabulary.start_id
        decoder_input = [start_id, *predicted[:-1]]
        return compiled_forward(self.config)(self.packed_weights, pad([source_ids]), pad([decoder_input]))

    def _padded(self, encoded: list[list[int]]) -> Ids:
        return pad(encoded, source_bucket(max(map(len, encoded)), self.config))

    def _search(
        self, encoded: list[list[int]], decoding: DecodingConfig, best_only: bool
    ) -> list[tuple[Hypothesis, ...]]:
        if decoding.samples:
            result = samples(self.config, self.packed_weights, self._padded(encoded), decoding)
        else:
            search = compiled_search(self.config, decoding.beam_size)
            if is_plain_greedy(decoding) and not search.pays_for(len(encoded)):
                return first_search(self, self.weights(), encoded)
            result = search(self._weights, self._padded(encoded), decoding.length_penalty)
        return self.hypotheses(result, len(encoded), best_only)

    def _most_likely(self, probabilities: np.ndarray, number: int) -> tuple[Candidate, ...]:
        tokens = self.target_tokenizer.vocabulary.tokens
        # Sorting the whole vocabulary would take longer than the model.
        last = -min(number, len(tokens))
        least = np.partition(probabilities, last)[last]
        among = np.flatnonzero(probabilities >= least)
        order = among[np.argsort(-probabilities[among], kind="stable")][:number]
        return tuple(Candidate(tokens[i], float(probabilities[i])) for i in order)
