import streamlit as st

from pages.components.app.menu import TRANSLATE
from pages.components.app.session import current_workspace
from pages.components.attention_maps.maps import choose_map, show_map
from pages.components.attention_maps.translation import last_answer
from pages.components.widgets.model_choice import choose_model
from pages.components.widgets.sentence_choice import choose_sentence, say_stop_added
from pages.components.widgets.words import plain

workspace = current_workspace()

st.title("Attention maps")
st.markdown("Which position each position attends to, in every layer and head, for the last translation.")
model = choose_model(workspace)
answer = last_answer(workspace, model)
if answer is None:
    st.stop()
translation = choose_sentence(workspace, answer)
if len(answer.whole.sentences) == 1:
    st.markdown(f"### {plain(translation.source)} → {plain(translation.text)}")
say_stop_added(translation)
st.page_link(TRANSLATE.file, label="Translate another sentence", icon=TRANSLATE.icon)
if translation.attention is not None:
    show_map(translation.attention, choose_map(translation.attention))
st.info(
    "Attention shows where information could flow, not why the model chose a word. Every later layer mixes "
    "what the earlier ones gathered, and very different maps can give the same translation: read it as a "
    "trace, not as an explanation.",
    icon=":material/psychology_alt:",
)
