"""Transformer Classroom: streamlit run streamlit_app.py."""

import os

# Read when NumPy is imported. On busy cores its threads wait for each other: a product takes 2 to 4 times the work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st

from pages.components.app.browser_history import keep_one_entry_a_page
from pages.components.app.doors import stop_at_door
from pages.components.app.layout import MENU_WIDTH, apply_layout
from pages.components.app.navigation import run_page, show_menu, stop_on_left_out
from pages.components.app.session import remember_tab
from pages.components.app.settings_check import stop_on_wrong_settings
from pages.components.app.workarounds import keep_keras_session
from pages.components.lesson.followed import show_foot, show_strip
from pages.components.widgets.address import begin_page
from pages.components.widgets.page.misread import say_misread
from pages.components.widgets.page.presenting import show_presenter_foot, show_presenter_switch

keep_keras_session()
st.set_page_config(
    page_title="Transformer Classroom",
    page_icon="🎓",
    layout="wide",
    initial_sidebar_state="collapsed" if st.context.is_embedded else MENU_WIDTH,  # a frame is for one view
)
apply_layout()
keep_one_entry_a_page()
stop_on_wrong_settings()
navigation, entry = show_menu()
stop_at_door()
remember_tab()
stop_on_left_out(entry)
begin_page(navigation.title)
show_presenter_switch(entry)
show_strip(entry)
notes, page = st.container(), st.container()
# Drawn before the page above it, which may take long or be stopped.
show_foot(entry)
show_presenter_foot(entry)
with page:
    run_page(navigation)
with notes:
    say_misread()
