"""Counting a corpus in the background, while people already read its pairs."""

from __future__ import annotations

import logging
import threading

from core.classroom.corpora.corpus_reading import read_split
from core.corpora.corpus import CorpusError, Split
from core.metrics.corpus_statistics import SentenceLengths, sentence_lengths
from core.tokens.base import Tokenizer

_log = logging.getLogger(__name__)


class CorpusCount:
    """The lengths of one split's sentences, counted in a thread of its own.

    Args:
        name: of the corpus.
        split: of its splits.
        tokenizers: as for `sentence_lengths`.
    """

    def __init__(self, name: str, split: Split, tokenizers: tuple[Tokenizer, Tokenizer] | None) -> None:
        self.share = 0.0  # of the sentences that are counted
        self.lengths: SentenceLengths | None = None  # when all are
        self.error = ""  # for people: why they cannot be counted
        self._thread = threading.Thread(
            target=self._count, args=(name, split, tokenizers), daemon=True, name=f"count {name}"
        )
        self._thread.start()

    def wait(self, timeout: float) -> bool:
        """Wait until counting has ended. Returns whether it has."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _count(self, name: str, split: Split, tokenizers: tuple[Tokenizer, Tokenizer] | None) -> None:
        try:
            self.lengths = sentence_lengths(read_split(name, split), tokenizers, self._report)
        except CorpusError as error:
            self.error = str(error)
        except Exception:
            _log.exception("Counting %s failed", name)
            self.error = "The sentences could not be counted on the server. Choose another corpus."

    def _report(self, share: float) -> None:
        self.share = share
