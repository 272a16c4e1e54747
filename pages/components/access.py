"""The class code, where the server has one. Nothing else of the app runs before it is given.

A link may contain the code (`?code=…`), so that thirty people need not type it. The app removes it from the address at
once, because people share addresses. Browser history and proxy logs still keep it, so a QR code contains it only on
request.
"""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from core.classroom.access import CodeLock, TooManyCodesError
from core.classroom.settings import MAX_CODE, server_settings
from pages.components.session import code_lock, session_id
from pages.components.style import read_asset

CODE_IN_ADDRESS = "code"

_SIGNED_IN = "signed_in"  # keys of st.session_state
_ASKED = "ticket_asked"


def is_signed_in() -> bool:
    """Return whether this session has entered the class code, or needs none."""
    return not server_settings().class_code or bool(st.session_state.get(_SIGNED_IN, False))


def require_class_code() -> None:
    """Ask for the class code, where the server has one; the run ends here until it is right."""
    by_link = st.query_params.pop(CODE_IN_ADDRESS, None)
    code = server_settings().class_code
    if not code:
        return
    lock = code_lock(code)
    _restore_sign_in(lock)
    if not is_signed_in():
        _ask(lock, by_link)


def _ask(lock: CodeLock, by_link: str | None) -> NoReturn:
    message = _try(lock, by_link) if by_link else ""
    st.title("Transformer Classroom")
    with st.form("sign_in", width=420):
        typed = st.text_input("Class code", max_chars=MAX_CODE, type="password", autocomplete="off")
        if st.form_submit_button("Enter", type="primary", icon=":material/login:"):
            message = _try(lock, typed or "")
    if message:
        st.error(message, icon=":material/lock:", width=420)
    st.stop()


def _try(lock: CodeLock, code: str) -> str:
    """Sign in and rerun the page, or return an error message."""
    try:
        right = lock.check_code(code, session_id())
    except TooManyCodesError as error:
        return str(error)
    if right:
        _sign_in()
    return "Wrong class code. Try again."


def _sign_in() -> NoReturn:
    st.session_state[_SIGNED_IN] = True
    st.rerun()


def _restore_sign_in(lock: CodeLock) -> None:
    """Sign a reloaded tab in again by its ticket, and leave a ticket for the next reload."""
    memory = st.components.v2.component("transformer_classroom_ticket", js=read_asset("ticket.js"))
    signed_in = is_signed_in()
    asked = st.session_state.get(_ASKED, False)
    data = {"ticket": lock.token if signed_in else "", "asked": asked}
    kept = memory(key="ticket", data=data, on_kept_change=lambda: None).get("kept")
    if kept:
        st.session_state[_ASKED] = True
        if not signed_in and lock.is_valid_token(str(kept)):
            _sign_in()
