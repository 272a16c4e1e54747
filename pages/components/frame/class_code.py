"""The class code: where the server has one, nothing else of the app runs before it is given.

A link may contain the code (`?code=…`), so that thirty people need not type it. The app removes it from the address at
once, because people share addresses. Browser history and proxy logs still keep it, so a QR code contains it only on
request.
"""

from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from core.language import _
from core.server.access import CodeLock, TooManyCodesError
from core.server.settings import MAX_CODE, server_settings
from pages.components.frame.links import CODE_IN_ADDRESS, value_of_link
from pages.components.frame.seat import SEAT_COOKIE
from pages.components.frame.session import address, server_rooms
from pages.components.widgets.component import draw_component

_SIGN_IN = "signed_in"  # key of st.session_state


@dataclass
class _SignIn:
    """What a session notes of its sign-in."""

    is_done: bool = False
    has_asked: bool = False  # the browser for the ticket of an earlier one


def _noted() -> _SignIn:
    found: _SignIn = st.session_state.setdefault(_SIGN_IN, _SignIn())
    return found


@st.cache_resource(show_spinner=False)
def code_lock(code: str) -> CodeLock:
    """Return the server's check of the class code, which counts wrong codes."""
    return CodeLock(code)


def is_signed_in() -> bool:
    """Return whether this session has entered the class code, or needs none."""
    return not server_settings().class_code or _noted().is_done


def require_class_code() -> None:
    """Ask for the class code, where the server has one; the run ends here until it is right."""
    with value_of_link(CODE_IN_ADDRESS) as by_link:
        code = server_settings().class_code
        if not code:
            return
        lock = code_lock(code)
        _restore_sign_in(lock)
        if server_rooms().seat_of(st.context.cookies.get(SEAT_COOKIE, "")) is not None:
            _noted().is_done = True  # it was asked on the phone's page
        if not is_signed_in():
            _ask(lock, by_link)
    if not is_signed_in():
        st.stop()


def _ask(lock: CodeLock, by_link: str) -> None:
    message = _try(lock, by_link) if by_link else ""
    st.title("Transformer Classroom")
    with st.form("sign_in", width=420):
        typed = st.text_input(_("Class code"), max_chars=MAX_CODE, type="password", autocomplete="off")
        if st.form_submit_button(_("Enter"), type="primary", icon=":material/login:", key="enter"):
            message = _try(lock, typed or "")
    if message:
        st.error(message, icon=":material/lock:", width=420)


def _try(lock: CodeLock, code: str) -> str:
    """Sign in and rerun the page, or return an error message."""
    try:
        right = lock.check_code(code, address())
    except TooManyCodesError as error:
        return str(error)
    if right:
        _sign_in()
    return _("Wrong class code. Try again.")


def _sign_in() -> NoReturn:
    _noted().is_done = True
    st.rerun()


def _restore_sign_in(lock: CodeLock) -> None:
    """Sign a reloaded tab in again by its ticket, and leave a ticket for the next reload."""
    signed_in = is_signed_in()
    data = {"ticket": lock.token if signed_in else "", "asked": _noted().has_asked}
    kept = draw_component("ticket", data=data, on_kept_change=lambda: None).get("kept")
    if kept:
        _noted().has_asked = True
        if not signed_in and lock.is_valid_token(str(kept)):
            _sign_in()
