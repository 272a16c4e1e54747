"""Transformer Classroom: streamlit run streamlit_app.py."""

import os

# Read when NumPy is imported. On busy cores its threads wait for each other: a product takes 2 to 4 times the work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st

from pages.components.access import stop_at_door
from pages.components.lessons import show_foot, show_strip
from pages.components.menu import run_page, show_menu, stop_on_left_out, stop_on_wrong_settings
from pages.components.session import remember_tab
from pages.components.share import show_presenter_foot, show_presenter_switch
from pages.components.style import MENU_WIDTH, apply_style
from pages.components.workarounds import (
    follow_theme,
    keep_caches,
    keep_keras_session,
    keep_one_entry_a_page,
)

keep_keras_session()
keep_caches()
st.set_page_config(
    page_title="Transformer Classroom",
    page_icon="🎓",
    layout="wide",
    initial_sidebar_state=MENU_WIDTH,
)
apply_style("style.css")
keep_one_entry_a_page()
follow_theme()
stop_on_wrong_settings()
entry = show_menu()
stop_at_door()
remember_tab()
stop_on_left_out(entry)
show_presenter_switch(entry)
show_strip(entry)
page = st.container()
# Drawn before the page above it, which may take long or be stopped.
show_foot(entry)
show_presenter_foot(entry)
with page:
    run_page(entry)
