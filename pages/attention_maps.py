from collections.abc import Callable
from typing import Any

import streamlit as st

from core.figures.attention_drawings import CAVEAT
from core.interpretability.attention_view import alignment_options, read_attention
from core.interpretability.heads import head_facts
from core.interpretability.norms import transformed_norms
from core.interpretability.rollout import rollout
from core.interpretability.words import attention_links
from core.theory.attention import scaled_dot_product_attention
from pages.components.app.content import PAGE_TEXTS
from pages.components.app.menu import INSIDE
from pages.components.app.navigation import end_page
from pages.components.app.session import current_workspace
from pages.components.app.translating import norms_of
from pages.components.attention_maps.compare import try_to_compare
from pages.components.attention_maps.facts import show_facts
from pages.components.attention_maps.film import film_of, show_film
from pages.components.attention_maps.map_choice import choose_map
from pages.components.attention_maps.take_away import show_take_away
from pages.components.attention_maps.views import (
    is_empty,
    show_alignment,
    show_head,
    show_lines,
    show_overview,
)
from pages.components.lesson.explanation import show_lesson
from pages.components.widgets.look_inside import show_translation
from pages.components.widgets.page.page_links import link_to
from pages.components.widgets.words import plain

_SHOW = {"overview": show_overview, "head": show_head, "lines": show_lines, "words": show_alignment}
_CODE: dict[str, Callable[..., Any]] = {
    "overview": scaled_dot_product_attention,
    "norms": transformed_norms,
    "rollout": rollout,
    "words": attention_links,
    "facts": head_facts,
}

workspace = current_workspace()
answer = show_translation(workspace, "attention_maps")
record = answer.sentence.attention
if record is None:
    end_page()
film = film_of(workspace, answer.model)
choice = choose_map(record, has_film=bool(film))
reading = alignment_options(choice.reading) if choice.view == "words" else choice.reading
try:
    norms = norms_of(workspace, answer) if reading.measure == "norms" else None
except ValueError as error:
    st.error(plain(str(error)), icon=":material/error:")
    end_page()
view = read_attention(record, reading, norms)
if choice.view == "facts":
    show_facts(record, choice)
elif choice.view == "film":
    show_film(workspace, film, choice)
elif choice.view == "compare":
    try_to_compare(workspace, answer, view, choice)
elif not is_empty(view):
    _SHOW[choice.view](view, choice)
st.caption(
    f"{CAVEAT} Later layers attend to vectors that are already mixtures, so read a map as a trace, not as an "
    "explanation."
)
link_to(INSIDE, "How faithful is attention? Test it on this sentence")
if choice.view not in ("facts", "film") and view.rows and view.columns:
    show_take_away(view, answer, choice)
measure = choice.reading.measure
taught = "overview"
if measure == "rollout" and choice.view != "words":
    taught = "rollout"
elif choice.view in ("words", "facts"):
    taught = choice.view
elif measure == "norms":
    taught = "norms"
show_lesson(PAGE_TEXTS["attention_maps"].views[taught], (_CODE[taught],))
