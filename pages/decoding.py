from collections.abc import Callable
from typing import Any

import streamlit as st

from core.inference.search import beam_search, greedy_search, kept_probabilities
from pages.components.app.content import PAGE_TEXTS
from pages.components.app.navigation import end_page
from pages.components.app.session import current_workspace
from pages.components.decoding.choice import choose_part, hide_labels
from pages.components.decoding.said import current_beginning, show_said
from pages.components.decoding.samples import show_samples
from pages.components.decoding.steps import show_writing
from pages.components.decoding.tree import show_tree
from pages.components.decoding.written import most_tokens, written_from
from pages.components.lesson.explanation import show_lesson
from pages.components.widgets.look_inside import show_translation
from pages.components.widgets.words import plain

_SEARCHES: dict[str, Callable[..., Any]] = {
    "greedy": greedy_search,
    "beam": beam_search,
    "sample": kept_probabilities,
}

hide_labels()
answer = show_translation(current_workspace(), "decoding", search_on_page=True)
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
kind = "sample" if answer.decoding.samples else "beam" if answer.decoding.beam_size > 1 else "greedy"
show_lesson(PAGE_TEXTS["decoding"].views[kind], (_SEARCHES[kind],))
