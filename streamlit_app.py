"""Transformer Classroom: streamlit run streamlit_app.py."""

import streamlit as st

from pages.components.app.menu import HOME, PAGES, SECTIONS
from pages.components.app.session import remember_tab
from pages.components.app.settings_check import stop_on_wrong_settings
from pages.components.app.workarounds import keep_keras_session, share_memory_arenas
from pages.components.lesson.neighbours import show_neighbours
from pages.components.widgets.memory import begin_page

keep_keras_session()
share_memory_arenas()
st.set_page_config(page_title="Transformer Classroom", page_icon="🎓", layout="wide")
st.html("<style>[data-testid='stMainBlockContainer'] { padding-top: 3.5rem; }</style>")
navigation = st.navigation(
    {
        heading: [
            st.Page(page.file, title=page.title, icon=page.icon, default=page is HOME) for page in pages
        ]
        for heading, pages in SECTIONS.items()
    }
)
stop_on_wrong_settings()
remember_tab()
begin_page(navigation.title)
page = st.container()
# Drawn before the page above it, which may end the run where it has nothing more to show.
show_neighbours(next(entry for entry in PAGES if entry.title == navigation.title))
with page:
    navigation.run()
