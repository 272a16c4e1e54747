import streamlit as st

from core.figures.architecture import architecture_info, architecture_svg
from core.presets import CLASSROOM
from pages.components.app.menu import TRAIN, TRANSLATE
from pages.components.app.session import current_workspace
from pages.components.home.guided_path import show_guided_path
from pages.components.home.shipped_buttons import show_shipped_buttons
from pages.components.widgets.current_model import describe_current_model
from pages.components.widgets.svg import show_svg
from pages.components.widgets.training import start_classroom_training

visitor = current_workspace()

left, right = st.columns([2, 3], gap="large", vertical_alignment="center")
with left:
    st.title("Transformer Classroom")
    st.markdown(
        "Watch a translation Transformer learn, translate with one that has, then look inside it. "
        "These are real models, small enough to train while you watch and to read number by number."
    )
    pressed = st.button(
        "Train a Transformer now",
        type="primary",
        icon=":material/play_arrow:",
        disabled=visitor.training,
        help="Fifteen French–English pairs, 200 epochs, a few seconds.",
    )
    st.caption("The one thing to press first. Fifteen French–English sentences, a few seconds.")
    opened = show_shipped_buttons(visitor)
    describe_current_model(visitor)
with right:
    show_svg(architecture_svg(architecture_info(CLASSROOM.model, "French", "English")))

if pressed:
    start_classroom_training(visitor)
    st.switch_page(TRAIN.file)
if opened:
    st.switch_page(TRANSLATE.file)

show_guided_path(visitor)
