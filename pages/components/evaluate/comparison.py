"""Two evaluations side by side."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.classroom.evaluation_job import EvaluationResult
from pages.components.evaluate.measures import measures_of
from pages.components.widgets.drawing.tables import ROW_HEIGHT, TEXT_WIDTH
from pages.components.widgets.words import plain


def show_comparison(before: EvaluationResult, after: EvaluationResult) -> None:
    """The figures of both with their differences, and where the translations differ."""
    st.subheader("Side by side", divider="blue")
    st.markdown(f"**A:** {plain(before.plan.title)} on {plain(before.plan.data)}")
    st.markdown(f"**B:** {plain(after.plan.title)} on {plain(after.plan.data)}")
    if before.plan.data != after.plan.data or before.figures.pairs != after.figures.pairs:
        st.warning("They were evaluated on different pairs, so their scores cannot be compared fairly.")
    st.table(measures_frame(before, after))
    _show_differences(differences(before, after))


def measures_frame(before: EvaluationResult, after: EvaluationResult) -> pd.DataFrame:
    """Each figure of both, and B less A."""
    rows = {}
    for a, b in zip(measures_of(before.figures), measures_of(after.figures), strict=True):
        known = a.value is not None and b.value is not None
        difference = (b.value or 0.0) - (a.value or 0.0)
        rows[a.name] = {"A": a.text, "B": b.text, "B − A": format(difference, f"+{a.form}") if known else ""}
    return pd.DataFrame(rows).T


def differences(before: EvaluationResult, after: EvaluationResult) -> pd.DataFrame:
    """The sentences both have whose translations differ, the largest difference of BLEU first."""
    seen = {(each.number, each.source): each for each in before.sentences}
    both = [(seen[key], each) for each in after.sentences if (key := (each.number, each.source)) in seen]
    different = [(a, b) for a, b in both if a.translation != b.translation]
    different.sort(key=lambda pair: -abs(pair[1].bleu - pair[0].bleu))
    frame = pd.DataFrame(
        {
            "BLEU of A": [a.bleu for a, _ in different],
            "BLEU of B": [b.bleu for _, b in different],
            "A": [a.translation for a, _ in different],
            "B": [b.translation for _, b in different],
            "Reference": [a.reference for a, _ in different],
            "Source": [a.source for a, _ in different],
        }
    )
    frame.attrs["common"] = len(both)
    return frame


def _show_differences(frame: pd.DataFrame) -> None:
    common = frame.attrs["common"]
    if not common:
        st.caption("They have no sentence in common.")
        return
    st.markdown(f"**{len(frame):,} of {common:,} sentences in common are translated differently**")
    st.dataframe(
        frame,
        hide_index=True,
        row_height=ROW_HEIGHT,
        column_config={
            **{
                name: st.column_config.NumberColumn(format="%.1f", width=90)
                for name in ("BLEU of A", "BLEU of B")
            },
            **{
                name: st.column_config.TextColumn(width=TEXT_WIDTH)
                for name in ("A", "B", "Reference", "Source")
            },
        },
        alt="Sentences that the two translate differently, with both translations",
    )
