"""This tab's place in a room: open one, join by a link or a code, answer in it, leave it."""

from __future__ import annotations

import streamlit as st

from core.classroom.access import TooManyCodesError
from core.classroom.room import RoomError, Rooms
from core.classroom.settings import server_settings
from core.records.room import Question, Tally
from pages.components.session import Seat, page_memory, session_id

ROOM = "room"  # in the address of a link to join


@st.cache_resource(show_spinner=False)
def server_rooms() -> Rooms:
    """Return the rooms of this server."""
    return Rooms()


def current_seat() -> Seat | None:
    """Return this tab's place in a room, None if it is in none or the room has ended."""
    memory = page_memory()
    seat = memory.seat
    if seat is not None and server_rooms().get(seat.room.code) is not seat.room:
        memory.seat = None
        st.toast("The room has ended.", icon=":material/group_off:")
    return memory.seat


def open_room() -> None:
    """Open a room whose teacher this tab is."""
    try:
        room = server_rooms().open()
    except RoomError as error:
        st.error(str(error), icon=":material/group_off:")
        return
    page_memory().seat = Seat(room, room.teacher_token)


def join(typed: str) -> str:
    """Join the room of a code; return why not, empty if this tab is in it now."""
    seat = current_seat()
    try:
        room = server_rooms().find(typed, session_id())
        if room is None:
            return "There is no room with this code. It may have ended."
        if seat is None or seat.room is not room:
            memory = page_memory()
            left = memory.left_seat
            memory.seat = left if left is not None and left.room is room else Seat(room, room.join())
    except (TooManyCodesError, RoomError) as error:
        return str(error)
    st.toast(f"You are in room {room.code}. This tab follows your teacher.", icon=":material/groups:")
    return ""


def join_by_link() -> None:
    """Join the room that the address names. Call it once in every run; a room that has ended is just the page."""
    code = st.query_params.pop(ROOM, None)
    if not code or not server_settings().rooms:
        return
    if problem := join(code):
        st.toast(problem, icon=":material/group_off:")


def leave_room() -> None:
    """Leave the room; if this tab is its teacher, the room ends for everyone."""
    memory = page_memory()
    if memory.seat is not None and memory.seat.is_teacher:
        server_rooms().close(memory.seat.room)
    memory.left_seat = memory.seat
    memory.seat = None


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
