"""Evaluation on unseen pairs: the loss, and BLEU and chrF of the translations, computed by sacrebleu.

BLEU: Papineni et al. 2002; chrF: Popović 2015; the need for a score's signature: Post 2018; confidence intervals by
bootstrap resampling: Koehn 2004. Axis letters: see `core.config`.
"""

import random
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from sacrebleu.metrics import BLEU, CHRF

from core.arrays import Doubles
from core.config import DecodingConfig
from core.errors import InputError
from core.inference.search import log_softmax
from core.inference.texts import TextRun
from core.inference.translator import Translator, batches_by_length, map_in_threads, num_cores
from core.language import _
from core.records.text import Pair, SentenceResult, Translation
from core.tokens.base import pad
from core.tokens.vocabulary import END_ID, PAD_ID, START_ID
from core.training.pairs import are_unspaced

_MAX_AT_ONCE = 4  # batches between two chances to stop
_FIRST_ROWS = 4  # pairs until the first progress; then twice as many each time, up to whole batches
_RESAMPLES = 500  # bootstrap samples for the confidence interval
_LOSS_NUMBERS = 2_000_000  # logits in memory per thread, 8 MB


@dataclass(frozen=True)
class Scores:
    """BLEU and chrF of one set of translations, with their signatures."""

    bleu: float  # 0 to 100
    bleu_margin: float  # half the width of its 95 % confidence interval
    chrf: float  # 0 to 100
    bleu_signature: str
    chrf_signature: str


@dataclass(frozen=True)
class Evaluation:
    """The metrics of one evaluation."""

    pairs: int  # number of evaluated pairs
    left_out: int  # pairs with a side that is empty or too long for the model
    loss: float  # mean cross-entropy of the reference tokens, teacher-forced, no label smoothing, nats
    perplexity: float  # exp(loss)
    accuracy: float  # share of reference tokens predicted exactly, teacher-forced, 0 to 1
    detokenized: Scores  # against references as people write them
    normalized: Scores  # against lower-cased references with words and punctuation apart
    length_ratio: float  # tokens of all translations / tokens of all references
    tokens_per_second: float  # written while decoding
    seconds: float
    decoding: DecodingConfig


class EvaluationRun:
    """Evaluates one model with progress; it can be stopped early.

    The model gets the sources unchanged, without added full stops.

    Raises:
        InputError: every pair has a side that is empty or too long.
    """

    def __init__(self, translator: Translator, pairs: Sequence[Pair], decoding: DecodingConfig) -> None:
        self.translator = translator
        self.decoding = decoding
        self.sentences: dict[int, SentenceResult] = {}  # of the pairs done, by their number
        self._pairs = pairs
        self._source = [translator.source_tokenizer.encode(pair.source) for pair in pairs]
        self._target = [translator.target_tokenizer.encode(pair.target) for pair in pairs]
        self._rows = [row for row in range(len(pairs)) if self._fits(row)]
        if not self._rows:
            raise InputError(
                _("There are no pairs to evaluate: each has an empty side or is too long for the model.")
            )
        self._sums: Doubles = np.zeros(3)  # loss, hits, tokens
        self._seconds = 0.0
        self._tokens_written = 0
        self._decoding_seconds = 0.0

    @property
    def total(self) -> int:
        """Pairs to evaluate."""
        return len(self._rows)

    @property
    def done(self) -> int:
        """Pairs evaluated."""
        return len(self.sentences)

    def steps(self) -> Generator[int, None, None]:
        """Evaluate some batches at a time, few pairs at first, and yield the number of pairs done after each time.

        Batches have sentences of similar length and a random order, the same at every run. So whenever the user stops,
        the pairs done are a fair sample.
        """
        for batches in self._together():
            if batches[0][0] in self.sentences:
                continue  # done in an earlier call
            started = time.monotonic()
            self._sums += np.sum(map_in_threads(self._losses, batches), axis=0)
            self._translate([row for batch in batches for row in batch])
            self._seconds += time.monotonic() - started
            yield self.done

    def result(self) -> Evaluation:
        """Return the metrics of the pairs done.

        Raises:
            InputError: no pair is done yet.
        """
        if not self.sentences:
            raise InputError(_("There is nothing to show before the first batch is translated."))
        results = [self.sentences[row] for row in sorted(self.sentences)]
        loss, hits, tokens = self._sums
        return Evaluation(
            pairs=self.done,
            left_out=len(self._pairs) - self.total,
            loss=float(loss / tokens),
            perplexity=float(np.exp(loss / tokens)),
            accuracy=float(hits / tokens),
            detokenized=score([each.translation for each in results], [each.reference for each in results]),
            normalized=score(
                [each.normalized_translation for each in results],
                [each.normalized_reference for each in results],
                "none",
            ),
            length_ratio=sum(each.translation_tokens for each in results)
            / sum(each.reference_tokens for each in results),
            tokens_per_second=self._tokens_written / self._decoding_seconds,
            seconds=self._seconds,
            decoding=self.decoding,
        )

    def _fits(self, row: int) -> bool:
        config = self.translator.config
        return (
            0 < len(self._source[row]) <= config.max_source_length
            and 0 < len(self._target[row]) < config.max_target_length
        )

    def _together(self) -> list[list[list[int]]]:
        """Return the rows of the batches that are evaluated at once: one per core, at most `_MAX_AT_ONCE`.

        Full batches would take seconds until the first progress, so the first ones are cut up.
        """
        order = sorted(self._rows, key=lambda row: (len(self._source[row]), len(self._target[row])))
        lengths = [len(self._source[row]) for row in order]
        batches = [
            [order[number] for number in batch]
            for batch in batches_by_length(lengths, self.decoding.num_hypotheses, self.translator.config)
        ]
        at_once = min(num_cores(), _MAX_AT_ONCE)
        # Batches of similar length, since `translate` groups the sentences of one call by length.
        together = [batches[first : first + at_once] for first in range(0, len(batches), at_once)]
        chance = random.Random(0)
        chance.shuffle(together)
        parts = []
        size = _FIRST_ROWS
        for group in together:
            rows = [row for batch in group for row in batch]
            if len(rows) > size:
                chance.shuffle(rows)  # so that the parts, too, are fair samples
            while rows:
                part = sorted(rows[:size], key=lambda row: len(self._source[row]))
                each = -(-len(part) // at_once)
                parts.append([part[first : first + each] for first in range(0, len(part), each)])
                rows = rows[size:]
                size = 2 * size
        return parts

    def _losses(self, rows: Sequence[int]) -> Doubles:
        """Return the sums of loss, hits and tokens, computed for some rows at a time to limit memory."""
        longest = max(len(self._target[row]) for row in rows) + 1
        at_once = max(1, _LOSS_NUMBERS // (longest * self.translator.config.target_vocab_size))
        parts = [rows[first : first + at_once] for first in range(0, len(rows), at_once)]
        return np.sum([self._loss(part) for part in parts], axis=0)

    def _loss(self, rows: Sequence[int]) -> Doubles:
        source = pad([self._source[row] for row in rows])
        target = pad([[START_ID, *self._target[row], END_ID] for row in rows])
        decoder_input = target[:, :-1]
        labels = target[:, 1:]
        real = labels != PAD_ID
        with np.errstate(all="ignore"):  # the search checks for overflow
            logits = self.translator.model.logits(source, decoder_input)[real]  # (tokens, V)
            of_labels = log_softmax(logits)[np.arange(len(logits)), labels[real]]
        hits = logits.argmax(axis=-1) == labels[real]
        return np.array([-of_labels.sum(dtype=np.float64), hits.sum(), len(logits)])

    def _translate(self, rows: Sequence[int]) -> None:
        started = time.monotonic()
        sources = [self._pairs[row].source for row in rows]
        texts = TextRun(self.translator, sources, self.decoding, typed=False).finish()
        self._decoding_seconds += time.monotonic() - started
        for row, text in zip(rows, texts, strict=True):
            (translation,) = text.sentences
            self._tokens_written += len(translation.best.ids)
            self.sentences[row] = self._compare(row, translation)

    def _compare(self, row: int, translation: Translation) -> SentenceResult:
        pair = self._pairs[row]
        tokenizer = self.translator.target_tokenizer
        best = translation.best
        reference = tokenizer.detokenized(pair.target)
        ended = best.ids[-1:] == (END_ID,)
        return SentenceResult(
            number=row,
            source=pair.source,
            reference=reference,
            translation=best.text,
            normalized_reference=tokenizer.normalized(pair.target),
            normalized_translation=tokenizer.decode_words(best.ids),
            reference_tokens=len(self._target[row]),
            translation_tokens=len(best.ids) - ended,
            bleu=sentence_bleu(best.text, reference),
        )


def sentence_bleu(hypothesis: str, reference: str) -> float:
    """Return the BLEU of one detokenized sentence, 0 to 100, for comparing sentences, not models.

    Only n-gram orders that occur in the sentence count ("effective order"), and counts are smoothed.
    """
    bleu = BLEU(lowercase=True, effective_order=True, tokenize=_tokenize([reference]))
    return bleu.sentence_score(hypothesis, [reference]).score


def _tokenize(references: Sequence[str]) -> str:
    """Return how sacrebleu splits detokenized text: in its own way, or into characters where there are no spaces."""
    return "char" if are_unspaced(references) else "13a"


def score(
    hypotheses: Sequence[str], references: Sequence[str], tokenize: Literal["none"] | None = None
) -> Scores:
    """Score translations with sacrebleu, ignoring case.

    Args:
        hypotheses: translations.
        references: a reference for each.
        tokenize: how to split them. None is for detokenized text. "none" is for lower-cased words and punctuation marks
            that the tokenizer has split: only this number is comparable with those of tutorials.
    """
    split = tokenize or _tokenize(references)
    # force: do not warn that text with " ." at its end is already tokenized.
    bleu = BLEU(lowercase=True, tokenize=split, force=True)
    chrf = CHRF(lowercase=True)
    # A second object, because resampling changes the signature.
    resampled = BLEU(lowercase=True, tokenize=split, force=True)
    return Scores(
        bleu=bleu.corpus_score(hypotheses, [references]).score,
        bleu_margin=resampled.corpus_score(hypotheses, [references], n_bootstrap=_RESAMPLES)._ci,
        chrf=chrf.corpus_score(hypotheses, [references]).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )
