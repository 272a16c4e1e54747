"""Export a checkpoint as a TensorFlow SavedModel: text in; translation and tokens out.

As in TensorFlow's tutorial "Neural machine translation with a Transformer and Keras", section "Export", a `tf.Module`
holds the tokenizers and the weights; its one function is a greedy search without a cache. Axes: see `core.config`.
"""

from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import tensorflow as tf

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import CheckpointError
from core.errors import InputError
from core.inference.translator import target_limit
from core.model.keras_ops import Tensor
from core.model.transformer import Transformer
from core.records.text import FULL_STOP
from core.tokens.base import Tokenizer
from core.tokens.character import SPACE, CharacterTokenizer
from core.tokens.detokenizer import read_rules
from core.tokens.merges import JOINER
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import MAX_WORD_BYTES, SubwordTokenizer
from core.tokens.vocabulary import END, END_ID, PAD_ID, START_ID, UNKNOWN_ID

# Matches a text without final punctuation; closing brackets and quotation marks may follow.
_OPEN_END = r"""(?s).*[^\p{P}\p{Z}[:space:]][\p{Pe}\p{Pf}\p{Pi}"'\p{Z}[:space:]]*"""

_CAPITAL = "\x01"  # marks a letter that becomes a capital


def export_saved_model(checkpoint: Checkpoint, folder: Path) -> None:
    """Write a SavedModel that translates without this project's code, with a README.md on its use.

    Raises:
        CheckpointError: `folder` has files in it, or cannot be written.
        InputError: tensorflow-text is not installed.
    """
    folder = folder.resolve()
    try:
        if folder.exists() and any(folder.iterdir()):
            raise CheckpointError(f"{folder} has other files in it. Name a new or empty folder.")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(
            prefix=f".{folder.name}.", dir=folder.parent, ignore_cleanup_errors=True
        ) as name:
            fresh = Path(name)
            translator = ExportedTranslator(checkpoint)
            tf.saved_model.save(translator, name, signatures=translator.__call__)
            (fresh / "README.md").write_text(_readme(checkpoint), encoding="utf-8")
            fresh.chmod(0o755)
            if folder.exists():
                folder.rmdir()  # Windows moves nothing over a folder
            fresh.rename(folder)
    except OSError as error:
        raise CheckpointError(f"Cannot write {folder}: {error.strerror or error}.") from error


class ExportedTranslator(tf.Module):
    """The weights, tokenizers and search of a checkpoint, as a TensorFlow module."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(name="translator")
        config = checkpoint.config
        model = Transformer(config.replace(causal_mask=True), checkpoint.weights)  # decoding sees no future
        self.weights = [variable.value for variable in model.trainable_variables]
        # A function: a model as an attribute would be saved with its Keras layers.
        self._logits = lambda source_ids, target_ids: model.call(source_ids, target_ids)
        self.source = TokenizerInGraph(checkpoint.source_tokenizer)
        self.target = TokenizerInGraph(checkpoint.target_tokenizer)
        self._needs_full_stop = checkpoint.needs_full_stop
        self._max_source_length = config.max_source_length
        self._limits = [target_limit(length, config) for length in range(config.max_source_length + 1)]
        self._never = np.isin(np.arange(config.target_vocab_size), [PAD_ID, START_ID])

    @tf.function(input_signature=[tf.TensorSpec((None,), tf.string, name="text")], autograph=False)
    def __call__(self, texts: Tensor) -> dict[str, Tensor]:
        """Translate texts (B,), with the results that `_readme` describes; too long a text is an InvalidArgumentError."""
        texts, full_stop_added = self._with_full_stop(texts)
        source_tokens = self.source.tokens(texts)
        lengths = tf.cast(source_tokens.row_lengths(), tf.int32)
        most = self._max_source_length
        too_long = f"A text has more than {most} tokens, the most this model reads. Shorten it or split it."
        with tf.control_dependencies([tf.debugging.assert_less_equal(lengths, most, too_long)]):
            source_ids = tf.identity(self.source.ids(source_tokens).to_tensor(PAD_ID))
            lengths = tf.identity(lengths)  # for the search's limits
        ids, log_probability = self._search(source_ids, lengths)
        tokens = self.target.token_strings(ids)
        translation = self.target.text(tokens)
        without_full_stop = tf.strings.regex_replace(translation, r"([^.])\.$", r"\1")
        return {
            "translation": tf.where(full_stop_added, without_full_stop, translation),
            "source_tokens": source_tokens.to_tensor(""),
            "tokens": tokens,
            "log_probability": log_probability,
            "finished": tf.reduce_any(ids == END_ID, axis=1) | (lengths == 0),
        }

    def _with_full_stop(self, texts: Tensor) -> tuple[Tensor, Tensor]:
        """Add missing full stops to texts (B,) if the model needs them; return the texts, and which got one (B,)."""
        lengths = self.source.tokens(texts).row_lengths()
        has_room = (lengths > 0) & (lengths < self._max_source_length)
        added = has_room & tf.strings.regex_full_match(texts, _OPEN_END) & self._needs_full_stop
        return tf.where(added, texts + FULL_STOP, texts), added

    def _search(self, source_ids: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Translate sources (B, S) of lengths (B,) greedily; return ids (B, T) and log probabilities (B,)."""
        limits = tf.gather(self._limits, lengths)
        start = tf.fill(tf.shape(lengths), START_ID)
        written = tf.TensorArray(tf.int32, size=1, dynamic_size=True, clear_after_read=False).write(0, start)

        def step(
            position: Tensor, written: Tensor, log_probability: Tensor, done: Tensor
        ) -> tuple[Tensor, ...]:
            logits = self._logits(source_ids, tf.transpose(written.stack()))  # (B, position + 1, V)
            next_logp = tf.nn.log_softmax(logits[:, -1])
            allowed = tf.where(self._never, next_logp.dtype.min, next_logp)
            token = tf.where(done, PAD_ID, tf.argmax(allowed, axis=1, output_type=tf.int32))
            log_probability += tf.where(done, 0.0, tf.reduce_max(allowed, axis=1))
            position += 1
            done |= (token == END_ID) | (position >= limits)
            return position, written.write(position, token), log_probability, done

        first = (tf.constant(0), written, tf.zeros_like(limits, tf.float32), lengths == 0)
        _, written, log_probability, _ = tf.while_loop(lambda *state: ~tf.reduce_all(state[-1]), step, first)
        return tf.transpose(written.stack())[:, 1:], log_probability


class TokenizerInGraph(tf.Module):
    """A tokenizer as a graph, with the same ids as in Python, and for subwords nearly the same text."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__(name="tokenizer")
        self._text = _tensorflow_text()
        self._kind = tokenizer.kind
        self._settings = tokenizer.settings if isinstance(tokenizer, SubwordTokenizer) else None
        vocabulary = tokenizer.vocabulary
        self._entries = tf.constant(vocabulary.tokens)
        ids = tf.range(len(vocabulary), dtype=tf.int64)
        by_token = tf.lookup.KeyValueTensorInitializer(self._entries, ids)
        self.table = tf.lookup.StaticHashTable(by_token, default_value=UNKNOWN_ID)
        if self._settings:
            # Without an unknown token, strings outside the vocabulary stay as they are.
            self.wordpiece = self._text.BertTokenizer(
                tf.lookup.StaticVocabularyTable(by_token, num_oov_buckets=1),
                suffix_indicator=JOINER,
                max_bytes_per_word=MAX_WORD_BYTES,
                token_out_type=tf.string,
                unknown_token=None,
                split_unknown_characters=self._settings.split_unknown,
            )

    def tokens(self, texts: Tensor) -> Tensor:
        """Split texts (B,) into tokens as they stand in them, ragged (B, None)."""
        if self._settings:
            return self._subwords(texts, self._settings)
        return self._characters(texts) if self._kind == CharacterTokenizer.kind else self._words(texts)

    def ids(self, tokens: Tensor) -> Tensor:
        """Return the ids of tokens, ragged (B, None)."""
        return tokens.with_flat_values(tf.cast(self.table.lookup(tokens.flat_values), tf.int32))

    def token_strings(self, ids: Tensor) -> Tensor:
        """Return the tokens of ids (B, T), empty for padding."""
        return tf.where(ids == PAD_ID, "", tf.gather(self._entries, ids))

    def text(self, tokens: Tensor) -> Tensor:
        """Detokenize the result of `token_strings` (B, T) to texts (B,)."""
        kept = tf.ragged.boolean_mask(tokens, (tokens != "") & (tokens != END))
        if self._kind == CharacterTokenizer.kind:
            return tf.strings.strip(
                tf.strings.regex_replace(tf.strings.reduce_join(kept, axis=1), SPACE, " ")
            )
        words = tf.strings.reduce_join(kept, axis=1, separator=" ")
        if self._settings is None:
            return words
        words = tf.strings.regex_replace(words, f"(^| ){JOINER}([^ ])", r"\2")
        rules = Path(__file__).with_name("saved_model_rules.txt")
        for pattern, replacement in read_rules(rules, self._settings.language, {"<capital>": _CAPITAL}):
            words = tf.strings.regex_replace(words, pattern, replacement)
        parts = tf.strings.split(words, _CAPITAL)
        first = tf.strings.upper(tf.strings.substr(parts, 0, 1, unit="UTF8_CHAR"), encoding="utf-8")
        return tf.strings.reduce_join(first + tf.strings.regex_replace(parts, "^.", ""), axis=1)

    def _subwords(self, texts: Tensor, settings: SubwordSettings) -> Tensor:
        fold = self._text.case_fold_utf8
        normalize = self._text.normalize_utf8
        texts = fold(texts) if settings.lower_case else normalize(texts, "NFKC")
        if settings.plain_apostrophes:
            texts = tf.strings.regex_replace(texts, "[‘’ʼ]", "'")
        if settings.strip_accents:
            texts = tf.strings.regex_replace(normalize(texts, "NFD"), r"\p{Mn}", "")
        return self.wordpiece.tokenize(texts).merge_dims(1, 2)

    def _words(self, texts: Tensor) -> Tensor:
        lower = tf.strings.lower(self._text.normalize_utf8(texts, "NFC"), encoding="utf-8")
        words = tf.strings.split(tf.strings.regex_replace(lower, r"[^\p{L}\p{M}\p{N}]+", " "))
        is_word = tf.strings.regex_full_match(words.flat_values, r".*[\p{L}\p{N}].*")
        return tf.ragged.boolean_mask(words, words.with_flat_values(is_word))

    def _characters(self, texts: Tensor) -> Tensor:
        spaced = tf.strings.reduce_join(self._words(texts), axis=-1, separator=SPACE)
        parted = tf.strings.regex_replace(spaced, rf"({SPACE}|[^\p{{M}}]\p{{M}}*|\p{{M}}+)", r"\1 ")
        return tf.strings.split(parted)


def _tensorflow_text() -> Any:
    """Import and return tensorflow-text.

    Raises:
        InputError: it is not installed.
    """
    try:
        import tensorflow_text
    except ModuleNotFoundError as error:
        raise InputError(
            "Exporting a SavedModel needs tensorflow-text, which has no wheels for Windows: do it on Linux, on macOS or "
            "in WSL."
        ) from error
    return tensorflow_text


def _readme(checkpoint: Checkpoint) -> str:
    template = Template(Path(__file__).with_name("saved_model.md").read_text(encoding="utf-8"))
    text = template.substitute(
        name=checkpoint.name or "A translation model",
        version=tf.__version__,
        example=repr(checkpoint.examples[0].source if checkpoint.examples else "…"),
        length=checkpoint.config.max_source_length,
    )
    if checkpoint.needs_full_stop:
        text += (
            "\nA text without final punctuation is read with a full stop, which its translation leaves out.\n"
        )
    return f"{text}\n---\n\n{checkpoint.full_card()}"
