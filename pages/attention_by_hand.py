import streamlit as st

from pages.components.attention_lessons import LESSONS
from pages.components.attention_views import VIEWS
from pages.components.catalogue import ATTENTION_BY_HAND
from pages.components.lesson import show_lesson, show_title

show_title(
    "Attention by hand",
    "Each word asks a question, every word offers a key, and the answer is a mixture of values.",
)
view = st.segmented_control(
    "Look at",
    list(VIEWS),
    default="numbers",
    required=True,
    format_func=lambda name: VIEWS[name].title,
    key="by_hand",
    bind="query-params",
)
VIEWS[view or "numbers"].show()
show_lesson(LESSONS[view or "numbers"], ATTENTION_BY_HAND)
