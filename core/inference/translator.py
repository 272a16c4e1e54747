"""The translator: the one class that the app, the command line, evaluations and the cluster translate with."""

import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from core.arrays import Bools, Floats, Ids
from core.config import DecodingConfig, ModelConfig
from core.inference.model import (
    UNCHANGED,
    Changes,
    DecoderState,
    InferenceModel,
    Results,
    attention_weight_names,
    attention_weights,
)
from core.inference.search import (
    IMPOSSIBLE,
    SearchResult,
    Step,
    TranslationError,
    check_finite,
    log_softmax,
    run,
    search_with,
)
from core.language import _, language, number, reading
from core.records.attention import AttentionRecord
from core.records.text import FULL_STOP, Candidate, ExplainedTranslation, Hypothesis, Translation
from core.tokens.base import Tokenizer, pad
from core.tokens.sentences import is_open, without_full_stop
from core.tokens.vocabulary import PAD_ID, START_ID, UNKNOWN_ID
from core.weights import Weights

GREEDY = DecodingConfig()

# That a translation may have beyond its source's length (Vaswani et al. 2017, section 6.1).
_EXTRA_TARGET_TOKENS = 50
MAX_BATCH_ROWS = 128  # sentences searched together; more would not make the products faster
# Padded source tokens x layers x width, or logits, of all hypotheses searched together, which bounds their memory.
_MAX_BATCH_NUMBERS = 6_300_000
_MIN_ROWS_PER_CORE = 16  # sentences worth a separate batch on another core
NUM_CANDIDATES = 5  # most likely tokens that an explanation shows at each step
_MAX_KEPT_NUMBERS = 40_000_000  # of one pass, 160 MB
_MIN_WORK_LENGTH = 16  # tokens; shorter sentences cost the same
_MAX_THREADS = 8  # each holds a batch in memory

Batch = TypeVar("Batch")
Result = TypeVar("Result")


class SourceSentence(NamedTuple):
    """A sentence as a model reads it."""

    text: str  # as given
    tokens: tuple[str, ...]  # S, with the full stop that was added
    ids: tuple[int, ...]  # S
    full_stop_added: bool


class Translator:
    """A model, its tokenizers, and whether it needs final punctuation. Read-only: threads may share it."""

    def __init__(
        self,
        config: ModelConfig,
        weights: Weights,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        needs_full_stop: bool = False,
    ) -> None:
        self.config = config
        # Decoding sees no future, so a pass that explains it must hide the words ahead, even for a model that was trained
        # without a causal mask.
        self.model = InferenceModel(config.replace(causal_mask=True), weights)
        self.weights = self.model.weights
        self.source_tokenizer = source_tokenizer
        self.target_tokenizer = target_tokenizer
        self.needs_full_stop = needs_full_stop

    def source(self, sentence: str, typed: bool = False) -> SourceSentence:
        """Return a sentence as the model reads it.

        Args:
            sentence: one sentence.
            typed: whether people typed it: a missing full stop is added if the model needs one and has room for it.

        Raises:
            TranslationError: the sentence has no words, or is too long.
        """
        if typed and not has_words(self.source_tokenizer, sentence):
            raise no_words(sentence)
        tokens = self.source_tokenizer.tokens(sentence)
        most = self.config.max_source_length
        full_stop_added = typed and self.needs_full_stop and is_open(sentence) and len(tokens) < most
        if full_stop_added:
            tokens = self.source_tokenizer.tokens(f"{sentence}{FULL_STOP}")
        if not tokens:
            raise no_words(sentence)
        if len(tokens) > most:
            raise TranslationError(
                _(
                    "The sentence has {count} tokens; this model reads at most {most}. Shorten it or split it."
                ).format(count=number(len(tokens), ","), most=most)
            )
        ids = map(self.source_tokenizer.vocabulary.id_of, tokens)
        return SourceSentence(sentence, tuple(tokens), tuple(ids), full_stop_added)

    def translate(
        self,
        sentences: Sequence[str],
        decoding: DecodingConfig = GREEDY,
        typed: bool = False,
        best_only: bool = False,
    ) -> list[Translation]:
        """Translate sentences in batches of similar length, on all cores.

        Args:
            sentences: any number of sentences.
            decoding: how to search.
            typed: whether people typed them, see `source`; a full stop that was added is not in the translation's text.
            best_only: return one hypothesis per sentence; writing out four takes a tenth of the time of the search.

        Raises:
            TranslationError: a sentence has no words or is too long, or the weights overflow.
        """
        sources = [self.source(sentence, typed) for sentence in sentences]
        batches = batches_by_length([len(each.ids) for each in sources], decoding.num_hypotheses, self.config)

        def search(rows: list[int]) -> list[tuple[Hypothesis, ...]]:
            source_ids = pad([sources[row].ids for row in rows])
            decoder = DecoderState(self.model, source_ids, decoding.num_hypotheses)
            limits = [target_limit(len(sources[row].ids), self.config) for row in rows]
            return self.hypotheses(run(search_with(decoder, limits, decoding)), best_only)

        found = {
            row: hypotheses
            for rows, results in zip(batches, map_in_threads(search, batches), strict=True)
            for row, hypotheses in zip(rows, results, strict=True)
        }
        return [self._translation(source, found[row]) for row, source in enumerate(sources)]

    def explain(
        self, sentence: str, decoding: DecodingConfig = GREEDY, typed: bool = False
    ) -> ExplainedTranslation:
        """Translate one sentence, with the attention of its best translation and each step's most likely tokens.

        Both are of one more pass, over the sentence and its translation. Arguments and errors are those of `translate`.
        """
        source = self.source(sentence, typed)
        hypotheses = self.search(source.ids, decoding)[0]
        ids = hypotheses[0].ids
        found = self.results_of(source.ids, ids, [*attention_weight_names(self.config), "output"])
        vocabulary = self.target_tokenizer.vocabulary
        record = AttentionRecord(
            source_tokens=source.tokens,
            decoder_input_tokens=tuple(vocabulary.tokens[i] for i in (START_ID, *ids[:-1])),
            predicted_tokens=tuple(vocabulary.tokens[i] for i in ids),
            **attention_weights(found, self.config),
        )
        candidates = self.candidates(found["output"][0], NUM_CANDIDATES)
        return ExplainedTranslation(self._translation(source, hypotheses), record, candidates)

    def search(
        self, source_ids: Sequence[int], decoding: DecodingConfig = GREEDY, prefix: Sequence[int] = ()
    ) -> tuple[tuple[Hypothesis, ...], list[Step]]:
        """Translate one sentence, and return its translations, best first, and the steps of the search.

        Args:
            source_ids: the sentence's ids.
            decoding: how to search.
            prefix: ids that the translation begins with, at most `target_limit`; the end may be among them.

        Raises:
            TranslationError: the prefix is too long, or the weights overflow.
        """
        most = target_limit(len(source_ids), self.config)
        if len(prefix) > most:
            raise TranslationError(
                _("The prefix has {count} tokens; this translation has at most {most}. Shorten it.").format(
                    count=number(len(prefix), ","), most=most
                )
            )
        decoder = DecoderState(self.model, np.array([source_ids], np.int32), decoding.num_hypotheses)
        steps: list[Step] = []
        (hypotheses,) = self.hypotheses(run(search_with(decoder, [most], decoding, prefix), steps.append))
        return hypotheses, steps

    def hypotheses(self, found: SearchResult, best_only: bool = False) -> list[tuple[Hypothesis, ...]]:
        """Return each sentence's hypotheses from a search, best first."""
        number_kept = 1 if best_only else found.ids.shape[1]
        # A tiny vocabulary may allow fewer sentences than there are beams; the others stay impossible.
        return [
            tuple(
                self._hypothesis(found, row, number)
                for number in range(number_kept)
                if found.log_probability[row, number] > IMPOSSIBLE / 2
            )
            for row in range(len(found.ids))
        ]

    def results(
        self,
        source_ids: Ids,
        target_ids: Ids,
        names: Collection[str],
        changes: Changes = UNCHANGED,
        source_mask: Bools | None = None,
    ) -> Results:
        """Run the model over whole sentences (teacher forcing), and return the results asked for by name.

        The arguments are those of `InferenceModel.results`.

        Raises:
            TranslationError: the results would be too large to show, or the weights overflow.
        """
        try:
            found = self.model.results(source_ids, target_ids, names, changes, source_mask, _MAX_KEPT_NUMBERS)
        except MemoryError as error:
            raise TranslationError(
                _(
                    "What this model computes for {count} tokens is too large to show. Shorten the sentence."
                ).format(count=number(source_ids.shape[1], ","))
            ) from error
        for each in found.values():
            check_finite(each)
        return found

    def results_of(
        self, source_ids: Sequence[int], predicted: Sequence[int], names: Collection[str]
    ) -> Results:
        """Return results for one sentence and its translation, given as ids, the end included; see `results`."""
        decoder_input = [START_ID, *predicted[:-1]]
        return self.results(np.array([source_ids], np.int32), np.array([decoder_input], np.int32), names)

    def _translation(self, source: SourceSentence, hypotheses: tuple[Hypothesis, ...]) -> Translation:
        """Return a sentence with its translations; the full stop of a sentence that had none is left out."""
        if source.full_stop_added:
            hypotheses = tuple(replace(each, text=without_full_stop(each.text)) for each in hypotheses)
        return Translation(
            source=source.text,
            source_tokens=source.tokens,
            source_ids=source.ids,
            unknown=tuple(i == UNKNOWN_ID for i in source.ids),
            hypotheses=hypotheses,
            full_stop_added=source.full_stop_added,
        )

    def _hypothesis(self, found: SearchResult, row: int, number: int) -> Hypothesis:
        vocabulary = self.target_tokenizer.vocabulary
        ids = tuple(int(i) for i in found.ids[row, number] if i != PAD_ID)
        return Hypothesis(
            text=self.target_tokenizer.decode(ids),
            tokens=tuple(vocabulary.tokens[i] for i in ids if not vocabulary.is_special(i)),
            ids=ids,
            log_probability=float(found.log_probability[row, number]),
            score=float(found.score[row, number]),
            finished=bool(found.finished[row, number]),
        )

    def candidates(self, logits: Floats, number: int) -> tuple[tuple[Candidate, ...], ...]:
        """Return the likeliest tokens of each position, for logits (T, V)."""
        tokens = self.target_tokenizer.vocabulary.tokens
        found = []
        for row in np.exp(log_softmax(logits)):
            least = np.partition(row, -number)[-number] if number < len(row) else 0.0
            likely = np.flatnonzero(
                row >= least
            )  # sorting the whole vocabulary would take longer than the model
            order = likely[np.argsort(-row[likely], kind="stable")[:number]]
            found.append(tuple(Candidate(tokens[i], float(row[i])) for i in order))
        return tuple(found)


def has_words(tokenizer: Tokenizer, sentence: str) -> bool:
    """Return whether a sentence has letters or digits, of any script, that the model reads.

    For other signs alone, a model makes up a translation or repeats them.
    """
    if any(character.isascii() and character.isalnum() for character in sentence):
        return True  # without tokenizing, for nearly all sentences
    return any(any(map(str.isalnum, token)) for token in tokenizer.tokens(sentence))


def no_words(text: str) -> TranslationError:
    """Return the error for a text without words."""
    return TranslationError(
        _(
            "There are no words to translate (punctuation, emoji and other signs do not count). Type a sentence. "
            "Received: {received}"
        ).format(received=f"{text!r:.80}")
    )


def target_limit(source_length: int, config: ModelConfig) -> int:
    """Return the largest number of tokens of a translation, the end included: the source's length + 50 (6.1)."""
    return min(config.max_target_length, source_length + _EXTRA_TARGET_TOKENS)


def batches_by_length(lengths: Sequence[int], num_hypotheses: int, config: ModelConfig) -> list[list[int]]:
    """Group sentences of similar length, which end after a similar number of steps.

    Returns:
        The indices of the sentences in each batch, the longest first, so that no core ends with a long batch.
    """
    ordered = sorted(range(len(lengths)), key=lambda number: lengths[number], reverse=True)
    per_core = -(-len(ordered) // max(1, min(num_cores(), len(ordered) // _MIN_ROWS_PER_CORE)))
    batches = []
    while ordered:
        cache = max(lengths[ordered[0]], _MIN_WORK_LENGTH) * config.num_layers * config.d_model
        numbers = max(cache, config.target_vocab_size) * num_hypotheses
        size = max(1, min(MAX_BATCH_ROWS, per_core, _MAX_BATCH_NUMBERS // numbers))
        batches.append(ordered[:size])
        ordered = ordered[size:]
    return batches


def num_cores() -> int:
    """Return how many cores this process may use, at most OMP_NUM_THREADS, which Ray sets for its workers."""
    has_affinity = hasattr(os, "sched_getaffinity")  # not on Windows or a Mac
    here = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(here, int(allowed))) if allowed.isdecimal() else here


def map_in_threads(function: Callable[[Batch], Result], batches: Sequence[Batch]) -> list[Result]:
    """Apply a function to each batch on all cores; NumPy's products release Python's lock."""
    num_threads = min(num_cores(), len(batches), _MAX_THREADS)
    if num_threads < 2:
        return [function(batch) for batch in batches]
    reader = language()

    def worded(batch: Batch) -> Result:
        with reading(reader):  # for its errors
            return function(batch)

    with ThreadPoolExecutor(num_threads, thread_name_prefix="translate") as threads:
        return list(threads.map(worded, batches))
