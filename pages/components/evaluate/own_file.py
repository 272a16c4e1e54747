"""A person's own pairs to evaluate on."""

from __future__ import annotations

import streamlit as st

from core.classroom.models import TrainedModel
from core.classroom.settings import server_settings
from core.classroom.workspace import OwnPairs, Workspace
from core.corpora.corpus import CorpusError
from core.corpora.delimited import read_pairs
from pages.components.widgets.memory import sent_value
from pages.components.widgets.pairs_file import MAX_PAIRS_BYTES, ask_pairs_file
from pages.components.widgets.words import plain

_PROBLEM = "evaluation_pairs_problem"
_FILE = "evaluation_pairs_file"


def ask_own_pairs(workspace: Workspace, model: TrainedModel) -> OwnPairs | None:
    """Ask for a file, or the model's own examples; the pairs, or None while there are none."""
    most = server_settings().max_evaluated
    label = f"Your pairs: CSV, TSV or tab-separated text with two columns, at most {most:,} rows"
    ask_pairs_file(label, _FILE, _read_file, workspace)
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem, icon=":material/error:")
    elif workspace.own_pairs is not None:
        st.caption(
            f"{plain(workspace.own_pairs.name)}: {len(workspace.own_pairs.pairs):,} "
            f"pair{'s' if len(workspace.own_pairs.pairs) > 1 else ''}, used in full."
        )
    examples = model.checkpoint.examples
    is_taken = workspace.own_pairs is not None and workspace.own_pairs.pairs == examples
    if examples and not is_taken:
        st.button(
            f"Use this model's examples ({len(examples)})",
            icon=":material/playlist_add:",
            on_click=_take_examples,
            args=(workspace, model),
            help="Enough to see what is measured, too few for a score that says much.",
        )
    return workspace.own_pairs


def _take_examples(workspace: Workspace, model: TrainedModel) -> None:
    st.session_state[_PROBLEM] = None
    workspace.own_pairs = OwnPairs(f"Examples of {model.name}", model.checkpoint.examples)


def _read_file(workspace: Workspace) -> None:
    file = sent_value(_FILE)
    st.session_state[_PROBLEM] = None
    if file is None:
        return
    workspace.own_pairs = None
    try:
        pairs = read_pairs(file.getvalue(), file.name, server_settings().max_evaluated, MAX_PAIRS_BYTES)
        workspace.own_pairs = OwnPairs(file.name, tuple(pairs))
    except CorpusError as error:
        st.session_state[_PROBLEM] = plain(str(error)).replace("\n", "  \n")
