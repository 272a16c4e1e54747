"""Every evaluated sentence, as a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.classroom.evaluation_job import EvaluationResult
from core.classroom.models import file_name
from pages.components.widgets.drawing.tables import ROW_HEIGHT, TEXT_WIDTH, csv_of_table
from pages.components.widgets.remembered import toggle


def show_sentences(result: EvaluationResult) -> None:
    """Source, reference and translation side by side, the worst first on request."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    left.markdown("**Every sentence**, with its own BLEU")
    with right:
        worst = toggle("Worst first", False, key="worst")
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
    st.download_button(
        "Table as CSV",
        csv_of_table(frame_of(result)),
        f"{file_name(f'{result.plan.title} {result.plan.data}')}.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
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
