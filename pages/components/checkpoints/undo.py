import streamlit as st

from core.classroom.workspace import Workspace
from pages.components.widgets.words import plain


def show_undo(mine: Workspace) -> None:
    """Offer back the model that was deleted last."""
    if mine.deleted is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Deleted: **{plain(mine.deleted.name)}**")
        st.button("Undo", icon=":material/undo:", on_click=mine.undelete)
