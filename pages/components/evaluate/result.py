"""What an evaluation found: each figure with what it means."""

from __future__ import annotations

import streamlit as st

from core.classroom.duration import duration
from core.classroom.jobs.evaluation_job import EvaluationResult
from core.figures.lengths import lengths_figure, lengths_info
from core.figures.score_by_length import score_by_length_figure, score_by_length_info
from pages.components.evaluate.measures import token_measures, translation_measures
from pages.components.evaluate.table import show_downloads, show_sentences
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.words import plain


def show_result(result: EvaluationResult, key: str) -> None:
    """The figures, the histograms and the sentences of one evaluation."""
    figures = result.figures
    st.subheader(plain(result.plan.title), divider="blue")
    st.caption(_about(result))
    if result.plan.note:
        st.info(result.plan.note, icon=":material/info:")
    for row in (translation_measures(figures), token_measures(figures)):
        for column, measure in zip(st.columns(4), row, strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(measure.name, measure.text)
                st.caption(measure.meaning)
    with st.expander("How the scores were computed: signatures for a report", icon=":material/fingerprint:"):
        st.code(
            f"BLEU              {figures.detokenized.bleu_signature}\n"
            f"BLEU, normalized  {figures.normalized.bleu_signature}\n"
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
