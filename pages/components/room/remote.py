"""The teacher's remote: a phone that leads the class, and the projector that does what it says."""

import streamlit as st

from core.figures.svg.paper import qr_svg
from core.language import _, number
from core.server.room import Room
from core.server.rooms import TICKET_SECONDS
from pages.components.frame.session import server_rooms
from pages.components.frame.share import root_address
from pages.components.widgets.component import draw_component

_REMOTE = "remote"  # name of the component, and its key
_TICKET = "remote_ticket"  # key of st.session_state: the ticket that is shown


def offer_remote(room: Room) -> None:
    """Offer the teacher to lead from a phone: not in presenter mode, where the class would see the code."""
    if room.has_remote:
        st.button(_("Take the remote away"), icon=":material/phonelink_off:", on_click=room.take_remotes_away)
        return
    if st.button(
        _("Lead from your phone"),
        icon=":material/smartphone:",
        key="new_remote",
        help=_("A code for you alone."),
    ):
        st.session_state[_TICKET] = server_rooms().new_ticket(room)
    ticket = st.session_state.get(_TICKET, "")
    if server_rooms().knows_ticket(ticket):
        address = f"{root_address()}/remote/{ticket}"
        st.image(qr_svg(address), alt=_("QR code of {address}").format(address=address), width=200)
        scan = _("Scan it with your own phone within {minutes} minutes. It works once.")
        st.caption(scan.format(minutes=number(TICKET_SECONDS / 60, ".0f")))


def obey_remote(room: Room) -> None:
    """Press the key of the page that the remote has pressed last, and tell the remote what its keys do."""

    def tell() -> None:
        keys = (st.session_state.get(_REMOTE) or {}).get("keys") or {}
        room.note_next(str(keys.get("next", "")), str(keys.get("train", "")))

    if room.has_remote:
        draw_component(_REMOTE, data=room.last_press._asdict(), on_keys_change=tell)
