"""Who may come in: the class by its code, where the server has one. Nothing of the app runs before.

A link may bring the code (`?code=…`), so that thirty people need not type it: whoever holds the link has been given
the code. It leaves the address at once, since people share what stands there; browser history and the logs of a proxy
keep it, so a QR code holds it only where somebody says so.
"""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from core.classroom.access import CodeLock, TooManyCodesError
from core.classroom.settings import MAX_CODE, server_settings
from pages.components.session import code_lock, session_id
from pages.components.style import read_asset

CODE_IN_ADDRESS = "code"

_IS_OPEN = "door_is_open"  # keys of st.session_state
_ASKED = "ticket_asked"


def class_may_come_in() -> bool:
    """Whether this session is past the class's door, if there is one."""
    return not server_settings().class_code or bool(st.session_state.get(_IS_OPEN, False))


def stop_at_door() -> None:
    """Ask for the class code, where the server has one; the run ends until it has been given."""
    by_link = st.query_params.pop(CODE_IN_ADDRESS, None)
    code = server_settings().class_code
    if not code:
        return
    lock = code_lock(code)
    _take_ticket(lock)
    if not class_may_come_in():
        _ask(lock, by_link)


def _ask(lock: CodeLock, by_link: str | None) -> NoReturn:
    message = _try(lock, by_link) if by_link else ""
    st.title("Transformer Classroom")
    with st.form("door", width=420):
        typed = st.text_input("Class code", max_chars=MAX_CODE, type="password", autocomplete="off")
        if st.form_submit_button("Enter", type="primary", icon=":material/login:"):
            message = _try(lock, typed or "")
    if message:
        st.error(message, icon=":material/lock:", width=420)
    st.stop()


def _try(lock: CodeLock, code: str) -> str:
    """Open the door and run the page anew, or say why not."""
    try:
        right = lock.check_code(code, session_id())
    except TooManyCodesError as error:
        return str(error)
    if right:
        _open()
    return "That is not the class code. Check it and type it again."


def _open() -> NoReturn:
    st.session_state[_IS_OPEN] = True
    st.rerun()


def _take_ticket(lock: CodeLock) -> None:
    """Open the door that the tab had open before a reload, and leave a ticket for the next one."""
    memory = st.components.v2.component("transformer_classroom_ticket", js=read_asset("ticket.js"))
    is_open = class_may_come_in()
    asked = st.session_state.get(_ASKED, False)
    data = {"ticket": lock.token if is_open else "", "asked": asked}
    kept = memory(key="ticket", data=data, on_kept_change=lambda: None).get("kept")
    if kept:
        st.session_state[_ASKED] = True
        if not is_open and lock.is_valid_token(str(kept)):
            _open()
