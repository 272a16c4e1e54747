"""Screens in place of the page: the room's code for the back row, and the code of a remote for the teacher alone."""

import streamlit as st

from core.figures.svg.paper import qr_svg
from core.language import _, ngettext, number
from core.server.room import Room, Seat
from core.server.rooms import TICKET_SECONDS
from pages.components.frame.session import server_rooms
from pages.components.frame.share import room_address, root_address, show_reach

_LOOK_SECONDS = 1.0  # between two looks at the room
_TICKET = "remote_ticket"  # key of st.session_state: the ticket that is shown


def show_screen(seat: Seat) -> None:
    """Show a code in place of the page, until the teacher goes on."""
    with st.container(key="room_screen"):
        if seat.shows == "code":
            _show_room(seat)
        else:
            _show_remote(seat)


def _show_page(seat: Seat) -> None:
    """Show the page again; what was to be scanned is good no more."""
    seat.shows = "page"
    server_rooms().withdraw_ticket(seat.room)


def _show_room(seat: Seat) -> None:
    address = room_address(seat.room.code)
    picture, words = st.columns(2, gap="large", vertical_alignment="center")
    picture.image(qr_svg(address), alt=_("QR code of {address}").format(address=address), width="stretch")
    with words:
        st.markdown(f"## {seat.room.code}")
        st.markdown(address.partition("//")[2])
        _count(seat)
        _show_way_on(seat, "screen_done")
        with st.container(key="room_reach"):
            show_reach("room_screen")


def _show_way_on(seat: Seat, key: str) -> None:
    st.button(
        _("Go on"),
        type="primary",
        icon=":material/arrow_forward:",
        key=key,
        on_click=_show_page,
        args=(seat,),
    )


@st.fragment(run_every=_LOOK_SECONDS)
def _count(seat: Seat) -> None:
    num_here = seat.room.num_here
    here = ngettext("**{count}** is here", "**{count}** are here", num_here)
    st.markdown(here.format(count=num_here))


def _show_remote(seat: Seat) -> None:
    """Show the code that makes a phone the teacher's remote, once the teacher has taken it from the class's eyes."""
    room = seat.room
    ticket = st.session_state.get(_TICKET, "")
    can_be_scanned = server_rooms().knows_ticket(ticket)
    if room.has_remote:
        st.markdown("### " + _("A phone leads the class"))
        st.markdown(_("Is it not yours? Then somebody else has scanned the code: take the remote away."))
        take_remote_away(room, "screen_take_remote")
    elif can_be_scanned:
        address = f"{root_address()}/remote/{ticket}"
        st.image(qr_svg(address), alt=_("QR code of {address}").format(address=address), width=320)
        scan = _("Scan it with your own phone within {minutes} minutes. It works once.")
        st.markdown(scan.format(minutes=number(TICKET_SECONDS / 60, ".0f")))
        _wait_for_scan(room, ticket)
    else:
        st.markdown("### " + _("Switch the projector off"))
        st.markdown(_("Whoever scans the code leads the class."))
        st.button(
            _("Only I see this screen: show the code"),
            icon=":material/qr_code:",
            key="new_remote",
            on_click=_make_ticket,
            args=(room,),
        )
    # No key leads on from here: whoever has scanned the code must not hide that.
    _show_way_on(seat, "remote_done")


def _make_ticket(room: Room) -> None:
    st.session_state[_TICKET] = server_rooms().new_ticket(room)


def take_remote_away(room: Room, key: str) -> None:
    """Offer to let no phone lead the class any more."""
    st.button(
        _("Take the remote away"), icon=":material/phonelink_off:", on_click=room.take_remotes_away, key=key
    )


@st.fragment(run_every=_LOOK_SECONDS)
def _wait_for_scan(room: Room, ticket: str) -> None:
    """Run the page again when the ticket is taken, or too old."""
    if not server_rooms().knows_ticket(ticket):
        st.rerun()
