"""What the pages under "Look inside" begin with: model and sentence on the page itself, and the translation.

It is one translation for all of them and Translate, and its address is enough to see it again.
"""

from __future__ import annotations

import streamlit as st

from core.classroom.translation_job import Answer
from core.classroom.workspace import Workspace
from pages.components.app.session import require_navigation
from pages.components.widgets.page.heading import show_title
from pages.components.widgets.page.sentence_row import show_sentence_row
from pages.components.widgets.page_answer import answer_or_end
from pages.components.widgets.sentence_choice import choose_sentence, say_stop_added, say_unknown
from pages.components.widgets.settings.decoding_settings import decoding_settings
from pages.components.widgets.text_box import MAX_LINKED_TEXT
from pages.components.widgets.words import first_words, plain

_MAX_SHOWN = 160  # characters of the translation: two lines of a projector's screen


def show_translation(workspace: Workspace, page: str, search_on_page: bool = False) -> Answer:
    """The title, model and text in a row, and the translation below.

    The page's run ends here where there is none: there is no model, the text cannot be translated, or is not yet.

    Args:
        workspace: of the person.
        page: its address.
        search_on_page: whether the search is chosen on the page itself, not behind a button.

    Returns:
        The translation, with one sentence of it explained.
    """
    require_navigation()
    show_title(page)
    model, text, folded = show_sentence_row(workspace)
    if search_on_page:
        decoding = decoding_settings()
    else:
        with folded:
            decoding = decoding_settings(may_fold=False)
    answer = answer_or_end(workspace, model, text, decoding, MAX_LINKED_TEXT)
    translation = choose_sentence(workspace, answer, shown=False)
    shown = plain(first_words(translation.text, _MAX_SHOWN))
    st.markdown(f"→ **{shown or '(an empty translation: the model ends immediately)'}**")
    say_stop_added(translation)
    say_unknown(translation)
    assert workspace.answer is not None  # which choose_sentence may have turned to another sentence
    return workspace.answer
