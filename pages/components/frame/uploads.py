"""Who may upload a file, and how much the files of all visitors may hold.

Streamlit (1.67) takes any number of files from anyone with an open page, even before the class code. It keeps them when
the tab has gone until another tab goes two minutes later, and writes those over 1 MB to the disk before.
"""

import asyncio
from typing import Any, NamedTuple, cast
from weakref import WeakValueDictionary

import streamlit as st
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

MAX_UPLOADS = 256 * 2**20  # bytes of all visitors' files together
# After which the file of a tab that has gone is forgotten; a tab may lose its network for a moment.
_GONE_SECONDS = 30.0
_FRAMING = 2**20  # bytes that a browser adds to a file, at most

# Sessions that have shown an uploader, each with something that lasts as long as Streamlit can bring the session back.
_uploading: WeakValueDictionary[str, PagesManager] = WeakValueDictionary()


class _Arrival(NamedTuple):
    """A file that is arriving: its bytes, at most, and what ends its request."""

    size: int
    limit: asyncio.Timeout


class Guard:
    """Middleware of the app's server: limits what visitors upload, and does not answer /_stcore/metrics.

    Only a session that has shown an uploader (`allow_upload`) may send a file, which takes the place of the one before,
    also of one that is still arriving. All files together have at most MAX_UPLOADS bytes, and they stay in memory.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._arriving: dict[str, _Arrival] = {}  # by session
        MultiPartParser.spool_max_size = _largest_upload() + _FRAMING

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the app answer it."""
        if scope["type"] == "websocket":
            try:
                await self._app(scope, receive, send)
            finally:  # a tab has gone
                asyncio.get_running_loop().call_later(_GONE_SECONDS, self._forget_gone, self._gone())
        elif scope["type"] == "http" and scope["path"].endswith("/_stcore/metrics"):
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
        elif (
            scope["type"] == "http" and scope["method"] == "PUT" and "/_stcore/upload_file/" in scope["path"]
        ):
            await self._take_file(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _take_file(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = scope["path"].split("/")[-2]
        if refusal := self._refusal(session, _length(scope)):
            await refusal(scope, receive, send)
            return
        self._forget_file(session)
        try:
            async with asyncio.timeout(None) as limit:
                arrival = self._arriving[session] = _Arrival(_length(scope), limit)
                try:
                    await self._app(scope, receive, send)
                finally:
                    if self._arriving.get(session) is arrival:
                        del self._arriving[session]
                        self._forget_gone({session})
        except TimeoutError:
            await PlainTextResponse("The file is no longer wanted", 409)(scope, receive, send)

    def _refusal(self, session: str, length: int) -> PlainTextResponse | None:
        """Return why a session may not send a file, None if it may."""
        if session not in _uploading:
            return PlainTextResponse("This page has no uploader", 403)
        others = [files for owner, files in list(_uploads().file_storage.items()) if owner != session]
        held = sum(len(file.data) for files in others for file in list(files.values()))
        arriving = sum(arrival.size for owner, arrival in self._arriving.items() if owner != session)
        if held + arriving + length > MAX_UPLOADS:
            return PlainTextResponse("The server has too many uploaded files", 413)
        return None

    def _gone(self) -> set[str]:
        """Return the sessions that have a file and no tab."""
        holding = {*_uploads().file_storage, *self._arriving}
        return {session for session in holding if not get_instance().is_active_session(session)}

    def _forget_gone(self, sessions: set[str]) -> None:
        """Forget the files of those sessions that have no tab."""
        for session in sessions & self._gone():
            self._forget_file(session)

    def _forget_file(self, session: str) -> None:
        """Free the file of a session, and end the request that is sending one."""
        if arrival := self._arriving.pop(session, None):
            arrival.limit.reschedule(0)
        _uploads().remove_session_files(session)


def allow_upload() -> None:
    """Let the current session upload a file. Call it where an uploader is drawn."""
    if context := get_script_run_ctx():
        _uploading[context.session_id] = context.pages_manager


def free_upload(file: UploadedFile) -> None:
    """Free the memory of an uploaded file that has been read; its uploader still shows its name."""
    if context := get_script_run_ctx():
        empty = UploadedFileRec(file.file_id, file.name, file.type, b"")
        manager: Any = context.uploaded_file_mgr
        manager.add_file(context.session_id, empty)


def _length(scope: Scope) -> int:
    """Return how many bytes a request will send, at most."""
    length = Headers(scope=scope).get("content-length", "")
    return min(int(length), _largest_upload()) if length.isdecimal() else _largest_upload()


def _largest_upload() -> int:
    return int(st.get_option("server.maxUploadSize")) * 2**20


def _uploads() -> MemoryUploadedFileManager:
    return cast(MemoryUploadedFileManager, get_instance().uploaded_file_mgr)
