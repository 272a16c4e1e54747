"""A model's own translations as pairs to train on: sequence-level knowledge distillation.

A reference is one of many good translations, and a model spreads its probability over all of them. What beam search
makes of them is easier to learn; a model that has learned it finds nearly as much by greedy search. Of the hypotheses
of each search the one nearest to the reference is kept, as words set apart, so that the tokenizer cuts the same words
again. Written as people write, "do n't" would come back as "don't", with other tokens, and a quotation mark of TED,
which has `` and '', as an unknown one.

Kim & Rush 2016, "Sequence-Level Knowledge Distillation", sections 3.2 and 3.3.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from core.config import DecodingConfig
from core.corpora.short_texts import short_texts
from core.decoding.text.final_stop import with_final_stop, without_final_stop
from core.metrics.bleu import sentence_bleu
from core.records import FULL_STOP, Hypothesis, Pair
from core.storage.checkpoint import Checkpoint
from core.tokens.subword import SubwordTokenizer

AT_ONCE = 512  # texts translated between two reports
_SPARE = 8  # tokens that a translation may have beside twice its source's
_REPEATED = 3  # times the same token with letters: a search that goes round in circles
_REPEATED_MARKS = 5  # likewise; "'' ''" closes two quotations


class DistillationError(ValueError):
    """There is nothing to learn from; the message says why."""


class Distillation:
    """Translates the sources of a corpus, and words and short runs of words out of them.

    Short texts are read with a full stop, which both sides of the pair lose: a model that goes round in circles without
    one teaches one that does not.

    Args:
        checkpoint: whose translations they are.
        pairs: sources with their references; one source may have several.
        decoding: how to search.
        seed: of the short texts and the order.

    Raises:
        DistillationError: no source is one that the model can read.
    """

    def __init__(
        self, checkpoint: Checkpoint, pairs: Sequence[Pair], decoding: DecodingConfig, seed: int = 0
    ) -> None:
        self.pairs: list[Pair] = []
        self._translator, self._decoding = checkpoint.translator(), decoding
        self._target, source = checkpoint.target_tokenizer, checkpoint.source_tokenizer
        self._references: dict[str, list[str]] = {}  # none of a short text
        for pair in pairs:
            if 0 < len(source.encode(pair.source)) <= checkpoint.config.max_source_length:
                self._references.setdefault(pair.source, []).append(pair.target)
        if not self._references:
            raise DistillationError("There are no pairs to translate: each source is empty or too long.")
        if isinstance(source, SubwordTokenizer):  # a model of whole words knows its sentences alone
            for text in short_texts(list(self._references), source.words, seed):
                self._references.setdefault(text, [])
        self._texts = list(self._references)
        random.Random(seed).shuffle(self._texts)  # whenever it is stopped, a fair sample is done

    @property
    def total(self) -> int:
        """Texts to translate."""
        return len(self._texts)

    def steps(self) -> Iterator[int]:
        """Translate some texts at a time; gives how many are done. The pairs so far are in `pairs`."""
        for first in range(0, self.total, AT_ONCE):
            texts = self._texts[first : first + AT_ONCE]
            read = [text if self._references[text] else with_final_stop(text) for text in texts]
            for text, translation in zip(
                texts, self._translator.translate(read, self._decoding), strict=True
            ):
                most = 2 * len(translation.source_tokens) + _SPARE
                usable = [each for each in translation.hypotheses if self._is_usable(each, most)]
                if usable:
                    self.pairs += self._pairs_of(text, usable)
            yield first + len(texts)

    def _pairs_of(self, text: str, usable: Sequence[Hypothesis]) -> list[Pair]:
        """The nearest to each reference; of a short text, which has none, the best one."""
        references = self._references[text]
        if not references:
            words, written = self._target.decode_words(usable[0].ids), usable[0].text
            ends = without_final_stop(written) != written  # not with an ellipsis
            return [Pair(text, words.removesuffix(FULL_STOP).rstrip() if ends else words)]
        nearest = (_nearest(usable, self._target.detokenized(reference)) for reference in references)
        return [Pair(text, self._target.decode_words(each.ids)) for each in nearest]

    def _is_usable(self, hypothesis: Hypothesis, most: int) -> bool:
        """Whether it is a whole translation, and not one that went round in circles."""
        ids, vocabulary = hypothesis.ids, self._target.vocabulary
        whole = hypothesis.finished and bool(hypothesis.text) and len(ids) <= most
        return (
            whole
            and vocabulary.unknown_id not in ids
            and not _circles(vocabulary.tokens[each] for each in ids)
        )


def _circles(tokens: Iterable[str]) -> bool:
    """Whether the same token comes again and again."""
    runs = ((token, len(list(same))) for token, same in groupby(tokens))
    return any(
        times >= (_REPEATED if any(map(str.isalnum, token)) else _REPEATED_MARKS) for token, times in runs
    )


def _nearest(usable: Sequence[Hypothesis], reference: str) -> Hypothesis:
    return max(usable, key=lambda each: sentence_bleu(each.text, reference))
