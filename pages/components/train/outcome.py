from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.classroom.jobs.training_job import TrainingProgress
from core.classroom.names import file_name
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from core.records import Pair
from pages.components.app.menu import ATTENTION_MAPS, TRANSLATE
from pages.components.widgets.current_model import describe_current_model
from pages.components.widgets.tables import ROW_HEIGHT, TEXT_WIDTH

ROWS_AT_ONCE = 20  # of the results, before the table scrolls


def show_outcome(workspace: Workspace) -> None:
    """What came of the training: every pair, right or wrong, and what to do next."""
    job = workspace.job
    view = job.view() if job else None
    if view is not None and view.active:
        return
    if view is not None and view.progress.results:
        _show_results(view.progress)
    model = workspace.trained or workspace.model
    if model is None or model.shipped:
        return
    describe_current_model(workspace)
    with st.container(horizontal=True):
        if model is not workspace.model:
            st.button("Use this model", icon=":material/check:", on_click=_use, args=(workspace, model))
        st.page_link(TRANSLATE.file, label="Translate with it", icon=TRANSLATE.icon)
        st.page_link(ATTENTION_MAPS.file, label="See its attention", icon=ATTENTION_MAPS.icon)
        st.download_button(
            "Download the checkpoint",
            data=model.to_zip,  # made when somebody wants it
            file_name=f"{file_name(model.name)}.zip",
            mime="application/zip",
            icon=":material/download:",
            on_click="ignore",
        )


def _show_results(progress: TrainingProgress) -> None:
    prepared = progress.prepared
    assert prepared is not None  # its pairs have been translated
    tokenizer, pairs = prepared.target_tokenizer, prepared.pairs
    expected = [tokenizer.decode(tokenizer.encode(pair.target)) for pair in pairs]
    translations = [result.text for result in progress.results]
    right = [want == got for want, got in zip(expected, translations, strict=True)]
    if len(prepared.encoded) > len(pairs):
        _show_some(pairs, translations, [tokenizer.detokenized(pair.target) for pair in pairs])
        return
    st.subheader(f"{sum(right)} of {len(right)} pairs translated exactly")
    st.dataframe(
        pd.DataFrame(
            {
                "": ["✓" if is_right else "✗" for is_right in right],
                "Source": [pair.source for pair in pairs],
                "Model": translations,
                "Expected": [pair.target for pair in pairs],
            }
        ),
        hide_index=True,
        height="content" if len(pairs) <= ROWS_AT_ONCE else "auto",
        column_config={"": st.column_config.TextColumn(width=30)},
        alt="Every training pair with the model's translation",
    )
    st.caption(
        "These are the sentences it was trained on: with fifteen of them a model learns by heart. "
        "Try others on the Translate page and see how far that carries."
    )


def _show_some(pairs: Sequence[Pair], translations: Sequence[str], references: Sequence[str]) -> None:
    """A few pairs of a large corpus: there, nobody expects the reference's very words."""
    st.subheader(f"What it makes of the first {len(pairs)} pairs")
    st.dataframe(
        pd.DataFrame(
            {"Source": [pair.source for pair in pairs], "Model": translations, "Reference": references},
        ),
        hide_index=True,
        height=460,
        row_height=ROW_HEIGHT,
        column_config={
            name: st.column_config.TextColumn(width=TEXT_WIDTH) for name in ("Source", "Model", "Reference")
        },
        alt="The first training pairs with the model's translations",
    )
    st.caption("It has learnt from these among many thousands. The Evaluate page measures it on others.")


def _use(workspace: Workspace, model: TrainedModel) -> None:
    workspace.model = model
