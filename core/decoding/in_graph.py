"""A translator inside a TensorFlow graph, which is what is exported: any number of texts in, their translations out.

It searches as the live translator does, with the same limits, and finds the same words: one loop goes over groups of
texts of similar length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from core.config import DecodingConfig
from core.decoding.batches import MAX_BATCH, source_bucket, target_limit
from core.decoding.continuations import IMPOSSIBLE
from core.decoding.model_search import search_translations
from core.decoding.rounds import SearchResult
from core.decoding.text.final_stop import open_end
from core.decoding.text.translation_error import WEIGHTS_OVERFLOW
from core.decoding.translator import GREEDY, MAX_ATTENTION, Translator
from core.model.stateless import bound, shared_model
from core.model.tensor import Tensor
from core.records import FULL_STOP
from core.tokens.in_graph import in_graph
from core.tokens.vocabulary import Vocabulary

Outputs = dict[str, Tensor]


class TranslatorInGraph(tf.Module):
    """One model's weights and tokenizers, to be saved within a SavedModel.

    A text without tokens has an empty translation, and punctuation alone is translated, too. A text of more tokens than
    the model reads, attention of more than MAX_ATTENTION weights and weights that overflow end in an
    InvalidArgumentError.

    Texts are read as in `Translator.translate_typed`.

    Args:
        translator: of the model.

    Raises:
        ValueError: a tokenizer is of a kind that has no graph.
    """

    def __init__(self, translator: Translator) -> None:
        super().__init__(name="translator")
        self.weights = [
            tf.Variable(value, trainable=False, name=name) for name, value in translator.weights().items()
        ]
        self.source_tokenizer = in_graph(translator.source_tokenizer)
        self.target_tokenizer = in_graph(translator.target_tokenizer)
        # In a function, because every attribute of a module is saved, and the shared model must not be.
        config = translator.config.replace(dropout_rate=0.0)
        model = shared_model(config)
        self._model = lambda: model
        self._config = config
        self._needs_stop = translator.needs_stop
        self._buckets = sorted({source_bucket(n, config) for n in range(1, config.max_source_length + 1)})
        self._limits = [target_limit(length, config) for length in self._buckets]
        self._start_id = translator.target_tokenizer.vocabulary.start_id
        self._end_id = translator.target_tokenizer.vocabulary.end_id
        # Functions of their own: they are traced and saved once for all signatures.
        self._greedy_search = tf.function(lambda ids: self._search(ids, GREEDY), autograph=False)
        self._decode = tf.function(self.target_tokenizer.decode, autograph=False)

    def signature(self, outputs: Callable[[Tensor], Outputs]) -> Any:
        """One of the methods below as a `tf.function` of an input "text", strings (B,)."""
        spec = tf.TensorSpec((None,), tf.string, name="text")
        return tf.function(lambda text: outputs(text), input_signature=[spec], autograph=False)

    def greedy(self, texts: Tensor) -> Outputs:
        """Texts (B,) -> "translation", "log_probability" (nats, end included) and "finished" (B,)."""
        texts, added = self._with_final_stop(texts)
        ids = self._encode(texts)
        result = self._greedy_search(ids)
        return {
            "translation": self._texts(ids, result, added)[:, 0],
            "log_probability": result.log_probability[:, 0],
            "finished": result.finished[:, 0],
        }

    def beam(self, texts: Tensor, decoding: DecodingConfig) -> Outputs:
        """Texts (B,) -> "translation" (B,) and the N hypotheses it is the first of, best first, (B, N).

        These are "candidates", "log_probability", "score" and "finished". A tiny vocabulary may allow fewer
        sentences than there are beams; the others are empty.
        """
        texts, added = self._with_final_stop(texts)
        ids = self._encode(texts)
        result = self._search(ids, decoding)
        candidates = self._texts(ids, result, added)
        return {
            "translation": candidates[:, 0],
            "candidates": candidates,
            "log_probability": result.log_probability,
            "score": result.score,
            "finished": result.finished,
        }

    def attention(self, texts: Tensor) -> Outputs:
        """Texts (B,) -> their greedy translations with the tokens and all attention.

        As in an `AttentionRecord`: "source_tokens" (B, S), "decoder_input_tokens" and "predicted_tokens" (B, T),
        "encoder_attention" (B, L, H, S, S), "decoder_attention" (B, L, H, T, T) and "cross_attention"
        (B, L, H, T, S), with "translation" (B,). Shorter texts are padded with empty tokens; attention
        from and to those is 0.
        """
        texts, added = self._with_final_stop(texts)
        ids = self._encode(texts)
        result = self._greedy_search(ids)
        source = ids.to_tensor(Vocabulary.pad_id)
        predicted = tf.RaggedTensor.from_tensor(self._kept(ids, result)[:, 0], padding=Vocabulary.pad_id)
        predicted = predicted.to_tensor(Vocabulary.pad_id)
        shifted = tf.pad(predicted, [[0, 0], [1, 0]], constant_values=self._start_id)[:, :-1]
        decoder_input = tf.where(predicted == Vocabulary.pad_id, Vocabulary.pad_id, shifted)
        num_source, num_target = tf.shape(source)[1], tf.shape(predicted)[1]
        check = self._check_size(tf.shape(source)[0], num_source, num_target)
        with tf.control_dependencies([check]), bound(self._model(), self._values()):
            _, attention = self._model().forward(_not_empty(source), _not_empty(decoder_input))
        is_source, is_target = _is_query(source), _is_query(predicted)
        return {
            "translation": self._texts(ids, result, added)[:, 0],
            "source_tokens": self.source_tokenizer.tokens(texts).to_tensor(""),
            "decoder_input_tokens": self._token_strings(decoder_input),
            "predicted_tokens": self._token_strings(predicted),
            "encoder_attention": attention.encoder[..., :num_source, :num_source] * is_source,
            "decoder_attention": attention.decoder[..., :num_target, :num_target] * is_target,
            "cross_attention": attention.cross[..., :num_target, :num_source] * is_target,
        }

    def _values(self) -> list[Tensor]:
        return [tf.convert_to_tensor(variable) for variable in self.weights]

    def _with_final_stop(self, texts: Tensor) -> tuple[Tensor, Tensor]:
        """Texts (B,) -> the texts as the model reads them, and which of them got a full stop (B,)."""
        if not self._needs_stop:
            return texts, tf.zeros_like(texts, tf.bool)
        lengths = self.source_tokenizer.tokens(texts).row_lengths()
        added = tf.strings.regex_full_match(texts, f"(?s).*{open_end()}")
        added &= (lengths > 0) & (lengths < self._config.max_source_length)
        return tf.where(added, texts + FULL_STOP, texts), added

    def _encode(self, texts: Tensor) -> Tensor:
        """Texts (B,) -> ids, ragged (B, None)."""
        ids = self.source_tokenizer.encode(texts)
        most = self._config.max_source_length
        check = tf.debugging.assert_less_equal(
            ids.row_lengths(),
            tf.constant(most, tf.int64),
            message=f"A text has more than {most} tokens, the most this model reads. Shorten it or split it.",
        )
        with tf.control_dependencies([check]):
            splits = tf.identity(ids.row_splits)
        return tf.RaggedTensor.from_row_splits(ids.flat_values, splits, validate=False)

    def _search(self, ids: Tensor, decoding: DecodingConfig) -> SearchResult:
        """The hypotheses for ragged ids (B, None), each group of rows searched for at its own length."""
        bucket_of_group, group_of_row = self._groups(tf.cast(ids.row_lengths(), tf.int32))
        source = ids.to_tensor(Vocabulary.pad_id, shape=(None, self._config.max_source_length))
        width = tf.reduce_max(tf.gather(self._limits, tf.pad(bucket_of_group, [[1, 0]])))  # also of no text

        def search_group(group: Tensor, found: SearchResult) -> tuple[Tensor, SearchResult]:
            rows = tf.where(group_of_row == group)  # (b, 1)
            length = tf.gather(self._buckets, bucket_of_group[group])
            limit = tf.gather(self._limits, bucket_of_group[group])
            result = self._search_group(tf.gather(source, rows[:, 0])[:, :length], limit, decoding)
            result = result._replace(ids=tf.pad(result.ids, [[0, 0], [0, 0], [0, width - limit]]))
            both = zip(found, result, strict=True)
            return group + 1, SearchResult(*(tf.tensor_scatter_nd_update(a, rows, b) for a, b in both))

        shape = (tf.shape(source)[0], decoding.beam_size)
        nothing = SearchResult(
            ids=tf.fill((*shape, width), Vocabulary.pad_id),
            log_probability=tf.zeros(shape),
            score=tf.zeros(shape),
            finished=tf.zeros(shape, tf.bool),
        )
        _, result = tf.while_loop(
            lambda group, found: group < tf.size(bucket_of_group), search_group, (tf.constant(0), nothing)
        )
        tf.debugging.assert_greater(  # nor is NaN
            result.log_probability[:, 0],
            IMPOSSIBLE / 2,
            message=WEIGHTS_OVERFLOW,
        )
        return result

    def _groups(self, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Rows of one bucket, at most MAX_BATCH together: the bucket of each group, the group of each row."""
        bucket_of_row = tf.searchsorted(self._buckets, lengths)
        in_bucket = tf.one_hot(bucket_of_row, len(self._buckets), dtype=tf.int32)  # (B, buckets)
        place = tf.reduce_sum(tf.cumsum(in_bucket, exclusive=True) * in_bucket, axis=1)
        most = tf.size(lengths) + 1
        groups, group_of_row = tf.unique(bucket_of_row * most + place // MAX_BATCH)
        return groups // most, group_of_row

    def _search_group(self, source_ids: Tensor, limit: Tensor, decoding: DecodingConfig) -> SearchResult:
        # Not packed for each step: others than TensorFlow read exports too, and XLA compiles no packed weights.
        with bound(self._model(), self._values()):
            return search_translations(
                self._model(),
                source_ids,
                beam_size=decoding.beam_size,
                max_length=limit,
                special=(self._start_id, self._end_id),
                alpha=decoding.length_penalty,
            )

    def _kept(self, ids: Tensor, result: SearchResult) -> Tensor:
        """The hypotheses' ids (B, N, T); only padding where the text has no words."""
        return tf.where(ids.row_lengths()[:, None, None] > 0, result.ids, Vocabulary.pad_id)

    def _texts(self, ids: Tensor, result: SearchResult, added: Tensor) -> Tensor:
        """The hypotheses as people write them, (B, N), without full stops where one was added (B,)."""
        kept = self._kept(ids, result)
        is_possible = result.log_probability > IMPOSSIBLE / 2
        flat = tf.reshape(kept, (-1, tf.shape(kept)[2]))
        texts = self._decode(tf.RaggedTensor.from_tensor(flat, padding=Vocabulary.pad_id))
        texts = tf.reshape(texts, tf.shape(is_possible))
        bare = tf.strings.regex_replace(texts, r"([^.])\.$", r"\1")  # as `without_final_stop`
        return tf.where(is_possible, tf.where(added[:, None], bare, texts), "")

    def _token_strings(self, ids: Tensor) -> Tensor:
        tokens = tf.gather(self.target_tokenizer.token_strings, ids)
        return tf.where(ids == Vocabulary.pad_id, "", tokens)

    def _check_size(self, texts: Tensor, source: Tensor, target: Tensor) -> tf.Operation:
        heads = self._config.num_layers * self._config.num_heads
        cells = tf.cast(texts * heads, tf.float32) * tf.cast(
            source**2 + target**2 + source * target, tf.float32
        )
        return tf.debugging.assert_less_equal(
            cells,
            float(MAX_ATTENTION),
            message="The attention of these texts is too large to show. Send fewer texts, or shorter ones.",
        )


def _not_empty(ids: Tensor) -> Tensor:
    """Ids (B, T), with a column of padding where T is 0, as when no text has words: the model reads no empty axis."""
    missing = tf.maximum(1 - tf.shape(ids)[1], 0)
    return tf.pad(ids, [[0, 0], [0, missing]], constant_values=Vocabulary.pad_id)


def _is_query(ids: Tensor) -> Tensor:
    """Ids (B, T) -> 1 for rows of attention (B, 1, 1, T, 1) of real tokens, 0 for rows of padding."""
    return tf.cast(ids != Vocabulary.pad_id, tf.float32)[:, None, None, :, None]
