import streamlit as st

from pages.components.app.doors import require_teacher
from pages.components.teacher.card import show_card
from pages.components.teacher.projector import choose_card

require_teacher()
left, right = st.columns([2, 5], gap="large")
with left:
    st.title("Teacher")
    card = choose_card()
with right:
    show_card(card)
