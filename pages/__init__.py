"""The app's pages, and what they are built from."""

from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

_begin = PagesManager.__init__


def _begin_without_folder(self: PagesManager, *arguments: Any, **named: Any) -> None:
    PagesManager.uses_pages_directory = False
    _begin(self, *arguments, **named)


# Streamlit (1.67) takes a folder `pages` beside a plain script for its older kind of app, and would run a page's file
# alone. It has looked before the first run, which therefore starts again; AppTest looks before each.
PagesManager.__init__ = _begin_without_folder  # type: ignore[method-assign]
_runs_a_page_alone = PagesManager.uses_pages_directory
PagesManager.uses_pages_directory = False
if _runs_a_page_alone:
    st.rerun()
