"""Who may come in: the class by its code, the teacher by another. Nothing of the app runs before.

A link may bring the class code (`?code=…`), so that thirty people need not type it: whoever holds the link has been
given the code. It leaves the address at once, since people share what stands there; browser history and the logs of a
proxy keep it, so the teacher's QR code holds it only where the teacher says so. No link brings the teacher's code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from core.classroom.access import CodeLock, TooManyCodesError
from core.classroom.settings import MAX_CODE, server_settings
from pages.components.app.menu import TEACHER, PageEntry
from pages.components.app.resources import code_lock
from pages.components.app.session import OF_TAB, require_navigation, session_id

CODE_IN_ADDRESS = "code"  # of the class

_ASKED = f"{OF_TAB}tickets_asked"  # key of st.session_state

# As session.py has it: a tab's own memory, which lasts through its reloads. Where a browser forbids it, as in a frame
# of another site, a code is typed again after a reload.
_TICKET_MEMORY = """
export default function (component) {
  const { data, setStateValue } = component;
  try {
    const kept = {};
    for (const [door, ticket] of Object.entries(data.tickets)) {
      const key = "transformer-classroom-" + door;
      if (ticket) sessionStorage.setItem(key, ticket);
      else if (sessionStorage.getItem(key)) kept[door] = sessionStorage.getItem(key);
    }
    if (!data.asked && Object.keys(kept).length) setStateValue("kept", kept);
  } catch (error) {
    console.info("This browser keeps nothing for this tab.", error);
  }
}
"""


@dataclass(frozen=True)
class _Door:
    name: str  # in the session, and in the tab's memory
    title: str
    label: str  # of the box
    button: str


_CLASS = _Door("class", "Transformer Classroom", "Class code", "Enter")
_TEACHER = _Door("teacher", "For the teacher", "Teacher's code", "Open")


def class_may_come_in() -> bool:
    """Whether this session is past the class's door, if there is one."""
    return not server_settings().class_code or _is_open(_CLASS) or teacher_is_here()


def teacher_is_here() -> bool:
    """Whether this session has given the teacher's code."""
    return bool(server_settings().teacher_code) and _is_open(_TEACHER)


def stop_at_door(entry: PageEntry) -> None:
    """Ask for the code that a page needs, where the server has one; the run ends until it has been given."""
    by_link = st.query_params.pop(CODE_IN_ADDRESS, None)
    settings = server_settings()
    codes = {_CLASS: settings.class_code, _TEACHER: settings.teacher_code}
    locks = {door: code_lock(door.name, code) for door, code in codes.items() if code}
    if not locks:
        return
    _take_tickets(locks)
    if entry is TEACHER:
        if not teacher_is_here():
            _ask(_TEACHER, locks[_TEACHER], by_link=None)
    elif not class_may_come_in():
        _ask(_CLASS, locks[_CLASS], by_link)


def require_teacher() -> None:
    """End the run of a page that nobody but the teacher may see; streamlit_app.py has asked for the code before."""
    require_navigation()
    if not teacher_is_here():
        st.stop()


def _ask(door: _Door, lock: CodeLock, by_link: str | None) -> NoReturn:
    message = _try(door, lock, by_link) if by_link else ""
    st.title(door.title)
    with st.form(f"{door.name}_door", width=420):
        typed = st.text_input(door.label, max_chars=MAX_CODE, type="password", autocomplete="off")
        if st.form_submit_button(door.button, type="primary", icon=":material/login:"):
            message = _try(door, lock, typed or "")
    if message:
        st.error(message, icon=":material/lock:", width=420)
    st.stop()


def _try(door: _Door, lock: CodeLock, code: str) -> str:
    """Open the door and run the page anew, or say why not."""
    try:
        right = lock.opens(code, session_id())
    except TooManyCodesError as error:
        return str(error)
    if right:
        st.session_state[_key(door)] = True
        st.rerun()
    return f"That is not the {door.label.lower()}. Check it and type it again."


def _is_open(door: _Door) -> bool:
    return bool(st.session_state.get(_key(door), False))


def _key(door: _Door) -> str:
    return f"{OF_TAB}{door.name}_door_is_open"


def _take_tickets(locks: Mapping[_Door, CodeLock]) -> None:
    """Open the doors that the tab had open before a reload, and leave tickets for the next one."""
    memory = st.components.v2.component("transformer_classroom_tickets", js=_TICKET_MEMORY)
    tickets = {door.name: lock.ticket if _is_open(door) else "" for door, lock in locks.items()}
    asked = st.session_state.get(_ASKED, False)
    result = memory(key="tickets", data={"tickets": tickets, "asked": asked}, on_kept_change=lambda: None)
    if kept := result.get("kept"):
        st.session_state[_ASKED] = True
        opened = [
            door
            for door, lock in locks.items()
            if not _is_open(door) and lock.takes(str(kept.get(door.name)))
        ]
        for door in opened:
            st.session_state[_key(door)] = True
        if opened:
            st.rerun()
