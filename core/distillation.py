"""A model's own translations as pairs to train on: sequence-level knowledge distillation.

A reference is one of many good translations, and a model spreads its probability over all of them. What beam search
makes of them is easier to learn; a model that has learned it finds nearly as much by greedy search. Of the hypotheses
of each search the one nearest to the reference is kept.

Kim & Rush 2016, "Sequence-Level Knowledge Distillation", sections 3.2 and 3.3.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import groupby

from core.config import DecodingConfig
from core.corpora.short_texts import short_texts
from core.decoding.text.final_stop import with_final_stop, without_final_stop
from core.metrics.bleu import sentence_bleu
from core.records import Hypothesis, Pair
from core.storage.checkpoint import Checkpoint
from core.tokens.subword import SubwordTokenizer

AT_ONCE = 512  # texts translated between two reports
_SPARE = 8  # tokens that a translation may have beside twice its source's
_REPEATED = 3  # times the same token: a search that goes round in circles


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
                usable = [each.text for each in translation.hypotheses if _is_usable(each, most)]
                if usable:
                    self.pairs += self._pairs_of(text, usable)
            yield first + len(texts)

    def _pairs_of(self, text: str, usable: Sequence[str]) -> list[Pair]:
        """The nearest to each reference; of a short text, which has none, the best one."""
        references = self._references[text]
        if not references:
            return [Pair(text, without_final_stop(usable[0]))]
        written = map(self._target.detokenized, references)
        return [Pair(text, _nearest(usable, reference)) for reference in written]


def _nearest(usable: Sequence[str], reference: str) -> str:
    return max(usable, key=lambda text: sentence_bleu(text, reference))


def _is_usable(hypothesis: Hypothesis, most: int) -> bool:
    """Whether it is a whole translation, and not one that went round in circles."""
    repeated = max((len(list(same)) for _, same in groupby(hypothesis.ids)), default=0)
    return (
        hypothesis.finished and bool(hypothesis.text) and len(hypothesis.ids) <= most and repeated < _REPEATED
    )
