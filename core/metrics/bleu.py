"""BLEU and chrF of translations, computed by sacrebleu.

BLEU: Papineni et al. 2002; chrF: Popović 2015; the need for a score's signature: Post 2018; confidence intervals by
bootstrap resampling: Koehn 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics import BLEU, CHRF

RESAMPLES = 500  # bootstrap samples for the confidence interval


@dataclass(frozen=True)
class Scores:
    """BLEU and chrF of one set of translations, with their signatures."""

    bleu: float  # 0 to 100
    bleu_margin: float  # half the width of its 95 % confidence interval
    chrf: float  # 0 to 100
    bleu_signature: str
    chrf_signature: str


def score_detokenized(hypotheses: Sequence[str], references: Sequence[str]) -> Scores:
    """Score detokenized text with sacrebleu's own tokenization (13a), ignoring case.

    Args:
        hypotheses: translations, after `detokenize`.
        references: a reference for each, after `detokenize`.
    """
    return _score(hypotheses, references, tokenize="13a")


def score_normalized(hypotheses: Sequence[str], references: Sequence[str]) -> Scores:
    """Score lower-cased words and punctuation marks, as the tokenizer splits them.

    Only this number is comparable with those of tutorials.

    Args:
        hypotheses: translations, from `SubwordTokenizer.decode_words`.
        references: a reference for each, from `SubwordTokenizer.normalized`.
    """
    return _score(hypotheses, references, tokenize="none")


def sentence_bleu(hypothesis: str, reference: str) -> float:
    """Return the BLEU of one detokenized sentence, 0 to 100, for comparing sentences, not models.

    Only n-gram orders that occur in the sentence count ("effective order"), and counts are smoothed.
    """
    return BLEU(lowercase=True, effective_order=True).sentence_score(hypothesis, [reference]).score


def _score(hypotheses: Sequence[str], references: Sequence[str], tokenize: str) -> Scores:
    # force: do not warn that text with " ." at its end is already tokenized.
    bleu, chrf = BLEU(lowercase=True, tokenize=tokenize, force=True), CHRF(lowercase=True)
    # A second object, because resampling changes the signature.
    resampled = BLEU(lowercase=True, tokenize=tokenize, force=True)
    return Scores(
        bleu=bleu.corpus_score(hypotheses, [references]).score,
        bleu_margin=resampled.corpus_score(hypotheses, [references], n_bootstrap=RESAMPLES)._ci,
        chrf=chrf.corpus_score(hypotheses, [references]).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )
