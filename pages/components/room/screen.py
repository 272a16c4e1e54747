"""The room's screen: its code for the back row, and how many have come."""

import streamlit as st

from core.figures.svg.paper import qr_svg
from core.language import _, ngettext
from core.server.room import Seat
from pages.components.frame.presenting import LEADS_ON
from pages.components.frame.share import room_address, show_reach

_LOOK_SECONDS = 1.0  # between two counts


def show_room_screen(seat: Seat) -> None:
    """Show the code of a room that has just been opened, in place of the page, until its teacher goes on."""
    address = room_address(seat.room.code)
    picture, words = st.container(key="room_screen").columns(2, gap="large", vertical_alignment="center")
    picture.image(qr_svg(address), alt=_("QR code of {address}").format(address=address), width="stretch")
    with words:
        st.markdown(f"## {seat.room.code}")
        st.markdown(address.partition("//")[2])
        _count(seat)
        st.button(
            _("Go on"),
            type="primary",
            icon=":material/arrow_forward:",
            key=LEADS_ON,
            on_click=show_code,
            args=(seat, False),
        )
        with st.container(key="room_reach"):
            show_reach("room_screen")


def show_code(seat: Seat, is_shown: bool) -> None:
    """Show the room's screen, or the page again."""
    seat.shows_code = is_shown


@st.fragment(run_every=_LOOK_SECONDS)
def _count(seat: Seat) -> None:
    num_here = seat.room.num_here
    here = ngettext("**{count}** is here", "**{count}** are here", num_here)
    st.markdown(here.format(count=num_here))
