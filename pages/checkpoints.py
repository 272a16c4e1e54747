import streamlit as st

from pages.components.app.models import shipped_models
from pages.components.app.session import current_workspace
from pages.components.checkpoints.entry import show_entry
from pages.components.widgets.model.open_checkpoint import open_checkpoint
from pages.components.widgets.page.heading import show_heading

workspace = current_workspace()

show_heading("checkpoints")
st.subheader("Shipped with the app")
for model in shipped_models():
    show_entry(workspace, model)
if not shipped_models():
    st.caption("None: the folder core/pretrained is empty.")

st.subheader("Yours, in this browser tab")
for model in reversed(workspace.models):
    show_entry(workspace, model)
if not workspace.models:
    st.caption("None yet. Train a model, or open a checkpoint below.")
else:
    st.caption("The last few models are kept while this tab is open. Download those you want to keep.")
open_checkpoint(workspace)
