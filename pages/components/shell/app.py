"""What runs when a page is opened or a widget is used: menu, class code, lesson, room, and the page in the middle.

The script of the app's `st.App`. Beside it is no folder `pages`, which Streamlit would take for its older kind of app.
"""

from dataclasses import replace

import streamlit as st

from core import __version__
from pages.components.frame.class_code import require_class_code
from pages.components.frame.language import begin_language
from pages.components.frame.menu import (
    MENU_WIDTH,
    run_page,
    show_menu,
    stop_if_page_disabled,
    stop_on_invalid_settings,
)
from pages.components.frame.presenter_switch import show_presenter_switch
from pages.components.frame.presenting import draw_bar
from pages.components.frame.serving import has_app
from pages.components.frame.session import restore_workspace
from pages.components.frame.visit import begin_visit
from pages.components.lesson.lessons import (
    is_question_answered,
    show_lesson_bar,
    show_missing_model,
    show_page_footer,
    show_question_after,
)
from pages.components.room.bar import follow_class, show_room
from pages.components.room.screen import show_screen
from pages.components.shell.door import prepare_process
from pages.components.shell.files import page_parts
from pages.components.widgets.state import noting_choices


def show_app() -> None:
    """Draw the whole app once, as each run does."""
    st.set_page_config(
        page_title="Transformer Classroom",
        page_icon="🎓",
        layout="wide",
        initial_sidebar_state=MENU_WIDTH,
        menu_items={"About": f"**Transformer Classroom** {__version__}"},
    )
    if not has_app():
        prepare_process()
        st.html(page_parts(), unsafe_allow_javascript=True)
    stop_on_invalid_settings()
    begin_language()
    page = show_menu()
    require_class_code()
    workspace = restore_workspace()
    stop_if_page_disabled(page)
    visit = begin_visit(page, workspace)
    follow_class(visit)
    show_presenter_switch(visit)  # reads presenter mode from the address, for all that follows
    is_ready = show_lesson_bar(visit)
    show_room(visit)  # the page asks what the class is asked here
    visit = replace(visit, bar=draw_bar())
    place = st.container()
    # Drawn before the page above it, which may take long or be stopped.
    show_page_footer(visit)
    with place:
        if visit.seat is not None and visit.seat.shows != "page":
            show_screen(visit.seat)
        elif not is_ready:
            show_missing_model(visit)
        elif is_question_answered(visit):
            with noting_choices(page.address):
                run_page(visit)
            show_question_after(visit)


if __name__ == "__main__":
    show_app()
