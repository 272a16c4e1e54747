import streamlit as st

from core.classroom.workspace import Workspace
from pages.components.widgets.words import plain


def show_undo(workspace: Workspace) -> None:
    """Offer back the model that was deleted last."""
    if workspace.deleted is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Deleted: **{plain(workspace.deleted.name)}**")
        st.button("Undo", icon=":material/undo:", on_click=workspace.undelete)
