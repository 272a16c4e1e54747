"""The menu, and how a page is opened, runs and ends."""

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError
from streamlit.navigation.page import StreamlitPage

from core.checkpoints.shipped import shipped_checkpoints
from core.errors import InputError
from core.language import _
from core.server.settings import PREFIX, server_settings
from pages.components.frame.class_code import is_signed_in
from pages.components.frame.session import known_memory
from pages.components.frame.visit import Visit
from pages.components.widgets.state import open_with
from pages.content.lessons import server_lessons
from pages.content.pages import ALL_PAGES, HOME, MY_ANSWERS, MY_LESSON, PAGES, SECTIONS, PageEntry, is_shown
from pages.languages.catalogs import known_languages

_ROOT = Path(__file__).parents[3]

MENU_WIDTH = 280  # pixels; in style.css too


def stop_on_invalid_settings() -> None:
    """Stop with a message if an environment variable or secret is invalid."""
    try:
        _copy_booleans_from_secrets()
        _check_names()
    except InputError as error:
        st.error(f"This server is not set up correctly: {error}", icon=":material/settings:")
        st.stop()


def _copy_booleans_from_secrets() -> None:
    """Copy booleans of the secrets into the environment; Streamlit (1.67) copies only texts and numbers."""
    try:
        found = st.secrets.to_dict()
    except StreamlitSecretNotFoundError as error:
        if error.error_id == "no-secrets-found":
            return
        raise InputError("the secrets are not valid TOML. The server's log says where.") from error
    for name, value in found.items():
        if isinstance(value, bool) and name.startswith(PREFIX):
            os.environ[name] = str(value)


def _check_names() -> None:
    """Check that the pages, the model and the lessons named in the settings exist."""
    settings = server_settings()
    addresses = [page.address for page in PAGES]
    if unknown := [page for page in settings.pages if page not in addresses]:
        raise InputError(
            f"{PREFIX}PAGES must hold addresses of pages: {', '.join(addresses)}. Received: {unknown[0]!r:.80}"
        )
    if settings.language and settings.language not in known_languages():
        raise InputError(
            f"{PREFIX}LANGUAGE must be one of {', '.join(known_languages())}. "
            f"Received: {settings.language!r:.80}"
        )
    if settings.default_model and settings.default_model not in shipped_checkpoints():
        raise InputError(
            f"{PREFIX}DEFAULT_MODEL must be one of {', '.join(shipped_checkpoints())}. "
            f"Received: {settings.default_model!r:.80}"
        )
    server_lessons()


def show_menu() -> PageEntry:
    """Show the menu with the pages of this server; return the page that the address names."""
    sections = {_(heading): [target_of(entry) for entry in pages] for heading, pages in SECTIONS.items()}
    sections[""] += [target_of(entry) for entry in ALL_PAGES if entry not in PAGES]
    page = st.navigation(sections, expanded=True, position="sidebar" if is_signed_in() else "hidden")
    return next(entry for entry in ALL_PAGES if target_of(entry).url_path == page.url_path)


def stop_if_page_disabled(entry: PageEntry) -> None:
    """Stop with a message if this server does not show the page."""
    if not is_shown(entry):
        st.info(
            _("The page “{title}” is switched off on this server.").format(title=entry.title),
            icon=":material/visibility_off:",
        )
        st.page_link(target_of(HOME), label=_("Go to Home"), icon=HOME.icon)
        st.stop()


def run_page(visit: Visit) -> None:
    """Run a page.

    It runs as part of this script, not by `StreamlitPage.run`. So a key is one widget on all pages.
    """
    import_module(f"pages.{visit.page.address}").main(visit)


def target_of(page: PageEntry) -> StreamlitPage:
    """Return what Streamlit's links to a page lead to."""
    return _target(page, page.title, _is_in_menu(page))


def _is_in_menu(page: PageEntry) -> bool:
    """Return whether the menu has a page, for this tab at this time."""
    memory = known_memory()
    has_any = {MY_LESSON: memory.lesson is not None, MY_ANSWERS: bool(memory.answers)}
    return is_shown(page) if page in PAGES else has_any.get(page, False)


@cache  # a run looks each of them up; nothing in them belongs to a tab
def _target(entry: PageEntry, title: str, in_menu: bool) -> StreamlitPage:
    return st.Page(
        _ROOT / entry.file,
        title=title,
        icon=entry.icon,
        default=entry is HOME,
        visibility="visible" if in_menu else "hidden",
    )


def go_to(page: PageEntry, choices: Mapping[str, object] | None = None) -> NoReturn:
    """Open another page, whose widgets show these values, by their keys."""
    open_with(page.address, choices or {})
    st.switch_page(target_of(page), query_params={})


def link_to(page: PageEntry, label: str) -> None:
    """Show a link to another page, where this server shows that page."""
    if is_shown(page):
        st.page_link(target_of(page), label=label, icon=page.icon)
