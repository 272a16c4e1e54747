"""A tab's place in a room: open one, join by a link or a code, leave it."""

from weakref import ref

import streamlit as st

from core.errors import RefusedError
from core.language import _
from core.server.access import Pace, TooManyCodesError
from core.server.room import Room
from core.server.settings import server_settings
from core.server.workspace import Workspace
from pages.components.frame.links import value_of_link
from pages.components.frame.memory import memory_of
from pages.components.frame.session import address, server_rooms, take_return
from pages.components.widgets.telling import tell

ROOM = "room"  # in the address of a link to join
SEAT_COOKIE = "transformer_classroom_seat"  # the key to a seat in a room, of a phone that has joined
# Keys of st.session_state: codes of the room of the link that opened this tab, and of one that a teacher may go to.
_LINKED = "room_linked"
_INVITES = "room_invites"
_pace = Pace(rate=1 / 30, burst=20)  # new rooms by address, which all teachers of a school have


def open_room(workspace: Workspace) -> bool:
    """Open a room whose teacher this tab is; return whether there is one."""
    if not _pace.allows(address()):
        st.error(
            _("Many rooms are opened at this moment. Try again in a minute."), icon=":material/group_off:"
        )
        return False
    rooms = server_rooms()
    training = workspace.jobs.training
    st.session_state.pop(_INVITES, None)
    led = rooms.led_by(workspace.id)
    try:
        seat = rooms.open(workspace.id)
    except RefusedError as error:
        st.error(str(error), icon=":material/group_off:")
        return False
    seat.training_before = None if training is None else ref(training)
    seat.shows = "code"
    if led is not None:
        st.toast(
            _("Room {code} has ended: a tab leads one room.").format(code=led.code),
            icon=":material/group_off:",
        )
    return True


def join(workspace: Workspace, typed: str) -> str:
    """Join the room of a code; return why not, empty if this tab is in it now or its teacher is asked first."""
    rooms = server_rooms()
    other = st.context.cookies.get(SEAT_COOKIE, "")
    try:
        room = rooms.find(typed, address(), workspace.id, other)
        if room is None:
            return _("There is no room with this code. It may have ended.")
        st.session_state[_LINKED] = room.code
        seat = rooms.seat_of(workspace.id)
        if seat is not None and seat.is_teacher and seat.room is not room:
            st.session_state[_INVITES] = room.code
        else:
            rooms.join(room, workspace.id, other)
    except (TooManyCodesError, RefusedError) as error:
        return str(error)
    return ""


def join_by_link(workspace: Workspace) -> None:
    """Join the room that the address names; a room that has ended is just the page.

    A reloaded tab has joined as a new one before its browser has said which it was: then it joins as that one.
    """
    with value_of_link(ROOM) as code:
        if take_return() and not code:
            code = st.session_state.get(_LINKED, "")
        if not code or not server_settings().rooms:
            return
        if problem := join(workspace, code):
            tell(problem, icon=":material/group_off:")


def room_to_visit() -> Room | None:
    """Return the room whose link a teacher has opened, until the teacher has chosen to go there or not."""
    code = st.session_state.get(_INVITES)
    return server_rooms().get(code) if code else None


def answer_invitation(workspace: Workspace, room: Room, is_accepted: bool) -> None:
    """Go to the room whose link a teacher has opened, or not. The teacher's own room stays open."""
    st.session_state.pop(_INVITES, None)
    if not is_accepted:
        return
    try:
        server_rooms().join(room, workspace.id)
    except RefusedError as error:
        tell(error, icon=":material/group_off:")


def leave_room(workspace: Workspace) -> None:
    """Leave the room, which keeps this tab's place; a teacher who visits another room is back in the own one."""
    server_rooms().leave(workspace.id)
    memory_of(workspace).is_in_room = False


def close_room(workspace: Workspace, room: Room) -> None:
    """End the room that this tab leads for everyone."""
    server_rooms().close(room)
    st.session_state.pop(_INVITES, None)
    memory_of(workspace).is_in_room = False
