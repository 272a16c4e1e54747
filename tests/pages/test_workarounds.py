"""Each workaround is still needed, and works."""

from __future__ import annotations

import asyncio
import tomllib
import types
from functools import partial
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import pytest
from starlette.staticfiles import StaticFiles
from streamlit import config
from streamlit.file_util import get_static_dir
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.NewSession_pb2 import Config
from streamlit.runtime import app_session
from streamlit.runtime.app_session import _populate_config_msg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_handler

from pages.components import workarounds
from pages.components.content import PAGE_TEXTS
from pages.components.menu import PAGES, PageEntry
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
