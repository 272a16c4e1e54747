from __future__ import annotations

import streamlit as st

from core.classroom.models import TrainedModel
from core.classroom.workspace import Workspace
from core.weights import parameter_count
from pages.components.app.models import shipped_models
from pages.components.widgets.words import plain


def current_model(workspace: Workspace) -> TrainedModel | None:
    """The chosen model; the first shipped one where nobody has chosen; None where there is none at all."""
    return workspace.model or next(iter(shipped_models()), None)


def describe_current_model(workspace: Workspace) -> None:
    """One line: which model translates at the moment."""
    model = current_model(workspace)
    if workspace.training:
        st.caption(":material/hourglass_top: A model is learning. See the Train page.")
    if model is None:
        st.caption(":material/info: Current model: none yet.")
    else:
        st.caption(f":material/check_circle: Current model: **{plain(model.name)}** · {facts_of(model)}")


def facts_of(model: TrainedModel) -> str:
    """A model's languages and size, in Markdown."""
    config = model.checkpoint.config
    facts = [
        f"{parameter_count(config):,} parameters",
        f"{config.num_layers} layer{'s' if config.num_layers > 1 else ''}",
        f"{config.num_heads} head{'s' if config.num_heads > 1 else ''}",
    ]
    return " · ".join(([languages_of(model)] if languages_of(model) else []) + facts)


def languages_of(model: TrainedModel) -> str:
    """Like "Portuguese → English"; empty where the checkpoint does not say."""
    if not model.source_language or not model.target_language:
        return ""
    return f"{model.source_language} → {model.target_language}"
