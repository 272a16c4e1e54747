"""The app's pages, and what they are built from."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

# Streamlit (1.67) takes a folder `pages` beside a plain script for its older kind of app. The first visitor who opened a
# page by its own address would run that page's file alone: the next run starts with streamlit_app.py.
_runs_a_page_alone = PagesManager.uses_pages_directory
PagesManager.uses_pages_directory = False
if _runs_a_page_alone:
    st.rerun()
