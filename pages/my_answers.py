"""My answers: what this visitor has answered first, and what is right; to save or print."""

import streamlit as st

from pages.components.explaining.view import show_title
from pages.components.frame.visit import Visit
from pages.components.lesson.answers import answers_csv, answers_html, own_answers
from pages.components.widgets.download import show_download
from pages.components.widgets.sentence_table import show_sentences
from pages.content.pages import MY_ANSWERS

_MAX_NAME = 80  # characters


def main(visit: Visit) -> None:
    show_title(visit)
    answers = own_answers(visit)
    if answers.table.empty:
        st.markdown(MY_ANSWERS.line)
        return
    if answers.score:
        st.markdown(f"# {answers.score}")
    show_sentences({title: list(cells) for title, cells in answers.table.items()}, "My answers")
    typed = st.text_input(
        "Your name",
        max_chars=_MAX_NAME,
        placeholder="If your teacher needs it",
        help="It is written into the files alone.",
        live=True,  # a click on a button may follow at once
        width=420,
    )
    name = " ".join(typed.split())
    with st.container(horizontal=True):
        show_download("Save for a spreadsheet", lambda: answers_csv(answers, name), "my-answers.csv")
        show_download("Save to print", lambda: answers_html(answers, name), "my-answers.html", icon="print")
