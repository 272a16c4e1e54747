import streamlit as st

from pages.components.catalogue import POSITIONAL_ENCODING
from pages.components.lesson import show_lesson, show_title
from pages.components.position_lessons import LESSONS
from pages.components.position_views import VIEWS

show_title(
    "Positional encoding",
    "Attention sees a bag of words. To tell it where each word stands, we add waves to the words.",
)
view = st.segmented_control(
    "Look at",
    list(VIEWS),
    default="heatmap",
    required=True,
    format_func=lambda name: VIEWS[name].title,
    key="positions",
    bind="query-params",
)
VIEWS[view or "heatmap"].show()
show_lesson(LESSONS[view or "heatmap"], POSITIONAL_ENCODING)
