import streamlit as st

from core.config import DecodingConfig
from core.figures.attention import AttentionKind, attention_figure, attention_info
from pages.components.catalogue import TRANSLATE
from pages.components.current_model import describe_current_model
from pages.components.figure import show_figure
from pages.components.heads import show_heads
from pages.components.offer import model_or_offer
from pages.components.session import workspace
from pages.components.translating import translation_of
from pages.components.words import plain

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
model = model_or_offer(mine)
describe_current_model(mine)

translation = mine.answer.translation if mine.answer and mine.answer.model is model else None
if translation is None:
    try:
        first_example = next((pair.source for pair in reversed(model.checkpoint.examples)), "")
        translation = translation_of(mine, model, first_example, DecodingConfig())
    except ValueError:
        st.info("There is no translation yet.", icon=TRANSLATE.icon)
        st.page_link(TRANSLATE.file, label="Translate a sentence", icon=TRANSLATE.icon)
        st.stop()
record = translation.attention
assert record is not None  # translation_of explains

st.markdown(f"### {plain(translation.source)} → {plain(translation.text)}")
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
    attention = attention_info(record, kind, shown_layer, shown_head)
    show_figure(attention_figure(attention, fixed), alt=attention.title)
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
