"""The answer that a page is about, or why there is none."""

from __future__ import annotations

import streamlit as st

from core.classroom.models import TrainedModel
from core.classroom.translation_job import Answer
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from pages.components.app.navigation import end_page
from pages.components.app.text_limits import TextError
from pages.components.app.translating import answer_of
from pages.components.widgets.live_translation import show_live_translation
from pages.components.widgets.words import plain


def answer_or_end(
    workspace: Workspace,
    model: TrainedModel,
    text: str,
    decoding: DecodingConfig,
    max_characters: int | None = None,
) -> Answer:
    """Translate a text, show how far it is while it lasts, and explain one sentence of it.

    The page's run ends here where the text cannot be translated, or is not yet.

    Args:
        workspace: of the person.
        model: translates.
        text: of one sentence or several.
        decoding: how to search.
        max_characters: that this page takes; None: as many as any page.
    """
    try:
        if max_characters is not None and len(text) > max_characters:
            raise TextError(
                f"The text has {len(text):,} characters; this page takes at most {max_characters:,}. Shorten it."
            )
        answer = answer_of(workspace, model, text, decoding)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
        end_page()
    if workspace.translation is not None and (answer is None or answer.whole.left):
        show_live_translation(workspace.translation)
    if answer is None:
        end_page()
    return answer
