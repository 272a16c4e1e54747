"""How close translations are to their references: BLEU and chrF, computed by sacrebleu.

BLEU: Papineni et al. 2002; chrF: Popović 2015; why a score needs its signature: Post 2018; its confidence interval
by drawing the sentences again and again (bootstrap resampling): Koehn 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics import BLEU, CHRF

RESAMPLES = 500  # sets of sentences that the confidence interval is read from


@dataclass(frozen=True)
class Scores:
    """BLEU and chrF of one set of translations, each with how it was computed."""

    bleu: float  # 0 to 100
    bleu_margin: float  # half the width of its 95 % confidence interval
    chrf: float  # 0 to 100
    bleu_signature: str
    chrf_signature: str


def score_detokenized(hypotheses: Sequence[str], references: Sequence[str]) -> Scores:
    """Score detokenized text: sacrebleu's own tokenization (13a), ignoring case.

    Args:
        hypotheses: translations, through `detokenize`.
        references: one for each, through `detokenize` too.
    """
    return _score(hypotheses, references, tokenize="13a")


def score_normalized(hypotheses: Sequence[str], references: Sequence[str]) -> Scores:
    """Score lower-cased words, punctuation apart: no tokenization but the tokenizer's own.

    Only this number is comparable with those that tutorials report.

    Args:
        hypotheses: what `SubwordTokenizer.decode_words` gives for the translations' ids.
        references: one for each, through `SubwordTokenizer.normalized`.
    """
    return _score(hypotheses, references, tokenize="none")


def sentence_bleu(hypothesis: str, reference: str) -> float:
    """BLEU of one detokenized sentence, 0 to 100; for looking at sentences, not for comparing models.

    Only the n-gram orders that the sentence has count ("effective order"), and counts are smoothed.
    """
    return BLEU(lowercase=True, effective_order=True).sentence_score(hypothesis, [reference]).score


def _score(hypotheses: Sequence[str], references: Sequence[str], tokenize: str) -> Scores:
    # force: sacrebleu would warn that text with " ." at its end is tokenized already, as here it is.
    bleu, chrf = BLEU(lowercase=True, tokenize=tokenize, force=True), CHRF(lowercase=True)
    resampled = BLEU(lowercase=True, tokenize=tokenize, force=True)  # one more: its signature would say so
    return Scores(
        bleu=bleu.corpus_score(hypotheses, [references]).score,
        bleu_margin=resampled.corpus_score(hypotheses, [references], n_bootstrap=RESAMPLES)._ci,
        chrf=chrf.corpus_score(hypotheses, [references]).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )
