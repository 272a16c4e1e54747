"""Passes over a sentence pair, and greedy search, with changes. Axis letters: see `core.config`."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from core.arrays import Bools, Floats, Ids
from core.config import ModelConfig
from core.inference.model import (
    UNCHANGED,
    Changes,
    DecoderState,
    Results,
    attention_weight_names,
    attention_weights,
)
from core.inference.search import check_finite, greedy_search, log_softmax, run
from core.inference.translator import GREEDY, Translator, map_in_threads, num_cores
from core.records.attention import AttentionKind, AttentionRecord, tokens_of_maps
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
    def of_text(cls, translator: Translator, text: str) -> Self:
        """Return a typed sentence with the model's own translation."""
        return cls.of_translation(translator, translator.translate([text], typed=True)[0])

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

    def tokens(self, kind: AttentionKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the tokens of the rows and of the columns of one kind of attention."""
        return tokens_of_maps(kind, self.source_tokens, self.decoder_input_tokens, self.predicted_tokens)

    def attention(self, found: Results, config: ModelConfig) -> AttentionRecord:
        """Return the attention of a pass over this pair, with its tokens, from results by `attention_weight_names`."""
        return AttentionRecord(
            source_tokens=self.source_tokens,
            decoder_input_tokens=self.decoder_input_tokens,
            predicted_tokens=self.predicted_tokens,
            **attention_weights(found, config),
        )


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

    def results(
        self,
        pair: ForcedPair,
        names: Collection[str],
        changes: Changes = UNCHANGED,
        source_mask: Bools | None = None,
    ) -> Results:
        """Return the results of one pass over a pair, as a batch of 1; see `Translator.results`."""
        self.pause()
        return self.translator.results(
            pair.source[None], pair.decoder_input[None], names, changes, source_mask
        )

    def attention(self, pair: ForcedPair) -> AttentionRecord:
        """Return the attention of a pass over a pair, with its tokens."""
        return pair.attention(self.results(pair, attention_weight_names(self.config)), self.config)

    def write_greedily(
        self,
        source_ids: Sequence[int],
        limit: int,
        changes: Changes = UNCHANGED,
        source_mask: Bools | None = None,
    ) -> tuple[int, ...]:
        """Translate one sentence by greedy search; return the ids, with the end if it was reached.

        Args:
            source_ids: the sentence's ids, perhaps with padding.
            limit: the largest number of tokens, the end included.
            changes: what to change on the way.
            source_mask: (1, 1, 1, S), True where attention is allowed; None hides padding.
        """
        ids = np.array([source_ids], np.int32)
        decoder = DecoderState(self.translator.model, ids, 1, changes, source_mask)
        most = min(limit, self.config.max_target_length)
        search = greedy_search(decoder, [most], GREEDY)
        found = run(search, lambda step: self.pause())
        return tuple(int(each) for each in found.ids[0, 0] if each != PAD_ID)

    def logits(
        self,
        pair: ForcedPair,
        rows: int,
        changes: Callable[[slice], Changes] = lambda part: UNCHANGED,
        source_mask: Bools | None = None,
    ) -> Iterator[Floats]:
        """Yield the logits of one pair in B rows with different changes, (rows, T, V), in parts within `MAX_NUMBERS`.

        Args:
            pair: the pair.
            rows: B.
            changes: the changes of some of the rows.
            source_mask: (B, 1, 1, S), True where attention is allowed; None for everywhere.
        """
        source, target = (np.broadcast_to(ids, (rows, len(ids))) for ids in (pair.source, pair.decoder_input))
        source_length = len(pair.source)
        target_length = len(pair.decoder_input)
        attention = source_length**2 + target_length**2 + source_length * target_length
        numbers = target_length * self.config.target_vocab_size + self.config.num_heads * attention
        at_once = max(1, MAX_NUMBERS // numbers)
        parts = [slice(first, min(first + at_once, rows)) for first in range(0, rows, at_once)]

        def run(part: slice) -> Floats:
            mask = None if source_mask is None else source_mask[part]
            logits = self.translator.model.logits(source[part], target[part], changes(part), mask)
            check_finite(logits)
            return logits

        for first in range(0, len(parts), num_cores()):
            self.pause()
            yield from map_in_threads(run, parts[first : first + num_cores()])

    def log_probabilities(
        self,
        pair: ForcedPair,
        rows: int,
        changes: Callable[[slice], Changes] = lambda part: UNCHANGED,
        source_mask: Bools | None = None,
    ) -> Floats:
        """Return log P (nats) of the predicted tokens in each row, (B, T); arguments and errors are those of `logits`."""
        predicted = pair.predicted[None, :, None]
        found = [
            np.take_along_axis(log_softmax(logits), predicted, axis=-1)[..., 0]
            for logits in self.logits(pair, rows, changes, source_mask)
        ]
        return np.concatenate(found)


def forced_attention(tracer: Tracer, pairs: Sequence[Pair]) -> tuple[AttentionRecord, ...]:
    """Return the attention over each pair in a pass over its reference; long sentences are cut.

    The text is the reference, whatever the model would write itself.
    """
    translator = tracer.translator
    config = translator.config
    records = []
    for pair in pairs:
        source = translator.source_tokenizer.encode(pair.source)[: config.max_source_length]
        target = translator.target_tokenizer.encode(pair.target)[: config.max_target_length - 1]
        read = ForcedPair.of_ids(translator, source, [*target, END_ID])
        records.append(tracer.attention(read))
    return tuple(records)
