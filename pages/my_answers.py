"""My answers: what this visitor has answered first, and what is right; to save or print."""

import streamlit as st

from core.language import _
from core.server.trained_model import file_name
from pages.components.explaining.view import show_title
from pages.components.frame.visit import Visit
from pages.components.lesson.answers import COLUMNS, OwnAnswers, answers_csv, answers_html, own_answers
from pages.components.widgets.download import show_download
from pages.components.widgets.sentence_table import show_sentences
from pages.content.pages import MY_ANSWERS

_MAX_NAME = 80  # characters


@st.fragment
def _offer_files(answers: OwnAnswers) -> None:
    """Offer the answers as files, with a name that is kept nowhere else."""
    typed = st.text_input(
        _("Your name (optional, only for the files)"),
        max_chars=_MAX_NAME,
        live=True,  # a button that is clicked at once has it
        width=420,
    )
    name = " ".join(typed.split())
    with st.container(horizontal=True):
        file = "-".join(filter(None, ("my-answers", file_name(name))))
        show_download(_("Save for a spreadsheet"), lambda: answers_csv(answers, name), f"{file}.csv")
        show_download(_("Save to print"), lambda: answers_html(answers, name), f"{file}.html", icon="print")


def main(visit: Visit) -> None:
    show_title(visit)
    answers = own_answers(visit)
    if not answers.cells:
        st.markdown(MY_ANSWERS.line)
        return
    if answers.score:
        st.markdown(f"# {answers.score}")
    columns = dict(zip(map(_, COLUMNS), zip(*answers.shown, strict=True), strict=True))
    show_sentences(columns, _("My answers"))
    _offer_files(answers)
