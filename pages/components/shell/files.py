"""What a browser loads to show the app: the first page with our style and scripts, and Streamlit's files, compressed.

Streamlit (1.67) sends its files as they are: 3 to 10 MB to a browser that comes for the first time.
"""

import asyncio
import gzip
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from pages.components.browser.files import page_script, read_style

# Of what is compressed, by the end of a name. Windows may know other ones for them.
_MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_FOR_EVER = "public, max-age=31536000, immutable"  # another version of a file has another name
# By which a browser asks for less than the whole page.
_CONDITIONS = (b"accept-encoding", b"if-match", b"if-modified-since", b"if-none-match", b"if-range", b"range")
_NO_PAGE = ("_stcore", "media", "component", "static", "room", "remote")  # first parts of addresses


def page_parts() -> str:
    """Return the style and the scripts of the whole page, as HTML. They start once in a tab."""
    return f"<style>{read_style('style')}</style>{page_script('history')}{page_script('menu')}{page_script('tap')}"


class File(NamedTuple):
    """A file as browsers get it."""

    compressed: bytes
    headers: dict[str, str]

    def answer(self, scope: Scope) -> Response:
        """Return the answer to a request for it."""
        if self.headers["ETag"] in Headers(scope=scope).get("if-none-match", ""):
            return Response(status_code=304, headers=self.headers)
        headers = self.headers
        content = self.compressed
        if _takes_compressed(scope):
            headers = headers | {"Content-Encoding": "gzip"}
        else:
            content = gzip.decompress(content)
        headers = headers | {"Content-Length": str(len(content))}
        return Response(content if scope["method"] == "GET" else None, headers=headers)


def compressed(content: bytes, ending: str, caching: str, more: Mapping[str, str] | None = None) -> File:
    """Return a file as browsers get it, with more headers than its type and caching."""
    small = gzip.compress(content, mtime=0)
    headers = {
        "Content-Type": f"{_MEDIA_TYPES[ending]}; charset=utf-8",
        "Cache-Control": caching,
        "ETag": f'"{hashlib.sha256(small).hexdigest()}"',
        "Vary": "Accept-Encoding",
        **(more or {}),
    }
    return File(small, headers)


class CompressedFiles:
    """Middleware of the app's server: compresses each of Streamlit's files once, and keeps it; 7 MB where all are used.

    Browsers that take nothing compressed, or want a part of a file, get it from Streamlit.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        folder = Path(get_static_dir()) / "static"
        self._paths = {
            f"{root()}/static/{path.relative_to(folder).as_posix()}": path
            for path in folder.rglob("*")
            if path.suffix in _MEDIA_TYPES
        }
        self._files: dict[str, asyncio.Task[File]] = {}  # by address; those that somebody has asked for

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the app answer it."""
        if not _is_read(scope) or scope["path"] not in self._paths or not _takes_compressed(scope):
            await self._app(scope, receive, send)
            return
        address = scope["path"]
        if address not in self._files:
            self._begin(address)
        # Shielded: a browser that goes must not end what others wait for.
        file = await asyncio.shield(self._files[address])
        await file.answer(scope)(scope, receive, send)

    def _begin(self, address: str) -> None:
        """Begin to read a file; the next browser tries again if that fails."""

        def forget_failed(reading: asyncio.Task[File]) -> None:
            if reading.cancelled() or reading.exception():
                del self._files[address]

        self._files[address] = asyncio.create_task(asyncio.to_thread(_read, self._paths[address]))
        self._files[address].add_done_callback(forget_failed)


def _read(path: Path) -> File:
    return compressed(path.read_bytes(), path.suffix, _FOR_EVER)


class FirstPage:
    """Middleware of the app's server: adds our style and scripts to the HTML page that loads the app.

    As elements they would come with every run, and apply only when the browser has loaded Streamlit's code for them; all
    that it shows by then would move.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        original = (Path(get_static_dir()) / "index.html").read_bytes()
        self._original_length = str(len(original))
        # After the styles that Streamlit adds to the head, before those in the app, as of presenter mode.
        page = original.replace(b"<body>", b"<body>" + page_parts().encode())
        self._file = compressed(page, ".html", "no-cache")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the app answer a request, and send our page where the answer is Streamlit's."""
        if not _is_read(scope) or _first_part(scope) in _NO_PAGE:
            await self._app(scope, receive, send)
            return
        is_page = False

        async def send_ours(message: Message) -> None:
            nonlocal is_page
            if message["type"] == "http.response.start":
                is_page = self._is_original(message)
            if not is_page:
                await send(message)
            elif not message.get("more_body", message["type"] == "http.response.start"):
                await self._file.answer(scope)(scope, receive, send)

        headers = [each for each in scope["headers"] if each[0] not in _CONDITIONS]
        await self._app({**scope, "headers": headers}, receive, send_ours)

    def _is_original(self, start: Message) -> bool:
        headers = Headers(raw=start["headers"])
        return (
            start["status"] == 200
            and headers.get("content-type", "").startswith("text/html")
            and headers.get("content-length") == self._original_length
        )


def _is_read(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD")


def _takes_compressed(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "gzip" in headers.get("accept-encoding", "") and "range" not in headers


def _first_part(scope: Scope) -> str:
    """Return the first part of the path below the app's own."""
    path: str = scope["path"]
    return path.removeprefix(root()).strip("/").split("/")[0]


def root() -> str:
    """Return the path of the app on its server: empty, or one that begins with a slash."""
    path = str(st.get_option("server.baseUrlPath")).strip("/")
    return path and f"/{path}"
