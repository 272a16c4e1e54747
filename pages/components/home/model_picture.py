from __future__ import annotations

import streamlit as st

from core.classroom.models import TrainedModel
from core.figures.architecture import architecture_svg
from core.presets import CLASSROOM
from pages.components.widgets.drawing.svg import ON_ONE_SCREEN, show_svg
from pages.components.widgets.words import plain


def show_model_picture(model: TrainedModel | None) -> None:
    """The parts of the current model; before there is one, those of the model that the first button trains."""
    if model is None:
        name, config, source, target = "The classroom model", CLASSROOM.model, "French", "English"
    else:
        name, config = plain(model.name), model.checkpoint.config
        source, target = model.source_language or "Source", model.target_language or "Target"
    show_svg(ON_ONE_SCREEN + architecture_svg(config, (source, target)))
    st.caption(f"{name}, {config.norm}-norm. ⊕ adds the residual connection.", text_alignment="center")
