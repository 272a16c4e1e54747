from __future__ import annotations

import streamlit as st

from pages.components.lesson.exercise import exercises_are_on
from pages.components.lesson.handout.document import handout_html, handout_name
from pages.components.lesson.plan import LessonPlan


def show_handout_button(plan: LessonPlan) -> None:
    """A button that downloads a lesson's handout."""
    st.download_button(
        "Handout",
        data=lambda: handout_html(
            plan, exercises_are_on()
        ),  # made when somebody wants it, in some milliseconds
        file_name=handout_name(plan),
        mime="text/html",
        icon=":material/print:",
        on_click="ignore",
        help="The whole lesson as one HTML file to open and print: tasks, formulas, figures, exercises with room to "
        "write, and the answers on a page of their own.",
    )
