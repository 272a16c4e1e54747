from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.components.catalogue import ATTENTION_MAPS, TRANSLATE
from pages.components.current_model import describe_current_model
from pages.components.training_job import JobView, Status, TrainingJob
from pages.components.words import plain
from pages.components.workspace import Workspace

ROWS_AT_ONCE = 20  # of the results, before the table scrolls


def show_outcome(mine: Workspace) -> None:
    """What came of the training: every pair, right or wrong, and what to do next."""
    job = mine.job
    view = job.view() if job else None
    if view is not None and view.active:
        return
    if view is not None and view.message:
        show = st.error if view.status is Status.FAILED else st.info
        show(plain(view.message), icon=":material/info:")
    if job is not None and view is not None and view.results:
        _show_results(job, view)
    if mine.model is None:
        return
    describe_current_model(mine)
    with st.container(horizontal=True):
        st.page_link(TRANSLATE.file, label="Translate with it", icon=TRANSLATE.icon)
        st.page_link(ATTENTION_MAPS.file, label="See its attention", icon=ATTENTION_MAPS.icon)
        st.download_button(
            "Download the checkpoint",
            data=mine.model.checkpoint.to_zip,  # made when somebody wants it
            file_name=f"{_file_name(mine.model.name)}.zip",
            mime="application/zip",
            icon=":material/download:",
            on_click="ignore",
        )


def _show_results(job: TrainingJob, view: JobView) -> None:
    tokenizer = job.prepared.target_tokenizer
    pairs = job.prepared.pairs
    expected = [tokenizer.decode(tokenizer.encode(pair.target)) for pair in pairs]
    said = [result.text for result in view.results]
    right = [want == got for want, got in zip(expected, said, strict=True)]
    st.subheader(f"{sum(right)} of {len(right)} pairs translated exactly")
    st.dataframe(
        pd.DataFrame(
            {
                "": ["✓" if is_right else "✗" for is_right in right],
                "Source": [pair.source for pair in pairs],
                "Model": said,
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


def _file_name(name: str) -> str:
    """A name every file system takes."""
    words = "".join(character if character.isalnum() else " " for character in name.lower()).split()
    return "-".join(words)
