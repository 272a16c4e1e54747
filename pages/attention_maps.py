import streamlit as st

from core.config import DecodingConfig
from core.figures.attention import AttentionKind
from pages.components.app.menu import TRANSLATE
from pages.components.app.session import workspace
from pages.components.app.translating import answer_of
from pages.components.attention_maps.heads import show_head, show_heads
from pages.components.widgets.final_stop import say_stop_added
from pages.components.widgets.live_translation import show_live_translation
from pages.components.widgets.model_choice import choose_model
from pages.components.widgets.sentence_choice import choose_sentence
from pages.components.widgets.words import plain

KINDS: dict[AttentionKind, str] = {
    "cross": "Cross: target looks at source",
    "encoder": "Encoder: source looks at source",
    "decoder": "Decoder: target looks at target",
}
CAPTIONS: dict[AttentionKind, str] = {
    "cross": "Each row is a step that chose the word at its left; each column a source word.",
    "encoder": "Each row is a source word that gathers from the words in the columns.",
    "decoder": "Each row is a word already said, looking at itself and the words before; the future is blank.",
}

mine = workspace()

st.title("Attention maps")
st.markdown("Which word each word looked at, in every layer and head of the last translation.")
model = choose_model(mine)

answer = mine.answer if mine.answer and mine.answer.model is model else None
example = model.first_example
if answer is None and example is None:
    st.info("There is no translation yet.", icon=TRANSLATE.icon)
    st.page_link(TRANSLATE.file, label="Translate a sentence", icon=TRANSLATE.icon)
    st.stop()
try:
    answer = (
        answer_of(mine, model, answer.text, answer.decoding)
        if answer
        else answer_of(mine, model, example.source if example else "", DecodingConfig())
    )
except ValueError as error:
    st.error(plain(str(error)), icon=":material/error:")
    st.stop()
if answer is None:
    if mine.translation is not None:
        show_live_translation(mine.translation)
    st.stop()
translation = choose_sentence(mine, answer)
record = translation.attention
assert record is not None  # answer_of explains

if len(answer.whole.sentences) == 1:
    st.markdown(f"### {plain(translation.source)} → {plain(translation.text)}")
say_stop_added(translation)
st.page_link(TRANSLATE.file, label="Translate another sentence", icon=TRANSLATE.icon)

num_layers, num_heads = record.cross.shape[:2]
first, second, third = st.columns([5, 3, 4], vertical_alignment="bottom")
kind = first.selectbox(
    "Which attention", list(KINDS), format_func=KINDS.__getitem__, key="kind", bind="query-params"
)
layer = second.segmented_control(
    "Layer",
    list(range(1, num_layers + 1)),
    default=num_layers,
    required=True,
    key="layer",
    bind="query-params",
)
fixed = third.toggle(
    "Colours from 0 to 1",
    value=True,
    key="fixed",
    bind="query-params",
    help="On: colours can be compared between figures. Off: from 0 to the highest weight shown.",
)
head = st.segmented_control(
    "Head",
    ["all", "mean", *map(str, range(1, num_heads + 1))],
    default="all",
    required=True,
    format_func=lambda name: {"all": "All", "mean": "Mean"}.get(name, f"Head {name}"),
    key="head",
    bind="query-params",
)
# A stored address may name a layer or head that this model does not have.
shown_layer = min(layer or num_layers, num_layers) - 1
if head == "all":
    show_heads(record, kind, shown_layer, fixed)
else:
    shown_head = min(int(head), num_heads) - 1 if head and head.isdecimal() else None
    show_head(record, kind, shown_layer, shown_head, fixed)
st.caption(
    f"{CAPTIONS[kind]} Rows look at columns, and each row sums to 1: how the word shared out its looking. "
    "Hover to read the weight."
)
st.info(
    "Attention shows where information could flow, not why the model chose a word. Every later layer mixes "
    "what the earlier ones gathered, and very different maps can give the same translation: read it as a "
    "trace, not as an explanation.",
    icon=":material/psychology_alt:",
)
