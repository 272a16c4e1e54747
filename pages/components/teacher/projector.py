"""An address for the class, to type or to photograph."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.classroom.addresses.public_address import (
    is_local,
    read_view,
    root_address,
    view_address,
    without_scheme,
)
from core.classroom.addresses.short_addresses import SharedView
from core.classroom.settings import PREFIX, server_settings
from core.figures.paper import qr_svg
from pages.components.app.doors import CODE_IN_ADDRESS
from pages.components.app.menu import HOME, PAGES, TEACHER, is_shown
from pages.components.app.navigation import SHORT, seen_in_this_tab
from pages.components.app.resources import short_addresses
from pages.components.teacher.card import Card
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import plain

MAX_IN_CODE = 200  # characters of an address; with more, the code's modules are too small for the back row


def choose_card() -> Card:
    """A choice of page and view; gives its address as a QR code and in words."""
    view = _choose_view()
    code = server_settings().class_code
    lets_in = bool(code) and st.toggle(
        "With the class code",
        key="code_in_qr",
        help="Then nobody who scans the QR code has to type the class code, nor does anybody who is sent a photo of it. "
        "The address in words never holds the code.",
    )
    root = _root()
    _warn_of_address(root)
    number = SharedView(HOME.address, {SHORT: short_addresses().number_of(view)}) if view.parameters else view
    fits = len(view_address(root, view, HOME.address)) <= MAX_IN_CODE
    scanned = view if fits else number
    if lets_in:
        scanned = SharedView(scanned.page, {**scanned.parameters, CODE_IN_ADDRESS: code})
    return Card(
        qr_svg(view_address(root, scanned, HOME.address)),
        without_scheme(view_address(root, number, HOME.address)),
    )


def _choose_view() -> SharedView:
    pages = {page.address: page.title for page in PAGES if is_shown(page)}
    page = choose("Page", pages, key="projected_page", look="menu", in_address=False)
    seen = _without_code(seen_in_this_tab().get(page, {}))
    as_seen = st.toggle(
        "As I left it in this tab",
        value=True,
        key="projected_as_seen",
        disabled=not seen,
        help="With the view, the sentence and the settings that you had there. Open the page, arrange it, come back.",
    )
    pasted = st.text_input(
        "Or paste an address of this app",
        key="projected_address",
        placeholder="https://…",
        autocomplete="off",
    )
    if pasted:
        try:
            view = read_view(pasted, pages, HOME.address)
            return SharedView(view.page, _without_code(view.parameters))
        except ValueError as error:
            st.error(plain(str(error)), icon=":material/error:")
    return SharedView(page, seen if as_seen else {})


def _without_code(parameters: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if name != CODE_IN_ADDRESS}


def _root() -> str:
    """The app's own address: the one that is set, or what this browser has."""
    return server_settings().public_address.rstrip("/") or root_address(st.context.url or "", TEACHER.address)


def _warn_of_address(root: str) -> None:
    if is_local(root):
        st.warning(
            "Only this computer can open this address. Open the app by its address in the network, or set "
            f"`{PREFIX}PUBLIC_ADDRESS`.",
            icon=":material/wifi_off:",
        )
