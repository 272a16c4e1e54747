import streamlit as st

from pages.components.app.doors import require_teacher
from pages.components.teacher.card import show_card
from pages.components.teacher.projector import choose_card
from pages.components.teacher.server import show_server
from pages.components.widgets.remembered import choose

require_teacher()
left, right = st.columns([2, 5], gap="large")
with left:
    st.title("Teacher")
    shown = choose("Show", {"address": "Address", "server": "Server"}, key="teacher_shows")
    card = choose_card() if shown == "address" else None
with right:
    if card is None:
        show_server()
    else:
        show_card(card)
