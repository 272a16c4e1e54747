"""A model's own translations as pairs to train on: sequence-level knowledge distillation.

A reference is one of many good translations, and a model spreads its probability over all of them. What beam search
makes of them is easier to learn; a model that has learned it finds nearly as much by greedy search. Of the hypotheses
of each search the one nearest to the reference is kept.

Kim & Rush 2016, "Sequence-Level Knowledge Distillation", sections 3.2 and 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.config import DecodingConfig
from core.corpora.short_texts import short_texts
from core.metrics.bleu import sentence_bleu
from core.records import Pair, Translation
from core.storage.checkpoint import Checkpoint
from core.tokens.subword import SubwordTokenizer

AT_ONCE = 512  # sentences translated between two reports


class DistillationError(ValueError):
    """There is nothing to translate; the message says why."""


class Distillation:
    """Translates the sources of a corpus, then words and short runs of words out of them.

    The short texts are translated as people type them (`SentenceTranslator.translate_typed`): a model that needs a
    full stop teaches one that does not.

    Args:
        checkpoint: whose translations they are.
        pairs: sources with their references.
        decoding: how to search.
        seed: of the short texts.

    Raises:
        DistillationError: no source is one that the model can read.
    """

    def __init__(
        self, checkpoint: Checkpoint, pairs: Sequence[Pair], decoding: DecodingConfig, seed: int = 0
    ) -> None:
        self.pairs: list[Pair] = []
        self._translator, self._decoding = checkpoint.translator(), decoding
        self._tokenizer = checkpoint.target_tokenizer
        source = checkpoint.source_tokenizer
        lengths = [len(source.encode(pair.source)) for pair in pairs]
        fit = [row for row, length in enumerate(lengths) if 0 < length <= checkpoint.config.max_source_length]
        if not fit:
            raise DistillationError("There are no pairs to translate: each source is empty or too long.")
        self._sentences = [pairs[row] for row in sorted(fit, key=lengths.__getitem__)]
        self._short: list[str] = []
        if isinstance(source, SubwordTokenizer):  # a model of whole words knows its sentences alone
            self._short = short_texts((pair.source for pair in self._sentences), source.words, seed)

    @property
    def total(self) -> int:
        """Texts to translate."""
        return len(self._sentences) + len(self._short)

    def steps(self) -> Iterator[int]:
        """Translate some texts at a time; gives how many are done. The pairs so far are in `pairs`."""
        for first in range(0, len(self._sentences), AT_ONCE):
            some = self._sentences[first : first + AT_ONCE]
            found = self._translator.translate([pair.source for pair in some], self._decoding)
            for pair, translation in zip(some, found, strict=True):
                self._keep(translation, self._tokenizer.detokenized(pair.target))
            yield first + len(some)
        for first in range(0, len(self._short), AT_ONCE):
            texts = self._short[first : first + AT_ONCE]
            for translation in self._translator.translate_typed(texts, self._decoding):
                self._keep(translation)
            yield len(self._sentences) + first + len(texts)

    def _keep(self, translation: Translation, reference: str = "") -> None:
        """Keep a hypothesis that is ended: the nearest to the reference, or the best where there is none."""
        ended = [each.text for each in translation.hypotheses if each.finished and each.text]
        if ended:
            best = max(ended, key=lambda text: sentence_bleu(text, reference)) if reference else ended[0]
            self.pairs.append(Pair(translation.source, best))
