"""The projector that does what the teacher's remote says."""

import streamlit as st

from core.server.room import Room
from pages.components.widgets.component import draw_component

_REMOTE = "remote"  # name of the component, and its key


def obey_remote(room: Room) -> None:
    """Press the key of the page that the remote has pressed last, and tell the remote what its keys do."""

    def tell() -> None:
        keys = (st.session_state.get(_REMOTE) or {}).get("keys") or {}
        room.note_next(str(keys.get("next", "")), str(keys.get("train", "")))

    if room.has_remote:
        draw_component(_REMOTE, data=room.last_press._asdict(), on_keys_change=tell)
