"""Every evaluated sentence, as a table and as files."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from core.classroom.jobs.evaluation_job import EvaluationResult
from pages.components.widgets.drawing.tables import ROW_HEIGHT, TEXT_WIDTH, csv_of_table
from pages.components.widgets.remembered import toggle


def show_sentences(result: EvaluationResult, key: str) -> None:
    """Source, reference and translation side by side, the worst first on request."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    left.markdown("**Every sentence**, with its own BLEU")
    with right:
        worst = toggle("Worst first", False, key=f"worst_{key}", address="worst")
    frame = frame_of(result)
    if worst:
        frame = frame.sort_values("BLEU", kind="stable")
    st.dataframe(
        frame,
        hide_index=True,
        height=460,
        row_height=ROW_HEIGHT,
        column_config={
            "number": st.column_config.NumberColumn("Pair", width=60),
            "BLEU": st.column_config.NumberColumn(format="%.1f", width=70),
            "source": st.column_config.TextColumn("Source", width=TEXT_WIDTH),
            "reference": st.column_config.TextColumn("Reference", width=TEXT_WIDTH),
            "translation": st.column_config.TextColumn("Translation", width=TEXT_WIDTH),
        },
        alt="Each sentence with its reference, its translation and its BLEU",
    )
    st.caption(
        "Press a column heading to sort by it. Sentence BLEU is for finding interesting sentences: a good translation "
        "that is worded differently from the reference scores low."
    )


def show_downloads(result: EvaluationResult) -> None:
    """The files with which somebody can check the scores by hand."""
    with st.container(horizontal=True):
        _download("Translations", translations_text(result), f"{result.slug}-translations.txt", "text/plain")
        _download("References", references_text(result), f"{result.slug}-references.txt", "text/plain")
        csv = csv_of_table(frame_of(result))
        _download("Table as CSV", csv, f"{result.slug}.csv", "text/csv")
        figures = json.dumps(result.figures.to_dict(), indent=2).encode()
        _download("Scores as JSON", figures, f"{result.slug}.json", "application/json")
    st.caption("To compute BLEU and chrF yourself from the two text files, after pip install sacrebleu:")
    st.code(
        f"sacrebleu {result.slug}-references.txt -i {result.slug}-translations.txt -m bleu chrf -lc --chrf-lowercase",
        language="bash",
        wrap_lines=True,
    )


def frame_of(result: EvaluationResult) -> pd.DataFrame:
    """The table; pairs count from 1."""
    return pd.DataFrame(
        {
            "number": [each.number + 1 for each in result.sentences],
            "BLEU": [each.bleu for each in result.sentences],
            "source": [each.source for each in result.sentences],
            "reference": [each.reference for each in result.sentences],
            "translation": [each.translation for each in result.sentences],
        }
    )


def translations_text(result: EvaluationResult) -> bytes:
    """One translation a line."""
    return "".join(f"{each.translation}\n" for each in result.sentences).encode()


def references_text(result: EvaluationResult) -> bytes:
    """One reference a line."""
    return "".join(f"{each.reference}\n" for each in result.sentences).encode()


def _download(label: str, data: bytes, name: str, mime: str) -> None:
    st.download_button(
        label, data=data, file_name=name, mime=mime, icon=":material/download:", on_click="ignore"
    )
