import math

import pandas as pd
import streamlit as st

from core.figures.candidates import candidates_figure, candidates_info
from pages.components.catalogue import ATTENTION_MAPS
from pages.components.controls import decoding_settings
from pages.components.current_model import describe_current_model
from pages.components.figure import show_figure
from pages.components.offer import model_or_offer
from pages.components.session import workspace
from pages.components.translating import translation_of
from pages.components.words import badges, plain

mine = workspace()

st.title("Translate")
st.markdown("Type a sentence and follow it through the model: into tokens, and out again word by word.")
model = model_or_offer(mine)
describe_current_model(mine)

examples = [pair.source for pair in model.checkpoint.examples]


def _take_example() -> None:
    if chosen := st.session_state["example"]:
        st.session_state["sentence"] = chosen


if "sentence" not in st.session_state and examples and "sentence" not in st.query_params:
    st.session_state["sentence"] = examples[-1]
field, button = st.columns([5, 1], vertical_alignment="bottom")
sentence = field.text_input(
    "A sentence in the source language", key="sentence", bind="query-params", placeholder="je suis fatigué"
)
button.button("Translate", type="primary", width="stretch")  # leaving the field translates as well
st.pills("Examples", examples, key="example", on_change=_take_example)
decoding = decoding_settings()

try:
    translation = translation_of(mine, model, sentence, decoding)
except ValueError as error:
    st.error(plain(str(error)), icon=":material/error:")
    st.stop()

best = translation.best
st.subheader(plain(best.text) or "(the model says nothing and ends)", divider="blue")
if not best.finished:
    st.warning("Cut off: the model did not end the sentence within its longest target length.")
st.caption(
    f"log P = {best.log_probability:.3f} nats · score {best.score:.3f} · "
    f"a probability of {math.exp(best.log_probability):.1%} for exactly this sentence"
)

ids = model.checkpoint.source_tokenizer.encode(sentence)
st.markdown(f"**What the model reads:** {badges(translation.source_tokens, ids, translation.unknown)}")
if any(translation.unknown):
    st.info(
        "A word-level model knows only the words it was trained on. Every other word becomes the same id "
        f"{model.checkpoint.source_tokenizer.vocabulary.unknown_id}, so it cannot tell them apart or translate them.",
        icon=":material/help:",
    )

st.markdown("**What it might have said at each step**, with probabilities:")
if translation.attention:
    info = candidates_info(translation.attention.predicted_tokens, translation.candidates)
    show_figure(candidates_figure(info), alt="The five most likely tokens of each step")
if len(translation.hypotheses) > 1:
    st.markdown("**The beams, best first:**")
    st.dataframe(
        pd.DataFrame(
            {
                "Translation": [hypothesis.text for hypothesis in translation.hypotheses],
                "Score": [hypothesis.score for hypothesis in translation.hypotheses],
                "log P": [hypothesis.log_probability for hypothesis in translation.hypotheses],
                "Ended": [hypothesis.finished for hypothesis in translation.hypotheses],
            }
        ),
        hide_index=True,
        alt="All hypotheses of the beam search with their scores",
    )
st.page_link(ATTENTION_MAPS.file, label="See what each word looked at", icon=ATTENTION_MAPS.icon)
