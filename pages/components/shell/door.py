"""The app's server: what it gets ready before anybody comes, and what each request passes first.

All of this needs the `st.App` of streamlit_app.py. A host that runs that file as a plain script gets the same pages;
then files are not compressed, the style comes a moment after the page, phones in a room get the full page, and only
Streamlit's limit on uploads holds.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit.logger import get_logger

from core.errors import InputError
from pages.components.frame.serving import serves
from pages.components.frame.uploads import Guard
from pages.components.frame.workarounds import allow_files, keep_caches, limit_heaps, return_memory
from pages.components.model.choice import shipped_models
from pages.components.shell.arriving import bound_arriving
from pages.components.shell.files import CompressedFiles, FirstPage
from pages.content.pages import ALL_PAGES
from pages.languages.catalogs import known_languages

_BELIEVED = "127.0.0.1,::1"  # of uvicorn (0.54), where the environment names no other proxy
_log = get_logger(__name__)  # Streamlit's, which a terminal shows
MIDDLEWARE = (Middleware(Guard), Middleware(CompressedFiles), Middleware(FirstPage))


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Get the process ready and load what the first visitor would wait for, then serve."""
    prepare_process()
    if st.get_option("server.fileWatcherType") != "none":
        _watch_all_files()
    _load()  # in this thread, whose heap can be given back
    return_memory()
    _log.info(
        "Visitors have their own addresses, or those that a proxy at %s says (FORWARDED_ALLOW_IPS).",
        os.environ.get("FORWARDED_ALLOW_IPS", _BELIEVED),
    )
    serves.set()
    yield
    serves.clear()


@cache
def prepare_process() -> None:
    """Change what must be changed in Streamlit and Python before the first page is opened."""
    allow_files()
    limit_heaps()
    keep_caches()
    bound_arriving()


def _watch_all_files() -> None:
    """Have Streamlit (1.67) look for changes in all our files, for a developer: it looks beside its script and there."""
    folders = [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, folders))


def _load() -> None:
    """Load the languages, the pages and the shipped models."""
    known_languages()
    for page in ALL_PAGES:
        import_module(f"pages.{page.address}")
    with suppress(InputError):  # which the page says
        shipped_models()
