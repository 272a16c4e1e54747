import streamlit as st

from pages.components.catalogue import PAGES, PageEntry


def show_neighbours(page: PageEntry) -> None:
    """At the foot of a page: the one before it and the one after it on the guided path."""
    place = PAGES.index(page)
    st.divider()
    left, right = st.columns(2)
    if place > 0:
        before = PAGES[place - 1]
        left.page_link(before.file, label=f"Back: {before.title}", icon=":material/arrow_back:")
    if place + 1 < len(PAGES):
        after = PAGES[place + 1]
        right.page_link(after.file, label=f"Next: **{after.title}**", icon=":material/arrow_forward:")
