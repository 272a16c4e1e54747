import streamlit as st

from pages.components.app.navigation import end_page
from pages.components.app.session import current_workspace
from pages.components.decoding.choice import choose_part, hide_labels
from pages.components.decoding.lesson import lesson_for
from pages.components.decoding.said import current_beginning, show_said
from pages.components.decoding.samples import show_samples
from pages.components.decoding.steps import show_writing
from pages.components.decoding.tree import show_tree
from pages.components.decoding.written import most_tokens, written_from
from pages.components.lesson.explanation import show_lesson
from pages.components.widgets.look_inside import show_translation
from pages.components.widgets.words import plain

hide_labels()
answer = show_translation(current_workspace(), "Decoding step by step", search_on_page=True)
beginning = current_beginning(answer, most_tokens(answer))
try:
    written = written_from(answer, beginning)
    part = choose_part(answer.decoding)
    if part != "steps":
        show_said(beginning, answer.model.checkpoint.target_tokenizer)
    if part == "samples":
        show_samples(written.hypotheses)
    elif part == "tree" and written.tree is not None:
        show_tree(answer, written.tree)
    else:
        show_writing(answer, written.hypotheses[0], beginning)
except ValueError as error:
    st.error(plain(str(error)), icon=":material/error:")
    end_page()
show_lesson(lesson_for(answer.decoding))
