"""Text in, translation out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import tensorflow as tf

from core.config import DecodingConfig, ModelConfig
from core.decoding.batches import batches_by_length, source_bucket
from core.decoding.compiled import Shape, compiled_forward, compiled_search, pack, unpack
from core.decoding.continuations import IMPOSSIBLE
from core.decoding.open_search import samples
from core.decoding.search import SearchResult
from core.decoding.side_by_side import side_by_side
from core.decoding.text.final_stop import is_open, with_final_stop, without_final_stop
from core.decoding.text.text_translator import GREEDY, TranslationError, encode_source
from core.model.tensor import Tensor
from core.model.transformer import AttentionWeights
from core.model.weight_shapes import Weights, weight_shapes
from core.pipeline import Ids, pad
from core.records import AttentionRecord, Candidate, Hypothesis, Translation
from core.tokens.base import Tokenizer

MAX_ATTENTION = 50_000_000  # weights of one explanation, 200 MB


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

    def weights(self) -> Weights:
        """The weights by name, without a copy."""
        names = weight_shapes(self.config)
        return {
            name: np.asarray(memoryview(tensor))  # `numpy()` would copy
            for name, tensor in zip(names, unpack(self._weights, self.config), strict=True)
        }

    def warm_up(self) -> None:
        """Trace what a translation needs, before anybody waits for it."""
        source = np.ones((1, source_bucket(1, self.config)), np.int32)
        compiled_search(self.config, GREEDY.beam_size)(self._weights, source, 0.0)

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
        for batch in self._batches(sentences):
            search.compile_now(self._weights, self._padded(list(batch.values())))

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
        results: dict[int, Translation] = {}
        batches = self._batches(sentences)
        searched = side_by_side(lambda batch: self._search(list(batch.values()), decoding), batches)
        for batch, hypotheses in zip(batches, searched, strict=True):
            for (row, ids), found in zip(batch.items(), hypotheses, strict=True):
                results[row] = self._translation(sentences[row], ids, found)
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
                f"{self.config.num_heads} heads is too much to show. Shorten the sentence."
            )
        start_id = self.target_tokenizer.vocabulary.start_id
        decoder_input = [start_id, *predicted[:-1]]
        return compiled_forward(self.config)(self._weights, pad([source_ids]), pad([decoder_input]))

    def _adds_stop(self, sentence: str) -> bool:
        """Whether a sentence has words, no final punctuation, and room for one more token."""
        if not self.needs_stop or not is_open(sentence):
            return False
        return 0 < len(self.source_tokenizer.tokens(sentence)) < self.config.max_source_length

    def _encode(self, sentence: str, row: int = 0) -> list[int]:
        return encode_source(self.source_tokenizer, self.config, sentence, row)

    def _batches(self, sentences: Sequence[str]) -> list[dict[int, list[int]]]:
        """The ids of the sentences by their row, those of similar length together."""
        encoded = [self._encode(sentence, row) for row, sentence in enumerate(sentences)]
        lengths = {row: len(ids) for row, ids in enumerate(encoded)}
        return [{row: encoded[row] for row in rows} for rows in batches_by_length(lengths, self.config)]

    def _padded(self, encoded: list[list[int]]) -> Ids:
        return pad(encoded, source_bucket(max(map(len, encoded)), self.config))

    def _search(self, encoded: list[list[int]], decoding: DecodingConfig) -> list[tuple[Hypothesis, ...]]:
        if decoding.samples:
            result = samples(self.config, self._weights, self._padded(encoded), decoding)
        else:
            search = compiled_search(self.config, decoding.beam_size)
            result = search(self._weights, self._padded(encoded), decoding.length_penalty)
        return self.hypotheses(result, len(encoded))

    def hypotheses(self, result: SearchResult, number: int) -> list[tuple[Hypothesis, ...]]:
        """Those of the first `number` sentences of a search.

        Raises:
            TranslationError: the weights overflow.
        """
        ids, log_probability, score, finished = (np.asarray(values)[:number] for values in result)
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
            for row in range(number)
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
