"""This tab's place in a room: open one, join by a link or a code, answer in it, leave it."""

from __future__ import annotations

from weakref import ref

import streamlit as st

from core.records.room import Question, Tally
from core.server.access import TooManyCodesError
from core.server.room import Room, RoomError, Seat
from core.server.settings import server_settings
from pages.components.frame.session import (
    code_of_link,
    comes_back,
    current_workspace,
    page_memory,
    server_rooms,
    session_id,
)

ROOM = "room"  # in the address of a link to join
# Keys of st.session_state: codes of the room of the link that opened this tab, and of one that a teacher may go to.
_LINKED = "room_linked"
_INVITES = "room_invites"


def current_seat() -> Seat | None:
    """Return this tab's place in a room, None if it is in none or the room has ended."""
    seat = server_rooms().seat_of(_tab())
    memory = page_memory()
    if seat is None and memory.is_in_room:
        st.toast(
            "The room has ended, or it was full and your place was given away.", icon=":material/group_off:"
        )
    memory.is_in_room = seat is not None
    return seat


def _tab() -> str:
    """Return what only this tab knows."""
    return current_workspace().id


def open_room() -> bool:
    """Open a room whose teacher this tab is; return whether there is one."""
    rooms = server_rooms()
    training = current_workspace().jobs.training
    st.session_state.pop(_INVITES, None)
    led = rooms.led_by(_tab())
    try:
        seat = rooms.open(_tab())
    except RoomError as error:
        st.error(str(error), icon=":material/group_off:")
        return False
    seat.training_before = None if training is None else ref(training)
    if led is not None:
        st.toast(f"Room {led.code} has ended: a tab leads one room.", icon=":material/group_off:")
    return True


def join(typed: str) -> str:
    """Join the room of a code; return why not, empty if this tab is in it now or its teacher is asked first."""
    try:
        room = server_rooms().find(typed, session_id())
        if room is None:
            return "There is no room with this code. It may have ended."
        st.session_state[_LINKED] = room.code
        _enter(room)
    except (TooManyCodesError, RoomError) as error:
        return str(error)
    return ""


def _enter(room: Room) -> None:
    """Come into a room; a tab that leads another one is asked first.

    Raises:
        RoomError: the room is full, or has just ended.
    """
    seat = current_seat()
    if seat is not None and seat.is_teacher and seat.room is not room:
        st.session_state[_INVITES] = room.code
        return
    server_rooms().join(room, _tab())


def join_by_link() -> None:
    """Join the room that the address names. Call it once in every run; a room that has ended is just the page.

    A reloaded tab has joined as a new one before its browser has said which it was: then it joins as that one.
    """
    with code_of_link(ROOM) as code:
        if comes_back() and not code:
            code = st.session_state.get(_LINKED, "")
        if not code or not server_settings().rooms:
            return
        if problem := join(code):
            st.toast(problem, icon=":material/group_off:")


def room_to_visit() -> Room | None:
    """Return the room whose link a teacher has opened, until the teacher has chosen to go there or not."""
    code = st.session_state.get(_INVITES)
    return server_rooms().get(code) if code else None


def answer_invitation(room: Room, is_accepted: bool) -> None:
    """Go to the room whose link a teacher has opened, or not. The teacher's own room stays open."""
    st.session_state.pop(_INVITES, None)
    if not is_accepted:
        return
    try:
        server_rooms().join(room, _tab())
    except RoomError as error:
        st.toast(str(error), icon=":material/group_off:")


def leave_room() -> None:
    """Leave the room, which keeps this tab's place; a teacher who visits another room is back in the own one."""
    server_rooms().leave(_tab())
    page_memory().is_in_room = False


def close_room() -> None:
    """End the room for everyone, if this tab is its teacher."""
    seat = current_seat()
    if seat is not None and seat.is_teacher:
        server_rooms().close(seat.room)
        st.session_state.pop(_INVITES, None)
        page_memory().is_in_room = False


def attends(page: str) -> bool:
    """Return whether this tab follows a class that is on a page now.

    Args:
        page: the page's address.
    """
    seat = current_seat()
    if seat is None or seat.is_teacher or not seat.follows:
        return False
    return seat.room.place is not None and seat.room.place.page == page


def answer_in_room(question: Question, option: str, first_only: bool = False) -> None:
    """Count an answer in the class, if this tab is in one and is not its teacher.

    Args:
        question: the question.
        option: one of its options.
        first_only: whether an answer given before stays, as where hints follow a wrong one.
    """
    seat = current_seat()
    if seat is None or seat.is_teacher:
        return
    if first_only and seat.room.tally(seat.token, question).own[-1] is not None:
        return
    seat.room.vote(seat.token, question, option)


def tally_of(question: Question) -> Tally | None:
    """Return how the class has answered, None if this tab is in no room."""
    seat = current_seat()
    return None if seat is None else seat.room.tally(seat.token, question)
