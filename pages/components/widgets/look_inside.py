"""What the pages under "Look inside" begin with: model and sentence on the page itself, and the translation.

It is one translation for all of them and Translate, and its address is enough to see it again.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.answers import Answer
from core.classroom.settings import server_settings
from core.classroom.workspace import Workspace
from pages.components.app.models import prepare_inside
from pages.components.app.session import require_navigation
from pages.components.widgets.address import take_misread
from pages.components.widgets.drawing.palette import choose_palette
from pages.components.widgets.model.model_choice import choose_model_in_row
from pages.components.widgets.page.heading import show_title
from pages.components.widgets.page_answer import answer_or_stop
from pages.components.widgets.sentence_choice import choose_sentence, say_stop_added
from pages.components.widgets.settings.decoding_settings import decoding_settings
from pages.components.widgets.text_box import ask_source_text, offer_examples
from pages.components.widgets.words import first_words, plain

# The figure is what people come for, so all that stands above it is low. Where the menu is closed, Streamlit's header
# lies over the top of the page. On a phone, what stands in a row stays in one: two a line.
_LOW = """<style>
[data-testid='stMainBlockContainer'] h1 { font-size: 1.5rem; padding: 0 0 0.4rem; }
[data-testid='stMainBlockContainer'] [data-testid='stVerticalBlock'] { gap: 0.6rem; }
@media (min-width: 800px) {
.stApp:has([data-testid='stSidebar'][aria-expanded='true']) [data-testid='stMainBlockContainer'] { padding-top: 2rem; }
}
@media (max-width: 640px) {
[class*='st-key-row_'] [data-testid='stColumn'] { min-width: 0 !important; flex: 1 1 44% !important; }
[class*='st-key-row_'] [data-testid='stColumn']:not(:has([data-testid='stElementContainer'], [data-testid='stPopover'])) {
display: none; }
.st-key-row_sentence [data-testid='stForm'] [data-testid='stColumn']:first-child { flex: 1 1 60% !important; }
.st-key-row_sentence [data-testid='stForm'] [data-testid='stColumn']:last-child { flex: 0 0 34% !important; }
.st-key-row_sentence [data-testid='stColumn']:has([data-testid='stForm']) { order: 2; flex-basis: 100% !important; }
}
</style>"""


_MAX_SHOWN = 160  # characters of the translation: two lines of a projector's screen


def show_translation(workspace: Workspace, title: str, search_on_page: bool = False) -> Answer:
    """The title, model and text in a row, and the translation below.

    The page's run ends here where there is none: there is no model, the text cannot be translated, or is not yet.

    Args:
        workspace: of the person.
        title: of the page.
        search_on_page: whether the search is chosen on the page itself, not behind a button.

    Returns:
        The translation, with one sentence of it explained.
    """
    require_navigation()
    st.html(_LOW)
    show_title(title)
    with control_row("sentence"):
        menu, box, more = st.columns([5, 14, 2], vertical_alignment="bottom")
    model = choose_model_in_row(workspace, menu)
    with box:
        text = ask_source_text(model)
    hint = "Examples, colours, and how to search"
    with more, st.popover("", icon=":material/tune:", help=hint, width="stretch"):
        offer_examples(model)
        choose_palette()
        if not search_on_page:
            decoding = decoding_settings(may_fold=False)
    if search_on_page:
        decoding = decoding_settings()
    answer = answer_or_stop(workspace, model, text, decoding, server_settings().max_linked_text)
    prepare_inside(model)
    translation = choose_sentence(workspace, answer, shown=False)
    shown = plain(first_words(translation.text, _MAX_SHOWN))
    st.markdown(f"→ **{shown or '(an empty translation: the model ends at once)'}**")
    say_stop_added(translation)
    assert workspace.answer is not None  # which choose_sentence may have turned to another sentence
    return workspace.answer


def control_row(name: str) -> DeltaGenerator:
    """A place for columns of widgets that stay side by side on a phone too.

    Args:
        name: once a page.
    """
    return st.container(key=f"row_{name}")


def say_misread() -> None:
    """Say what a link asked for that is not here. Called after the widgets that read the address."""
    if misread := take_misread():
        asked = ", ".join(f"{name} “{plain(first_words(text))}”" for name, text in misread.items())
        st.warning(
            f"The link asks for something that this page does not have: {asked}. It shows the default instead.",
            icon=":material/link_off:",
        )
