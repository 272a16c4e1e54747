"""A translated text as people read it, and one sentence of it as the model does."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.classroom.jobs import brief
from core.classroom.models import TrainedModel
from core.classroom.translation_job import Answer
from core.classroom.workspace import Workspace
from core.corpora.corpus import LANGUAGE_NAMES
from core.corpora.function_words import language_of
from core.inference.texts import is_unsure
from core.records import Translation
from core.tokens.subword import MAX_WORD_BYTES
from pages.components.translate.candidates import show_candidates
from pages.components.translate.did_you_mean import offer_likely_text
from pages.components.widgets.drawing.tables import for_display
from pages.components.widgets.sentence_choice import choose_sentence, say_stop_added
from pages.components.widgets.text_box import reference_for
from pages.components.widgets.words import badges, plain

_LONG = 200  # characters that are too many for a heading


def show_answer(workspace: Workspace, answer: Answer) -> None:
    """The translation first, then how it came about."""
    text = plain(answer.whole.text) or "(an empty translation: the model ends immediately)"
    if len(text) <= _LONG:
        st.subheader(text, divider="blue")
    else:
        with st.container(border=True):
            st.markdown(text)
    if reference := reference_for(answer.model, answer.text):
        st.markdown(f"Reference translation: *{plain(reference)}*")
    _say_wrong_language(answer)
    translation = choose_sentence(workspace, answer)
    offer_likely_text(answer, translation)
    if not translation.best.finished:
        st.warning(
            f"Cut off: the model may write at most {len(translation.best.tokens)} tokens here, and had not ended its "
            "sentence by then."
        )
    _say_low_confidence(answer, translation, (workspace.answer or answer).number)
    _show_tokens(answer.model, translation)
    show_candidates(translation)
    st.caption(_facts(answer, translation))
    _say_what_tokens_are(answer.model, translation)
    if len(translation.hypotheses) > 1:
        _show_hypotheses(translation, sampled=answer.decoding.samples > 0)


def _say_low_confidence(answer: Answer, chosen: Translation, number: int) -> None:
    said = []
    if is_unsure(chosen.best, answer.decoding):
        said.append(
            f"Low confidence: on average the model gave each token {chosen.best.mean_probability:.0%}. Check this "
            "translation: it may be wrong or invented."
        )
    others = [
        str(other + 1)
        for other, each in enumerate(answer.whole.sentences)
        if other != number and is_unsure(each.best, answer.decoding)
    ]
    if others:
        said.append(
            f"Low confidence in {'sentences' if len(others) > 1 else 'sentence'} {', '.join(others)}."
        )
    if said:
        st.warning(" ".join(said), icon=":material/psychology_alt:")


def _say_wrong_language(answer: Answer) -> None:
    typed, read = language_of(answer.text), answer.model.source_language
    if typed is not None and read and LANGUAGE_NAMES[typed] != read:
        st.warning(
            f"This looks like {LANGUAGE_NAMES[typed]}. The model reads {read} and treats any text as {read}.",
            icon=":material/translate:",
        )


def _facts(answer: Answer, translation: Translation) -> str:
    best = translation.best
    several = f"{len(answer.whole.sentences)} parts " if len(answer.whole.sentences) > 1 else ""
    # Greedy decoding and sampling have no score of their own: theirs is log P.
    score = f"score {best.score:z.3f} · " if answer.decoding.beam_size > 1 else ""
    return (
        f"{several}in **{brief(answer.seconds)}** · log P = {best.log_probability:z.3f} nats · "
        f"{score}a probability of {_percent(math.exp(best.log_probability))} for exactly this sentence, "
        f"{best.mean_probability:.0%} per token on average (geometric mean)"
    )


def _percent(probability: float) -> str:
    return f"{probability:.1%}" if probability >= 0.001 else "less than 0.1%"


def _show_tokens(model: TrainedModel, translation: Translation) -> None:
    source, target = model.checkpoint.source_tokenizer, model.checkpoint.target_tokenizer
    ids = source.encode(translation.read)
    st.markdown(f"**What the model reads:** {badges(translation.source_tokens, ids, translation.unknown)}")
    best = translation.best
    target_ids = [token_id for token_id in best.ids if not target.vocabulary.is_special(token_id)]
    if target_ids:
        st.markdown(f"**What it writes:** {badges(best.tokens, target_ids, [False] * len(target_ids))}")
    say_stop_added(translation)


def _say_what_tokens_are(model: TrainedModel, translation: Translation) -> None:
    if model.is_subword:
        st.caption(
            "Tokens are words or subwords; ## joins a subword to the one before. "
            "The number is the token's place in the vocabulary."
        )
    if any(translation.unknown):
        st.info(_unknown_text(model, translation), icon=":material/help:")


def _unknown_text(model: TrainedModel, translation: Translation) -> str:
    number = model.checkpoint.source_tokenizer.vocabulary.unknown_id
    if any(len(word.encode()) > MAX_WORD_BYTES for word in translation.read.split()):
        return (
            f"The limit here is on word length: a word of more than {MAX_WORD_BYTES} bytes is not split into subwords. "
            f"It gets the id {number} of the unknown token, whatever its letters."
        )
    if model.is_subword:
        return (
            "This model spells words it has never seen with subwords. Only characters that are in none of its subwords "
            f"get the id {number} of the unknown token, and it cannot tell those apart."
        )
    return (
        "A word-level model knows only the words it was trained on. Every other word becomes the same id "
        f"{number}, so it cannot tell them apart or translate them."
    )


def _show_hypotheses(translation: Translation, sampled: bool) -> None:
    st.markdown("**The samples, as they were drawn:**" if sampled else "**The beams, best first:**")
    st.dataframe(
        for_display(
            pd.DataFrame(
                {
                    "Translation": [hypothesis.text for hypothesis in translation.hypotheses],
                    "Score": [hypothesis.score for hypothesis in translation.hypotheses],
                    "log P": [hypothesis.log_probability for hypothesis in translation.hypotheses],
                    "Tokens": [len(hypothesis.tokens) for hypothesis in translation.hypotheses],
                    "Finished": [hypothesis.finished for hypothesis in translation.hypotheses],
                }
            )
        ),
        hide_index=True,
        column_config={
            "Score": st.column_config.NumberColumn(format="%.3f"),
            "log P": st.column_config.NumberColumn(format="%.3f"),
        },
        alt="All samples with their log P"
        if sampled
        else "All hypotheses of the beam search with their scores",
    )
    st.caption(
        "log P is the model's own, without temperature, top-k and top-p: closer to 0 is likelier. The same seed draws "
        "the same samples."
        if sampled
        else "Beam search ranks by the score: log P divided by a length penalty; closer to 0 is better."
    )
