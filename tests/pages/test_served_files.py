"""What a browser loads to show the app."""

import asyncio
import contextlib
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.routing import Router
from streamlit import config
from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from pages.components.shell import files
from pages.components.shell.files import CompressedFiles, FirstPage

RULE = "st-key-row_sentence"  # one of ours in the style


class Server:
    """Streamlit's own files behind ours."""

    def __init__(self, base: str) -> None:
        config.set_option("server.baseUrlPath", base)
        self.base = f"/{base}" if base else ""
        self.app = CompressedFiles(FirstPage(Router(create_streamlit_static_assets_routes(base))))

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, Headers, bytes]:
        return asyncio.run(self.ask(path, method, **headers))

    async def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, Headers, bytes]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope: dict[str, Any] = {
            "type": "http",
            "method": method,
            "path": self.base + path,
            "root_path": "",
            "asgi": {"spec_version": "2.4"},
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
        }
        await self.app(scope, None, send)
        start, *parts = sent
        return start["status"], Headers(raw=start["headers"]), b"".join(part["body"] for part in parts)


@pytest.fixture(params=["", "class"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    before = config.get_option("server.baseUrlPath")
    yield Server(request.param)
    config.set_option("server.baseUrlPath", before)


@pytest.mark.parametrize("path", ["/", "/train"])
def test_the_style_comes_with_the_page(server: Server, path: str) -> None:
    status, headers, page = server.get(path, if_modified_since="Fri, 01 Jan 2100 00:00:00 GMT")
    assert status == 200 and RULE in page.decode()
    status, headers, compressed = server.get(path, accept_encoding="gzip")
    assert gzip.decompress(compressed) == page
    assert headers["cache-control"] == "no-cache"
    assert server.get(path, accept_encoding="gzip", if_none_match=headers["etag"])[0] == 304


def script() -> Path:
    return next(Path(get_static_dir()).glob("static/js/index.*.js"))


def test_files_are_compressed_and_kept_by_browsers(server: Server) -> None:
    file = script()
    path, content = f"/static/js/{file.name}", file.read_bytes()
    status, headers, compressed = server.get(path, accept_encoding="gzip, br")
    assert gzip.decompress(compressed) == content and "immutable" in headers["cache-control"]
    assert server.get(path, "HEAD", accept_encoding="gzip")[1]["content-length"] == str(len(compressed))
    assert server.get(path, accept_encoding="gzip", if_none_match=headers["etag"])[0] == 304
    assert server.get(path)[2] == content
    status, _, part = server.get(path, accept_encoding="gzip", range="bytes=0-9")
    assert status == 206 and part == content[:10]


def test_a_file_that_could_not_be_read_is_read_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where all files that the system gives a process are sockets, or where a browser goes before it is answered."""
    server, path, read = Server(""), f"/static/js/{script().name}", files._read

    def fail(path: Path) -> files.File:
        raise OSError("Too many open files")

    async def ask_three_times() -> int:
        monkeypatch.setattr(files, "_read", fail)
        with contextlib.suppress(OSError):
            await server.ask(path, accept_encoding="gzip")
        monkeypatch.setattr(files, "_read", read)
        leaving = asyncio.create_task(server.ask(path, accept_encoding="gzip"))
        await asyncio.sleep(0)
        leaving.cancel()
        return (await server.ask(path, accept_encoding="gzip"))[0]

    assert asyncio.run(ask_three_times()) == 200
