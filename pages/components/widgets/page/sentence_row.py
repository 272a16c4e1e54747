"""Model, text and what is folded, in one row above a translation."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.models import TrainedModel
from core.classroom.workspace import Workspace
from pages.components.widgets.model.model_choice import choose_model
from pages.components.widgets.text_box import ask_source_text, offer_examples

# The figure is what people come for, so all that stands above it is low. On a phone, what stands in a row stays in one:
# two a line.
_LOW = """<style>
[data-testid='stMainBlockContainer'] h1 { font-size: 1.5rem; padding: 0 0 0.4rem; }
[data-testid='stMainBlockContainer'] [data-testid='stVerticalBlock'] { gap: 0.6rem; }
@media (max-width: 640px) {
[class*='st-key-row_'] [data-testid='stColumn'] { min-width: 0 !important; flex: 1 1 44% !important; }
[class*='st-key-row_'] [data-testid='stColumn']:not(:has([data-testid='stElementContainer'], [data-testid='stPopover'])) {
display: none; }
.st-key-row_sentence [data-testid='stForm'] [data-testid='stColumn']:first-child { flex: 1 1 60% !important; }
.st-key-row_sentence [data-testid='stForm'] [data-testid='stColumn']:last-child { flex: 0 0 34% !important; }
.st-key-row_sentence [data-testid='stColumn']:has([data-testid='stPopover']) { flex: 0 0 18% !important; }
.st-key-row_sentence [data-testid='stColumn']:has([data-testid='stForm']) { order: 2; flex-basis: 100% !important; }
}
</style>"""


def show_sentence_row(workspace: Workspace) -> tuple[TrainedModel, str, DeltaGenerator]:
    """The row. Where there is no model, the page's run ends here.

    Returns:
        The model, the text, and where more may be folded away, below the examples.
    """
    st.html(_LOW)
    with control_row("sentence"):
        menu, box, more = st.columns([7, 12, 2], vertical_alignment="bottom")
    model = choose_model(workspace, menu)
    with box:
        text = ask_source_text(model)
    with more:
        folded = st.popover("", icon=":material/tune:", help="Examples, and more choices", width="stretch")
    with folded:
        offer_examples(model)
    return model, text, folded


def control_row(name: str) -> DeltaGenerator:
    """A place for columns of widgets that stay side by side on a phone too.

    Args:
        name: once a page.
    """
    return st.container(key=f"row_{name}")
