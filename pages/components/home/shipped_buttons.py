import streamlit as st

from core.classroom.workspace import Workspace
from pages.components.app.menu import TRANSLATE, is_shown
from pages.components.app.models import shipped_models
from pages.components.widgets.model.current_model import languages_of


def show_shipped_buttons(workspace: Workspace) -> bool:
    """A button for each shipped model, which makes it the current one; whether one was pressed."""
    models = shipped_models() if is_shown(TRANSLATE) else []
    pressed = False
    if models:
        st.caption("Or translate right away with a trained model:")
    with st.container(horizontal=True):
        for model in models:
            if st.button(
                f"Translate {languages_of(model) or model.name}",
                icon=":material/translate:",
                key=f"open_{model.id}",
                help=f"{model.name}: a trained model that comes with the app, with nothing to download or train.",
            ):
                workspace.model = model
                pressed = True
    return pressed
