"""What this app changes about Streamlit and Python while it runs, each with its reason.

Seen in Streamlit 1.67. tests/pages/test_workarounds.py fails once one of them is not needed any more.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys

import streamlit as st
from streamlit.runtime import Runtime, exists, get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import script_runner

from pages.components.style import read_asset


def keep_keras_session() -> None:
    """Make Streamlit leave Keras alone.

    After every script run, of anybody's, Streamlit calls `keras.backend.clear_session()`
    (script_runner._clean_problem_modules). That wipes the name scopes of a model which another thread is
    building, and the compiled kernels of every training that runs: models come out broken, and a step
    takes a hundred times as long. This app keeps no Keras session that would need clearing.
    """
    script_runner._clean_problem_modules = lambda: None


def keep_caches() -> None:
    """Make Streamlit clear no cache because a browser asks for it.

    Every browser may ask, also one that has not typed the class code, and the caches are all visitors': the store of
    workspaces, the queues, the count of wrong codes (app_session.AppSession._handle_clear_cache_request).
    """
    AppSession._handle_clear_cache_request = lambda self: None  # type: ignore[method-assign]


def end_at_once() -> None:
    """Make the server's process end when Streamlit has stopped, whatever runs in the background.

    Python would take itself apart under threads that import TensorFlow or train: they abort the process (seen in Python
    3.11).
    What is registered later runs earlier, so this is called once more when TensorFlow's own handlers are there.
    """
    if _is_server():  # else a test drives the script, whose process has an exit code of its own
        atexit.register(_end)


def _is_server() -> bool:
    """Whether this process serves the app. While AppTest runs a script, a stand-in answers for the runtime."""
    return exists() and type(get_instance()) is Runtime


def _end() -> None:
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def show_own_menu() -> None:
    """Let `st.navigation` show its menu, which .streamlit/config.toml switches off.

    Until the app has run once in a process, Streamlit sends the browser a menu of the files in pages/, and it stands
    there for seconds. Switched off in the file, it is never sent.
    """
    st.set_option("client.showSidebarNavigation", True)


def use_navigation() -> None:
    """Make the next run begin with streamlit_app.py.

    Until somebody has once opened Home, Streamlit (runtime/pages_manager.py) takes the folder pages/ for its
    older kind of app: the first visitor who opens a page's own address would get a page without menu, layout
    and memory.
    """
    PagesManager.uses_pages_directory = False


def keep_one_entry_a_page() -> None:
    """Make Back go to the page before, as it was left. Called in every run, before the page.

    Streamlit makes an entry of each value that the server writes into the address.
    """
    st.html(f"<script>{read_asset('history.js')}</script>", unsafe_allow_javascript=True)


def follow_theme() -> None:
    """Draw figures anew when people choose light or dark. Called in every run."""
    if exists():  # else a test drives the script, without a browser
        theme = st.components.v2.component("transformer_classroom_theme", js=read_asset("theme.js"))
        theme(key="theme_change", on_changed_change=lambda: None)
