from __future__ import annotations

import streamlit as st

from core.classroom.answers import Answer
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from pages.components.app.menu import TRANSLATE
from pages.components.app.translating import answer_of
from pages.components.widgets.live_translation import show_live_translation
from pages.components.widgets.words import plain


def last_answer(workspace: Workspace, model: TrainedModel) -> Answer | None:
    """The model's last translation, or that of its first example; None where the page says why there is none."""
    last, example = workspace.answer, model.first_example
    if last is not None and last.model is model:
        text, decoding = last.text, last.decoding
    elif example is not None:
        text, decoding = example.source, DecodingConfig()
    else:
        st.info("There is no translation yet.", icon=TRANSLATE.icon)
        st.page_link(TRANSLATE.file, label="Translate a sentence", icon=TRANSLATE.icon)
        return None
    try:
        answer = answer_of(workspace, model, text, decoding)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None
    if answer is None and workspace.translation is not None:
        show_live_translation(workspace.translation)
    return answer
