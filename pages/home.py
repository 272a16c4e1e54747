import streamlit as st

from core.classroom.workspace import why_no_training
from pages.components.app.menu import TRAIN, TRANSLATE, is_shown
from pages.components.app.session import current_workspace
from pages.components.home.glossary import show_glossary
from pages.components.home.guided_path import show_begin, show_guided_path
from pages.components.home.model_picture import show_model_picture
from pages.components.home.shipped_buttons import show_shipped_buttons
from pages.components.lesson.followed import choose_lesson
from pages.components.widgets.model.current_model import current_model, describe_current_model
from pages.components.widgets.model.training import start_classroom_training, training_is_off
from pages.components.widgets.page.heading import show_heading
from pages.components.widgets.remembered import toggle

visitor = current_workspace()

left, right = st.columns([3, 4], gap="large")
with left:
    show_heading("home")
    pressed = st.button(
        "Train a Transformer now",
        type="primary",
        icon=":material/play_arrow:",
        disabled=visitor.training or bool(why_no_training()) or not is_shown(TRAIN),
        help="Fifteen French–English pairs, 200 epochs, a few seconds.",
    )
    training_is_off()
    opened = show_shipped_buttons(visitor)
    describe_current_model(visitor)
    lesson = choose_lesson()
    show_begin(lesson)
with right:
    show_model_picture(current_model(visitor))

if pressed:
    start_classroom_training(visitor)
    st.switch_page(TRAIN.file)
if opened:
    st.switch_page(TRANSLATE.file)

if toggle(
    "Glossary",
    False,
    "glossary",
    help="The field's terms, the paper's sections, and the pages that show them.",
):
    show_glossary()
else:
    show_guided_path(lesson)
