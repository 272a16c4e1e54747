"""Passes over a sentence pair, and greedy search, with interventions. Axis letters: see `core.config`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from core.arrays import Floats, Ids
from core.inference.search import check_finite, greedy_search, log_softmax, run
from core.inference.transformer import UNCHANGED, DecoderState, Interventions, Patch, Trace
from core.inference.translator import GREEDY, Translator, map_in_threads, num_cores
from core.records.attention import AttentionKind, AttentionRecord
from core.records.text import Pair, Translation
from core.tokens.vocabulary import END_ID, PAD_ID, START_ID

MAX_NUMBERS = 2_000_000  # logits and weights in one batch, 8 MB; larger ones are split and run on all cores


@dataclass(frozen=True, eq=False)
class ForcedPair:
    """A source and a target: position t reads `decoder_input[: t + 1]` and predicts `predicted[t]`."""

    source: Ids  # (S,)
    decoder_input: Ids  # (T,), the start token, then all but the last of `predicted`
    predicted: Ids  # (T,), with the end token if the sentence has ended
    source_tokens: tuple[str, ...]
    decoder_input_tokens: tuple[str, ...]
    predicted_tokens: tuple[str, ...]

    @classmethod
    def of_translation(cls, translator: Translator, translation: Translation) -> Self:
        """Return a sentence with the model's own translation."""
        return cls.of_ids(translator, translation.source_ids, translation.best.ids)

    @classmethod
    def of_ids(cls, translator: Translator, source: Sequence[int], predicted: Sequence[int]) -> Self:
        """Return the pair of a source and a target, given as ids; `predicted` includes the end."""
        source_tokens = translator.source_tokenizer.vocabulary.tokens
        vocabulary = translator.target_tokenizer.vocabulary
        decoder_input = [START_ID, *predicted[:-1]]
        return cls(
            source=np.array(source, np.int32),
            decoder_input=np.array(decoder_input, np.int32),
            predicted=np.array(predicted, np.int32),
            source_tokens=tuple(source_tokens[i] for i in source),
            decoder_input_tokens=tuple(vocabulary.tokens[i] for i in decoder_input),
            predicted_tokens=tuple(vocabulary.tokens[i] for i in predicted),
        )

    def attention(self, trace: Trace) -> AttentionRecord:
        """Return the attention of a pass over this pair, with its tokens."""
        tokens = self.source_tokens, self.decoder_input_tokens, self.predicted_tokens
        return AttentionRecord(*tokens, *(weights[0] for weights in trace.attention))


class Tracer:
    """Runs one model for analyses. Read-only: threads may share it.

    Args:
        translator: the model's translator.
        pause: called before each batch and after each token; it can stop a long computation by raising an exception.
    """

    def __init__(self, translator: Translator, pause: Callable[[], object] = lambda: None) -> None:
        self.translator = translator
        self.config = translator.config
        self.pause = pause

    def trace(self, source_ids: Ids, target_ids: Ids, changes: Interventions = UNCHANGED) -> Trace:
        """Return all intermediate results of one pass; arguments and errors are those of `Translator.trace`."""
        self.pause()
        return self.translator.trace(source_ids, target_ids, changes)

    def trace_pair(self, pair: ForcedPair) -> Trace:
        """Return all intermediate results of a pass over one pair, as a batch of 1."""
        return self.trace(pair.source[None], pair.decoder_input[None])

    def write_greedily(
        self, source_ids: Sequence[int], limit: int, changes: Interventions = UNCHANGED
    ) -> tuple[int, ...]:
        """Translate one sentence by greedy search; return the ids, with the end if it was reached.

        Args:
            source_ids: the sentence's ids, perhaps with padding.
            limit: the largest number of tokens, the end included.
            changes: interventions.

        Raises:
            TranslationError: the weights overflow.
        """
        decoder = DecoderState(self.translator.model, np.array([source_ids], np.int32), 1, changes)
        most = min(limit, self.config.max_target_length)
        search = greedy_search(decoder, [most], GREEDY)
        found = run(search, lambda step: self.pause())
        return tuple(int(each) for each in found.ids[0, 0] if each != PAD_ID)

    def logits(
        self, source_ids: Ids, target_ids: Ids, changes: Interventions = UNCHANGED
    ) -> Iterator[Floats]:
        """Yield the logits (rows, T, V) of all B rows in their order, in parts within `MAX_NUMBERS`.

        Args:
            source_ids: (B, S), or (1, S) for all rows.
            target_ids: (B, T) or (1, T), the decoder's input.
            changes: interventions with B rows or one.

        Raises:
            TranslationError: the weights overflow.
        """
        rows = max(_num_rows(each) for each in (source_ids, target_ids, changes))
        source, target = (np.broadcast_to(ids, (rows, ids.shape[1])) for ids in (source_ids, target_ids))
        source_length = source.shape[1]
        target_length = target.shape[1]
        attention = source_length**2 + target_length**2 + source_length * target_length
        numbers = target_length * self.config.target_vocab_size + self.config.num_heads * attention
        at_once = max(1, MAX_NUMBERS // numbers)
        parts = [slice(first, first + at_once) for first in range(0, rows, at_once)]

        def run(part: slice) -> Floats:
            logits = self.translator.model.logits(source[part], target[part], _rows(changes, part))
            check_finite(logits)
            return logits

        for first in range(0, len(parts), num_cores()):
            self.pause()
            yield from map_in_threads(run, parts[first : first + num_cores()])

    def log_probabilities(
        self, source_ids: Ids, target_ids: Ids, predicted: Ids, changes: Interventions = UNCHANGED
    ) -> Floats:
        """Return log P (nats) of the tokens `predicted` (1, T) in each row, (B, T).

        The other arguments and the errors are those of `logits`.
        """
        found = [
            np.take_along_axis(log_softmax(logits), predicted[..., None], axis=-1)[..., 0]
            for logits in self.logits(source_ids, target_ids, changes)
        ]
        return np.concatenate(found)


def forced_attention(tracer: Tracer, pairs: Sequence[Pair]) -> tuple[AttentionRecord, ...]:
    """Return the attention over each pair in a pass over its reference; long sentences are cut.

    The text is the reference, whatever the model would write itself.

    Raises:
        TranslationError: the weights overflow.
    """
    translator = tracer.translator
    config = translator.config
    records = []
    for pair in pairs:
        source = translator.source_tokenizer.encode(pair.source)[: config.max_source_length]
        target = translator.target_tokenizer.encode(pair.target)[: config.max_target_length - 1]
        read = ForcedPair.of_ids(translator, source, [*target, END_ID])
        records.append(read.attention(tracer.trace_pair(read)))
    return tuple(records)


def sublayer_path(kind: AttentionKind, layer: int) -> str:
    """Return the path of one attention sublayer's weights in a checkpoint; layers count from 0."""
    side, sublayer = ("decoder", "cross_attention") if kind == "cross" else (kind, "self_attention")
    return f"{side}/layer_{layer}/{sublayer}"


def _num_rows(value: Any) -> int:
    """Return the length of the batch axis of ids or changes."""
    if isinstance(value, Interventions | Patch):
        return max(_num_rows(each) for each in vars(value).values())
    return 1 if value is None else len(value)


def _rows(value: Any, part: slice) -> Any:
    """Return the changes for some rows of a batch; a batch axis of 1 stays."""
    if isinstance(value, Interventions | Patch):
        return type(value)(**{name: _rows(each, part) for name, each in vars(value).items()})
    return value if value is None or len(value) == 1 else value[part]
