"""Each workaround is still needed, and works."""

from __future__ import annotations

import asyncio
import tempfile
import tomllib
import types
from functools import partial
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import pytest
from starlette import formparsers, routing
from starlette.responses import PlainTextResponse
from starlette.routing import Route, Router
from starlette.staticfiles import StaticFiles
from streamlit import config
from streamlit.file_util import get_static_dir
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.proto.NewSession_pb2 import Config
from streamlit.runtime import app_session
from streamlit.runtime.app_session import _populate_config_msg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_routes
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_handler

from pages.components.frame import workarounds
from pages.content.pages import PAGES, PageEntry
from pages.content.reader import PAGE_TEXTS
from tests.pages.conftest import PATIENCE, ROOT


def original(name: str) -> Any:
    """Return a module of Streamlit as installed, without our changes."""
    spec = find_spec(name)
    assert spec is not None and spec.loader is not None
    fresh = module_from_spec(spec)
    spec.loader.exec_module(fresh)
    return fresh


@pytest.fixture(autouse=True)
def pages_from_the_main_script() -> None:
    """Here Streamlit's own way of finding pages is looked at, not the one of the other page tests."""


def test_streamlit_would_clear_the_caches_of_all_for_any_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where this fails, `keep_caches` can go."""
    cleared: list[str] = []
    fresh = original(app_session.__name__)
    session: Any = types.SimpleNamespace(
        _session_state=types.SimpleNamespace(clear=lambda: cleared.append("state")),
        _handle_clear_cache_request=lambda: fresh.AppSession._handle_clear_cache_request(session),
    )
    for cache in ("cache_data", "cache_resource"):
        note = types.SimpleNamespace(clear=partial(cleared.append, cache))
        monkeypatch.setattr(fresh.caching, cache, note)
    fresh.AppSession.handle_backmsg(session, BackMsg(clear_cache=True))
    assert cleared == ["cache_data", "cache_resource", "state"]
    monkeypatch.setattr(app_session.AppSession, "_handle_clear_cache_request", None)
    workarounds.keep_caches()
    app_session.AppSession._handle_clear_cache_request(session)
    assert len(cleared) == 3


def test_streamlit_would_take_the_folder_for_its_older_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where this fails, `use_navigation` can go."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    PagesManager("streamlit_app.py")
    assert PagesManager.uses_pages_directory is True
    workarounds.use_navigation()
    assert PagesManager.uses_pages_directory is False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_the_first_visitor_may_open_any_page(page: PageEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then Streamlit runs the page's file alone, which asks for streamlit_app.py."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=PATIENCE)
    app.switch_page(page.file).run()
    assert not app.exception
    assert app.title[0].value == (PAGE_TEXTS[page.address].heading or page.title)
    assert "Present" in [toggle.label for toggle in app.toggle]  # below the menu


def test_the_style_comes_with_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first assertion fails, `send_style_with_page` may go."""
    rule = "st-key-row_sentence"  # one of ours
    assert rule not in (Path(get_static_dir()) / "index.html").read_text(encoding="utf-8")
    monkeypatch.setattr(StaticFiles, "__call__", StaticFiles.__call__)
    workarounds.send_style_with_page.__wrapped__()
    files = create_streamlit_static_handler(get_static_dir(), None)
    for path in ("/", "/train"):
        sent: list[Any] = []

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": path,
            "root_path": "",
            "headers": [(b"if-modified-since", b"Fri, 01 Jan 2100 00:00:00 GMT")],
        }
        asyncio.run(files(scope, None, send))
        assert sent[0]["status"] == 200 and rule in sent[1]["body"].decode()


def test_the_files_of_pages_are_never_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where this fails, `show_own_menu` and its line in the settings can go."""
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["client"]["showSidebarNavigation"] is False
    option, sent = "client.showSidebarNavigation", Config()
    before = config.get_option(option)
    try:
        config.set_option(option, False)
        _populate_config_msg(sent)
        assert sent.hide_sidebar_nav
        workarounds.show_own_menu()
        assert config.get_option(option) is True
    finally:
        config.set_option(option, before)


class UploadServer:
    """Streamlit's own routes for uploads, and which tabs are open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.uploaded_file_mgr = MemoryUploadedFileManager("/_stcore/upload_file")
        self.open_tabs = ["first", "second", "third"]
        self.routes = Router(starlette_routes.create_upload_routes(self, self.uploaded_file_mgr, None))  # type: ignore[arg-type]
        monkeypatch.setattr(starlette_routes, "is_xsrf_enabled", lambda: False)
        monkeypatch.setattr(workarounds, "get_instance", lambda: self)
        monkeypatch.setattr(workarounds, "_uploading", set())
        # As installed, also if a page has run in this process.
        monkeypatch.setattr(Route, "handle", original(routing.__name__).Route.handle)
        manager = WebsocketSessionManager
        monkeypatch.setattr(manager, "disconnect_session", lambda _, tab: self.open_tabs.remove(tab))
        spool_size = original(formparsers.__name__).MultiPartParser.spool_max_size
        monkeypatch.setattr(formparsers.MultiPartParser, "spool_max_size", spool_size)

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
        await self.routes(scope, receive, send)
        return int(sent[0]["status"])

    @property
    def held(self) -> list[str]:
        """The tabs whose files are held, each as often as it has files."""
        return [tab for tab, files in self.uploaded_file_mgr.file_storage.items() for _ in files]


def test_streamlit_would_take_any_file_of_anyone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first assertion fails, `guard_routes` may go."""
    server = UploadServer(monkeypatch)
    assert [server.send("first", name, 2**20) for name in "ab"] == [204, 204]
    monkeypatch.setattr(workarounds, "exists", lambda: True)
    workarounds.guard_routes.__wrapped__()
    assert server.held == []
    assert server.send("first", "a", 100) == 403
    workarounds._uploading.update(server.open_tabs)
    monkeypatch.setattr(workarounds, "MAX_UPLOADS", 5 * 2**20)
    assert [server.send("first", name, 2**21) for name in "abc"] == [204, 204, 204]
    assert server.held == ["first"]
    assert [server.send(tab, "a", 2**21) for tab in ("second", "third")] == [204, 413]
    server.open_tabs.remove("first")
    workarounds._forget_gone("first")
    assert server.held == ["second"]
    assert server.send("third", "a", 2**21) == 204


def test_a_file_that_never_arrives_takes_no_room_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    server = UploadServer(monkeypatch)
    workarounds.guard_routes.__wrapped__()
    workarounds._uploading.update(server.open_tabs)
    monkeypatch.setattr(workarounds, "MAX_UPLOADS", 5 * 2**20)

    def send(tab: str, arrives: bool = True) -> asyncio.Task[int]:
        return asyncio.create_task(server.request(f"/_stcore/upload_file/{tab}/a", 2**21, arrives))

    async def send_all() -> list[int]:
        stalled = [send(tab, arrives=False) for tab in ("first", "second")]
        statuses = [await send("third"), await send("first"), await stalled[0]]
        server.open_tabs.remove("second")
        workarounds._forget_gone("second")
        return [*statuses, await stalled[1], await send("third")]

    assert asyncio.run(asyncio.wait_for(send_all(), PATIENCE)) == [413, 204, 409, 409, 204]


def test_a_tab_that_comes_back_may_still_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    server = UploadServer(monkeypatch)
    workarounds.guard_routes.__wrapped__()
    workarounds._uploading.update(server.open_tabs)
    monkeypatch.setattr(workarounds, "_GONE_SECONDS", 0.0)
    known = [types.SimpleNamespace(session=types.SimpleNamespace(id=tab)) for tab in ("first", "second")]
    manager: Any = types.SimpleNamespace(list_sessions=lambda: known)
    assert server.send("first", "a", 100) == 204

    async def lose_network() -> None:
        WebsocketSessionManager.disconnect_session(manager, "first")
        await asyncio.sleep(0.1)

    asyncio.run(lose_network())
    assert server.held == []
    server.open_tabs.append("first")
    assert [server.send(tab, "b", 100) for tab in ("first", "third")] == [204, 403]


def test_the_figures_of_the_server_are_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    server = UploadServer(monkeypatch)
    path = f"/class/{starlette_routes.ROUTE_METRICS}"
    server.routes = Router([Route(path, lambda _: PlainTextResponse("figures"), methods=["PUT"])])
    assert server.put(path) == 200
    workarounds.guard_routes.__wrapped__()
    assert server.put(path) == 404


def test_a_file_that_was_read_is_known_but_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    server = UploadServer(monkeypatch)
    assert server.send("first", "a", 2**20) == 204
    manager = server.uploaded_file_mgr
    context = types.SimpleNamespace(session_id="first", uploaded_file_mgr=manager)
    monkeypatch.setattr(workarounds, "get_script_run_ctx", lambda: context)
    (record,) = manager.get_files("first", ["a"])
    workarounds.free_upload(UploadedFile(record, FileURLs(file_id="a")))
    assert manager.get_files("first", ["a"]) == [record._replace(data=b"")]


def test_an_upload_needs_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    server = UploadServer(monkeypatch)
    workarounds.guard_routes.__wrapped__()
    workarounds._uploading.update(server.open_tabs)
    monkeypatch.setattr(tempfile, "TemporaryFile", None)  # to which a spooled file moves
    assert server.send("first", "a", 2**22) == 204
