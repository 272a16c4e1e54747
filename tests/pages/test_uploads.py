"""Who may upload what, as the app's server guards it."""

import asyncio
import tempfile
import types
from typing import Any

import pytest
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.web.server.starlette import starlette_routes

from pages.components.frame import uploads
from tests.pages.conftest import PATIENCE


class Tab:
    """What Streamlit keeps of a tab as long as it can bring it back."""


class UploadServer:
    """Streamlit's own routes for uploads behind the guard, and which tabs are open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.uploaded_file_mgr = MemoryUploadedFileManager("/_stcore/upload_file")
        self.open_tabs = ["first", "second", "third"]
        self.kept = {tab: Tab() for tab in self.open_tabs}
        self.routes = Router(starlette_routes.create_upload_routes(self, self.uploaded_file_mgr, None))  # type: ignore[arg-type]
        monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
        self.app: Any = uploads.Guard(self.answer)
        monkeypatch.setattr(starlette_routes, "is_xsrf_enabled", lambda: False)
        monkeypatch.setattr(uploads, "get_instance", lambda: self)
        monkeypatch.setattr(uploads, "get_script_run_ctx", lambda: self.context)
        self.context: Any = None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.routes(scope, receive, send)
        else:
            self.open_tabs.remove(scope["tab"])

    def show_uploaders(self, *tabs: str) -> None:
        for tab in tabs:
            self.context = types.SimpleNamespace(session_id=tab, pages_manager=self.kept[tab])
            uploads.allow_upload()

    async def leave(self, tab: str) -> None:
        await self.app({"type": "websocket", "tab": tab}, None, None)
        await asyncio.sleep(0.1)

    def is_active_session(self, session: str) -> bool:
        return session in self.open_tabs

    def send(self, tab: str, name: str, size: int) -> int:
        """Send a file for a tab; return the answer's status."""
        return self.put(f"/_stcore/upload_file/{tab}/{name}", size)

    def put(self, path: str, size: int = 0) -> int:
        return asyncio.run(self.request(path, size))

    async def request(self, path: str, size: int, arrives: bool = True) -> int:
        body = (
            b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
            + bytes(size)
            + b"\r\n--x--\r\n"
        )
        messages = [{"type": "http.request", "body": body}]
        sent: list[Any] = []

        async def receive() -> Any:
            if not arrives:
                await asyncio.Event().wait()
            return messages.pop()

        async def send(message: Any) -> None:
            sent.append(message)

        scope: dict[str, Any] = {
            "type": "http",
            "method": "PUT",
            "path": path,
            "query_string": b"",
            "headers": [
                (b"content-type", b"multipart/form-data; boundary=x"),
                (b"content-length", b"%d" % len(body)),
            ],
        }
        await self.app(scope, receive, send)
        return int(sent[0]["status"])

    @property
    def held(self) -> list[str]:
        """The tabs whose files are held, each as often as it has files."""
        return [tab for tab, files in self.uploaded_file_mgr.file_storage.items() for _ in files]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> UploadServer:
    monkeypatch.setattr(uploads, "MAX_UPLOADS", 5 * 2**20)
    monkeypatch.setattr(uploads, "_GONE_SECONDS", 0.0)
    return UploadServer(monkeypatch)


def test_a_tab_that_shows_an_uploader_has_one_file(server: UploadServer) -> None:
    assert server.send("first", "a", 100) == 403
    server.show_uploaders(*server.open_tabs)
    assert [server.send("first", name, 2**21) for name in "abc"] == [204, 204, 204]
    assert server.held == ["first"]
    assert [server.send(tab, "a", 2**21) for tab in ("second", "third")] == [204, 413]
    asyncio.run(server.leave("first"))
    assert server.held == ["second"]
    assert server.send("third", "a", 2**21) == 204


def test_a_file_that_never_arrives_takes_no_room_for_ever(server: UploadServer) -> None:
    server.show_uploaders(*server.open_tabs)

    def send(tab: str, arrives: bool = True) -> asyncio.Task[int]:
        return asyncio.create_task(server.request(f"/_stcore/upload_file/{tab}/a", 2**21, arrives))

    async def send_all() -> list[int]:
        stalled = [send(tab, arrives=False) for tab in ("first", "second")]
        statuses = [await send("third"), await send("first"), await stalled[0]]
        await server.leave("second")
        return [*statuses, await stalled[1], await send("third")]

    assert asyncio.run(asyncio.wait_for(send_all(), PATIENCE)) == [413, 204, 409, 409, 204]


def test_a_tab_that_comes_back_may_still_upload(server: UploadServer) -> None:
    server.show_uploaders("first", "second")
    asyncio.run(server.leave("first"))
    server.open_tabs.append("first")
    del server.kept["second"], server.context
    assert [server.send(tab, "b", 100) for tab in ("first", "second")] == [204, 403]


def test_the_figures_of_the_server_are_nobodys(server: UploadServer) -> None:
    path = f"/class/{starlette_routes.ROUTE_METRICS}"
    server.routes = Router([Route(path, lambda _: PlainTextResponse("figures"), methods=["PUT"])])
    assert server.put(path) == 404


def test_a_file_that_was_read_is_known_but_takes_no_memory(server: UploadServer) -> None:
    server.show_uploaders("first")
    assert server.send("first", "a", 2**20) == 204
    manager = server.uploaded_file_mgr
    server.context.uploaded_file_mgr = manager
    (record,) = manager.get_files("first", ["a"])
    uploads.free_upload(UploadedFile(record, FileURLs(file_id="a")))
    assert manager.get_files("first", ["a"]) == [record._replace(data=b"")]


def test_an_upload_needs_no_disk(server: UploadServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.show_uploaders("first")
    monkeypatch.setattr(tempfile, "TemporaryFile", None)  # to which a spooled file moves
    assert server.send("first", "a", 2**22) == 204
