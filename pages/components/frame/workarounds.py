"""Changes to Streamlit and Python at run time, each with its reason.

Seen in Streamlit 1.67. tests/pages/test_workarounds.py fails once one of them is no longer needed.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, cast

import streamlit as st
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send
from streamlit.file_util import get_static_dir
from streamlit.runtime import exists, get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from pages.components.browser.files import component_script, page_script, read_style

_M_ARENA_MAX = -8  # of malloc.h

MAX_UPLOADS = 256 * 2**20  # bytes of all visitors' files together
# After which the file of a tab that has gone is forgotten; a tab may lose its network for a moment.
_GONE_SECONDS = 30.0
_FRAMING = 2**20  # bytes that a browser adds to a file, at most

_uploading: set[str] = set()  # sessions that have shown an uploader


class _Arrival(NamedTuple):
    """A file that is arriving: its bytes, at most, and what ends its request."""

    size: int
    limit: asyncio.Timeout


_arriving: dict[str, _Arrival] = {}  # of each session that is sending a file


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
    style = f"<style>{read_style('style')}</style>"
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


@cache
def guard_routes() -> None:
    """Limit what visitors upload, and do not answer /_stcore/metrics.

    Streamlit takes any number of files from anyone with an open page, even before the class code. It keeps them when
    the tab has gone until another tab goes two minutes later, and writes those over 1 MB to the disk before. Now only a
    session that has shown an uploader (`allow_upload`) may send a file, which takes the place of the one before, also
    of one that is still arriving. All files together have at most MAX_UPLOADS bytes, and they stay in memory. It runs
    with the first page that is opened, and forgets what was uploaded before.
    """
    handle_route = Route.handle
    disconnect = WebsocketSessionManager.disconnect_session
    MultiPartParser.spool_max_size = _largest_upload() + _FRAMING

    async def handle(self: Route, scope: Scope, receive: Receive, send: Send) -> None:
        if self.path.endswith("/_stcore/metrics"):
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
        elif scope["method"] != "PUT" or "/_stcore/upload_file/" not in self.path:
            await handle_route(self, scope, receive, send)
        elif refusal := _refusal(scope):
            await refusal(scope, receive, send)
        else:
            session = scope["path_params"]["session_id"]
            _forget_file(session)
            try:
                async with asyncio.timeout(None) as limit:
                    arrival = _arriving[session] = _Arrival(_length(scope), limit)
                    try:
                        await handle_route(self, scope, receive, send)
                    finally:
                        if _arriving.get(session) is arrival:
                            del _arriving[session]
                            _forget_gone(session)
            except TimeoutError:
                await PlainTextResponse("The file is no longer wanted", 409)(scope, receive, send)

    def disconnect_session(self: WebsocketSessionManager, session_id: str) -> None:
        disconnect(self, session_id)
        # A tab that comes back is not always run again, so its permission lasts as long as Streamlit can restore it.
        known = {info.session.id for info in self.list_sessions()}
        _uploading.difference_update(_uploading - known)
        asyncio.get_running_loop().call_later(_GONE_SECONDS, _forget_gone, session_id)

    Route.handle = handle
    WebsocketSessionManager.disconnect_session = disconnect_session  # type: ignore[method-assign]
    if exists() and isinstance(manager := get_instance().uploaded_file_mgr, MemoryUploadedFileManager):
        for session in list(manager.file_storage):
            manager.remove_session_files(session)


def allow_upload() -> None:
    """Let the current session upload a file. Call it where an uploader is drawn."""
    if context := get_script_run_ctx():
        _uploading.add(context.session_id)


def free_upload(file: UploadedFile) -> None:
    """Free the memory of an uploaded file that has been read; its uploader still shows its name."""
    if context := get_script_run_ctx():
        empty = UploadedFileRec(file.file_id, file.name, file.type, b"")
        manager: Any = context.uploaded_file_mgr
        manager.add_file(context.session_id, empty)


def _refusal(scope: Scope) -> PlainTextResponse | None:
    """Return why a session may not send the file of a request, None if it may."""
    session = scope["path_params"]["session_id"]
    if session not in _uploading:
        return PlainTextResponse("This page has no uploader", 403)
    others = [files for owner, files in list(_uploads().file_storage.items()) if owner != session]
    held = sum(len(file.data) for files in others for file in list(files.values()))
    arriving = sum(arrival.size for owner, arrival in _arriving.items() if owner != session)
    if held + arriving + _length(scope) > MAX_UPLOADS:
        return PlainTextResponse("The server has too many uploaded files", 413)
    return None


def _length(scope: Scope) -> int:
    """Return how many bytes a request will send, at most."""
    length = Headers(scope=scope).get("content-length", "")
    return min(int(length), _largest_upload()) if length.isdecimal() else _largest_upload()


def _largest_upload() -> int:
    return int(st.get_option("server.maxUploadSize")) * 2**20


def _uploads() -> MemoryUploadedFileManager:
    return cast(MemoryUploadedFileManager, get_instance().uploaded_file_mgr)


def _forget_gone(session: str) -> None:
    """Forget the file of a session whose tab has gone."""
    if not get_instance().is_active_session(session):
        _forget_file(session)


def _forget_file(session: str) -> None:
    """Free the file of a session, and end the request that is sending one."""
    if arrival := _arriving.pop(session, None):
        arrival.limit.reschedule(0)
    _uploads().remove_session_files(session)


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


def run_whole_app() -> NoReturn:
    """Run streamlit_app.py instead of a page's file that Streamlit runs alone."""
    use_navigation()
    st.rerun()


def patch_browser_history() -> None:
    """Make the browser's Back go to the previous page as it was left. Call it in every run, before the page.

    Streamlit adds a history entry for each value that the server writes into the address.
    """
    st.html(page_script("history"), unsafe_allow_javascript=True)


def redraw_on_theme_change() -> None:
    """Redraw figures when the visitor switches between light and dark. Call it in every run."""
    theme = st.components.v2.component("transformer_classroom_theme", js=component_script("theme"))
    theme(key="theme_change", on_changed_change=lambda: None)
