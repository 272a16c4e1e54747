"""Changes to Streamlit and Python at run time, each with its reason.

Seen in Streamlit 1.67. tests/pages/test_workarounds.py fails once one of them is no longer needed.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.responses import FileResponse, HTMLResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send
from streamlit.file_util import get_static_dir
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager

from pages.components.browser_files import component_script, page_script
from pages.components.content import read_asset

_M_ARENA_MAX = -8  # of malloc.h


def keep_caches() -> None:
    """Keep Streamlit from clearing the caches when a browser asks for it.

    Any browser may ask, even before the class code, and all visitors share the caches: the store of workspaces, the
    count of wrong codes (app_session.AppSession._handle_clear_cache_request).
    """
    AppSession._handle_clear_cache_request = lambda self: None  # type: ignore[method-assign]


@cache
def limit_heaps() -> None:
    """Give all threads of the server two heaps, where the C library would give each its own and keep what it freed."""
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_M_ARENA_MAX, 2)


@cache
def send_style_with_page() -> None:
    """Send style.css with the HTML page that loads the app.

    As an element, it would apply only when the browser has loaded Streamlit's code for `st.html`, and all that it shows
    by then would move. The first visitor of a server still sees that, since this runs after the page was sent.
    """
    original = StaticFiles.__call__
    index = Path(get_static_dir()) / "index.html"
    style = f"<style>{read_asset('style.css')}</style>"
    # After the styles that Streamlit adds to the head, before those in the app, as of presenter mode.
    page = index.read_text(encoding="utf-8").replace("<body>", f"<body>{style}")

    async def send_file(self: StaticFiles, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await original(self, scope, receive, send)
            return
        # Without the headers by which a browser keeps a page that it got without the style.
        headers = [each for each in scope["headers"] if not each[0].startswith(b"if-")]
        response = await self.get_response(self.get_path(scope), {**scope, "headers": headers})
        if isinstance(response, FileResponse) and Path(response.path) == index:
            response = HTMLResponse(page, response.status_code, {"Cache-Control": "no-cache"})
        await response(scope, receive, send)

    StaticFiles.__call__ = send_file


def show_own_menu() -> None:
    """Let `st.navigation` show its menu, which .streamlit/config.toml switches off.

    Until the app has run once in a process, Streamlit sends the browser a menu of the files in pages/, which stays
    there for seconds. Switched off in the configuration, that menu is never sent.
    """
    st.set_option("client.showSidebarNavigation", True)


def use_navigation() -> None:
    """Make the next run start with streamlit_app.py.

    Until Home has been opened once, Streamlit (runtime/pages_manager.py) takes the folder pages/ for its older kind of
    app: the first visitor who opens a page's own address would get a page without menu, layout and workspace.
    """
    PagesManager.uses_pages_directory = False


def patch_browser_history() -> None:
    """Make the browser's Back go to the previous page as it was left. Call it in every run, before the page.

    Streamlit adds a history entry for each value that the server writes into the address.
    """
    st.html(page_script("history"), unsafe_allow_javascript=True)


def redraw_on_theme_change() -> None:
    """Redraw figures when the visitor switches between light and dark. Call it in every run."""
    theme = st.components.v2.component("transformer_classroom_theme", js=component_script("theme"))
    theme(key="theme_change", on_changed_change=lambda: None)
