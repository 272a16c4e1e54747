from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.classroom.models import TrainedModel, file_name
from core.classroom.training_job import TrainingJob, TrainingProgress
from core.classroom.workspace import Workspace
from core.records import Pair, Translation
from core.training.reading import read_training
from core.training.recipe import PreparedTraining
from pages.components.app.menu import ATTENTION_MAPS, TRANSLATE
from pages.components.train.curves import whose_weights
from pages.components.widgets.model.current_model import describe_current_model
from pages.components.widgets.page.page_links import link_to

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
        link_to(TRANSLATE, "Translate with it")
        link_to(ATTENTION_MAPS, "See its attention")
        st.download_button(
            "Download the checkpoint",
            data=model.to_zip,  # made when somebody wants it
            file_name=f"{file_name(model.name)}.zip",
            mime="application/zip",
            icon=":material/download:",
            on_click="ignore",
        )


def say_what_it_means(job: TrainingJob) -> None:
    """One sentence that reads a training at rest."""
    progress = job.view().progress
    if job.active or not progress.results:
        return
    right = _right(progress)
    text = read_training(progress.epochs, sum(right), len(right))
    if text:
        st.info(text, icon=":material/lightbulb:")


def _right(progress: TrainingProgress) -> list[bool]:
    """Which pairs come out exactly."""
    return _matches(progress.prepared, progress.prepared.pairs, progress.results)


def _matches(
    prepared: PreparedTraining, pairs: Sequence[Pair], translations: Sequence[Translation]
) -> list[bool]:
    tokenizer = prepared.target_tokenizer
    expected = [tokenizer.decode(tokenizer.encode(pair.target)) for pair in pairs]
    return [want == result.text for want, result in zip(expected, translations, strict=True)]


def _show_results(progress: TrainingProgress) -> None:
    prepared = progress.prepared
    right = _right(progress)
    st.subheader(f"{sum(right)} of {len(right)} pairs translated exactly")
    _show_table(prepared.pairs, progress.results, right, "Every training pair with the model's translation")
    st.caption(
        f"The sentences it was trained on, {whose_weights(progress)}. Try others on the Translate page and see how well "
        "it generalizes."
    )
    if progress.held_out_results:
        right = _matches(prepared, prepared.held_out, progress.held_out_results)
        st.subheader(f"{sum(right)} of {len(right)} held-out pairs translated exactly")
        _show_table(
            prepared.held_out, progress.held_out_results, right, "Every held-out pair with its translation"
        )
        st.caption("The model has not learned from these; words that occur only in them are unknown to it.")


def _show_table(
    pairs: Sequence[Pair], translations: Sequence[Translation], right: Sequence[bool], alt: str
) -> None:
    st.dataframe(
        pd.DataFrame(
            {
                "": ["✓" if is_right else "✗" for is_right in right],
                "Source": [pair.source for pair in pairs],
                "Model": [translation.text for translation in translations],
                "Expected": [pair.target for pair in pairs],
            }
        ),
        hide_index=True,
        height="content" if len(pairs) <= ROWS_AT_ONCE else "auto",
        column_config={"": st.column_config.TextColumn(width=30)},
        alt=alt,
    )


def _use(workspace: Workspace, model: TrainedModel) -> None:
    workspace.model = model
