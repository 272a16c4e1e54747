"""Each workaround is still needed, and works."""

from __future__ import annotations

import types
from functools import partial
from importlib.util import find_spec, module_from_spec
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import app_session

from core.server.room import MAX_PEOPLE
from pages.components.frame import workarounds


def original(name: str) -> Any:
    """Return a module of Streamlit as installed, without our changes."""
    spec = find_spec(name)
    assert spec is not None and spec.loader is not None
    fresh = module_from_spec(spec)
    spec.loader.exec_module(fresh)
    return fresh


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


def test_a_hall_has_more_phones_than_the_system_gives_a_process_files() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        workarounds.allow_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 2 * MAX_PEOPLE
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
