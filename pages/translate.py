import streamlit as st

from pages.components.app.content import PAGE_TEXTS
from pages.components.app.menu import ATTENTION_MAPS
from pages.components.app.navigation import end_page
from pages.components.app.session import current_workspace
from pages.components.lesson.exercise import offer_exercise
from pages.components.translate.answer import show_answer
from pages.components.translate.many_lines import show_many_lines
from pages.components.widgets.model.current_model import facts_of
from pages.components.widgets.model.model_choice import choose_model, offer_training
from pages.components.widgets.page.heading import show_heading
from pages.components.widgets.page.page_links import link_to
from pages.components.widgets.page.sentence_row import show_sentence_row
from pages.components.widgets.page_answer import answer_or_end
from pages.components.widgets.remembered import choose
from pages.components.widgets.settings.decoding_settings import decoding_settings

workspace = current_workspace()

show_heading("translate")
sentence_row = st.container()  # above the choice of what stands in it
first, second = st.columns([2, 7], vertical_alignment="bottom")
with first:
    mode = choose(
        "Input",
        {"text": "Single", "lines": "Batch"},
        key="mode",
        help="A batch holds many texts, one per line.",
    )
with second:
    decoding = decoding_settings()
if mode == "lines":
    show_many_lines(workspace, choose_model(workspace, sentence_row), decoding)
    end_page()

with sentence_row:
    model, text, folded = show_sentence_row(workspace)
with folded:
    offer_training(workspace)
    st.caption(facts_of(model))
show_answer(workspace, answer_or_end(workspace, model, text, decoding))
link_to(ATTENTION_MAPS, "See the attention weights")
offer_exercise(PAGE_TEXTS["translate"].views["text"].exercise)
