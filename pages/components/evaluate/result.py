"""What an evaluation found: each figure with what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.classroom.duration import duration
from core.classroom.jobs.evaluation_job import EvaluationResult
from core.figures.lengths import lengths_figure, lengths_info
from core.figures.score_by_length import score_by_length_figure, score_by_length_info
from pages.components.evaluate.table import show_downloads, show_sentences
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.words import plain

if TYPE_CHECKING:
    from core.evaluation import Evaluation


@dataclass(frozen=True)
class Measure:
    """One figure for people."""

    name: str
    value: float | None  # None where it could not be measured
    form: str  # of the value, for format()
    meaning: str  # one or two sentences
    margin: float = 0.0  # half the width of its confidence interval; 0 where there is none

    @property
    def text(self) -> str:
        """The value as people read it."""
        text = "–" if self.value is None else format(self.value, self.form)
        return f"{text} ± {self.margin:{self.form}}" if self.margin else text


def measures_of(figures: Evaluation) -> list[Measure]:
    """All figures of an evaluation."""
    return [*_of_translations(figures), *_of_tokens(figures)]


def _of_translations(figures: Evaluation) -> list[Measure]:
    """How like the references the translations are."""
    return [
        Measure(
            "BLEU",
            figures.detokenized.bleu,
            ".1f",
            "N-grams of up to four words that translations share with references: 0 to 100, with a 95 % confidence "
            "interval (bootstrap). On detokenized text; case is ignored.",
            figures.detokenized.bleu_margin,
        ),
        Measure(
            "BLEU, normalised",
            figures.normalized.bleu,
            ".1f",
            "The same on lower-cased tokens, with punctuation split off. Tutorials report this one: compare it only "
            "with the same kind.",
            figures.normalized.bleu_margin,
        ),
        Measure(
            "chrF",
            figures.detokenized.chrf,
            ".1f",
            "N-grams of characters, 0 to 100: a wrong ending costs less than a wrong word.",
        ),
        Measure(
            "Length ratio",
            figures.length_ratio,
            ".2f",
            "Tokens in the translations divided by tokens in the references: below 1, translations are too short.",
        ),
    ]


def _of_tokens(figures: Evaluation) -> list[Measure]:
    """How well the model predicts the references, and how fast it writes."""
    return [
        Measure(
            "Loss",
            figures.loss,
            ".3f",
            "Mean cross-entropy per token of the reference, in nats. 0 would be no surprise at all.",
        ),
        Measure(
            "Perplexity",
            figures.perplexity,
            ",.2f",
            "e to the power of the loss: the model is as uncertain as if it chose among this many equally likely "
            "tokens.",
        ),
        Measure(
            "Masked accuracy",
            figures.accuracy,
            ".1%",
            "How often the reference's next token is the model's first choice, with teacher forcing. Padding is "
            "masked: it does not count.",
        ),
        Measure(
            "Tokens per second",
            figures.tokens_per_second,
            ",.0f",
            "Decoding speed on this server, many sentences at once, without compiling.",
        ),
    ]


def show_result(result: EvaluationResult, key: str) -> None:
    """The figures, the histograms and the sentences of one evaluation."""
    figures = result.figures
    st.subheader(plain(result.plan.title), divider="blue")
    st.caption(_about(result))
    if result.plan.note:
        st.info(result.plan.note, icon=":material/info:")
    for row in (_of_translations(figures), _of_tokens(figures)):
        for column, measure in zip(st.columns(4), row, strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(measure.name, measure.text)
                st.caption(measure.meaning)
    with st.expander("How the scores were computed: signatures for a report", icon=":material/fingerprint:"):
        st.code(
            f"BLEU              {figures.detokenized.bleu_signature}\n"
            f"BLEU, normalised  {figures.normalized.bleu_signature}\n"
            f"chrF              {figures.detokenized.chrf_signature}",
            language=None,
        )
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Sentence lengths**, in tokens")
        show_figure(
            lengths_figure(lengths_info(lengths_of(result))),
            alt="Histogram of the lengths of sources, references and translations",
            key=f"lengths_{key}",
        )
    with right:
        st.markdown("**BLEU by sentence length**")
        show_figure(
            score_by_length_figure(score_by_length_info({result.plan.title: result.by_length})),
            alt="BLEU of sentences by the length of the source",
            key=f"by_length_{key}",
        )
    show_sentences(result, key)
    show_downloads(result)


def lengths_of(result: EvaluationResult) -> dict[str, list[int]]:
    """Tokens of each sentence, by side."""
    return {
        "source": [each.source_tokens for each in result.sentences],
        "reference": [each.reference_tokens for each in result.sentences],
        "translation": [each.translation_tokens for each in result.sentences],
    }


def _about(result: EvaluationResult) -> str:
    figures = result.figures
    stopped = f" (of {result.total:,}: it was stopped)" if figures.pairs < result.total else ""
    left_out = (
        f" · {figures.left_out:,} left out: empty or too long for the model" if figures.left_out else ""
    )
    return (
        f"{plain(result.plan.data)} · **{figures.pairs:,}** pairs evaluated{stopped}{left_out} · "
        f"{duration(figures.seconds)}"
    )
