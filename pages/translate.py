"""Translate a text, or many lines."""

import math
import re
from functools import partial
from statistics import fmean

import pandas as pd
import streamlit as st

from core.config import DecodingConfig
from core.corpora.languages import language_name, language_of
from core.durations import brief
from core.figures.plotly.decoding import candidates_figure
from core.figures.theme import percent
from core.inference.texts import is_unsure
from core.records.text import ExplainedTranslation, Translation
from core.server.jobs import JobState, Status
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel, file_name
from core.server.translation_job import TextResult, TranslationProgress, TranslationRequest
from core.server.workspace import Workspace
from core.tokens.word import likely_words
from pages.components.explaining.figure import SCREEN, show_figure, show_table
from pages.components.explaining.prediction import offer_prediction, predict_or_end
from pages.components.explaining.view import offer_exercise, show_heading
from pages.components.frame.menu import end_page, link_to
from pages.components.frame.presenting import is_presenting
from pages.components.frame.visit import Visit
from pages.components.model.choice import choose_model, facts_of
from pages.components.model.progress import show_live_translation
from pages.components.model.sentence import (
    TEXT,
    TextError,
    check_work,
    choose_sentence,
    decoding_settings,
    show_period_added,
    show_sentence_row,
    show_unknown_tokens,
    state_after_wait,
    translate_or_end,
)
from pages.components.widgets.download import csv_of_table, show_download
from pages.components.widgets.markdown import badges, plain
from pages.components.widgets.numbers import label_of_example
from pages.components.widgets.state import choose, set_value, text_area
from pages.content.pages import ATTENTION_MAPS
from pages.content.reader import PAGE_TEXTS

_LONG = 200  # characters that are too many for a heading
_STEPS_AT_ONCE = 14  # whose candidates can be read side by side


def _show_result(visit: Visit, result: TextResult) -> None:
    """Show unknown words, the translation, and how the model arrived at it."""
    with visit.in_bar("above"):
        above = st.container()
    text = plain(result.whole.text) or "(an empty translation: the model ends immediately)"
    if len(text) <= _LONG:
        with visit.in_bar("translation"):
            if is_presenting():  # the sentence's own box is behind a button
                st.markdown(plain(result.text))
            st.subheader(text, divider="blue")
    else:
        with st.container(border=True):
            st.markdown(text)
    typed = language_of(result.text)
    read = result.model.source_language
    if typed is not None and read and language_name(typed) != read:
        st.warning(
            f"This looks like {language_name(typed)}, but this model translates from {read} and will read it as {read}.",
            icon=":material/translate:",
        )
    chosen = choose_sentence(result)
    translation = chosen.sentence
    if len(result.whole.sentences) > 1:
        st.markdown(f"{plain(translation.source)}  \n→ **{plain(translation.text)}**")
    with above:
        show_unknown_tokens(result.model, translation)
        _suggest_spelling(result, translation)
    if not translation.best.finished:
        st.warning(
            f"Cut off: the translation reached its limit of {len(translation.best.tokens)} tokens before the model "
            "wrote an end token."
        )
    _warn_low_confidence(result, chosen.number)
    _show_candidates(chosen.explained)
    examples = {pair.source: pair.target for pair in result.model.checkpoint.examples}
    if reference := examples.get(result.text.strip()):
        shown = plain(result.model.checkpoint.target_tokenizer.detokenized(reference))
        st.markdown(f"Reference translation: *{shown}*")
    _show_tokens(result.model, translation)
    st.caption(_facts(result, translation))
    if result.model.is_subword:
        st.caption(
            "Tokens are words or subwords; ## joins a subword to the one before. Numbers are token ids."
        )
    if len(translation.hypotheses) > 1:
        _show_hypotheses(translation, sampled=result.decoding.samples > 0)


def _suggest_spelling(result: TextResult, translation: Translation) -> None:
    """Show a button with a likely spelling of the text, if the model knows all words of that spelling."""
    if result.model.is_subword or not any(translation.unknown):
        return
    words = [
        word for word, unknown in zip(translation.source_tokens, translation.unknown, strict=True) if unknown
    ]
    likely_for = likely_words(words, result.model.checkpoint.source_tokenizer.vocabulary)
    if not set(words) <= likely_for.keys():
        return
    text = result.text
    for word, likely in likely_for.items():
        text = re.sub(rf"\b{re.escape(word)}\b", likely, text, flags=re.IGNORECASE)
    st.button(
        f"Did you mean “{label_of_example(text)}”?",
        icon=":material/spellcheck:",
        on_click=set_value,
        args=(TEXT, text),
        help="Some words here are not in the model's vocabulary. All words of this suggestion are.",
    )


def _warn_low_confidence(result: TextResult, number: int) -> None:
    said = []
    best = result.whole.sentences[number].best
    if is_unsure(best, result.decoding):
        said.append(
            f"Low confidence: the model gave its tokens a probability of only {best.mean_probability:.0%} on average. "
            "The translation may be wrong or made up."
        )
    others = [
        str(other + 1)
        for other, each in enumerate(result.whole.sentences)
        if other != number and is_unsure(each.best, result.decoding)
    ]
    if others:
        said.append(
            f"Low confidence in {'sentences' if len(others) > 1 else 'sentence'} {', '.join(others)}."
        )
    if said:
        st.warning(" ".join(said), icon=":material/psychology_alt:")


def _show_tokens(model: TrainedModel, translation: Translation) -> None:
    target = model.checkpoint.target_tokenizer
    read = badges(translation.source_tokens, translation.source_ids, translation.unknown)
    st.markdown(f"**What the model reads:** {read}")
    best = translation.best
    target_ids = [token_id for token_id in best.ids if not target.vocabulary.is_special(token_id)]
    if target_ids:
        st.markdown(f"**What it writes:** {badges(best.tokens, target_ids, [False] * len(target_ids))}")
    show_period_added(translation)


def _show_candidates(explained: ExplainedTranslation) -> None:
    """Show the most likely tokens of each step; for a long sentence, some steps at a time."""
    tokens = explained.attention.predicted_tokens
    parts = range(0, len(tokens), _STEPS_AT_ONCE)
    first = 0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Top-5 candidates per step**, with probabilities:", width="content")
        if len(parts) > 1:
            first = choose(
                "Steps",
                {start: f"{start + 1}–{min(start + _STEPS_AT_ONCE, len(tokens))}" for start in parts},
                key="steps",
                hide_label=True,
            )
    steps = range(first, min(first + _STEPS_AT_ONCE, len(tokens)))
    show_figure(
        candidates_figure(explained, steps, SCREEN),
        alt="The five most likely tokens of each step",
        key="candidates",
    )


def _facts(result: TextResult, translation: Translation) -> str:
    best = translation.best
    several = f"{len(result.whole.sentences)} sentences · " if len(result.whole.sentences) > 1 else ""
    # Greedy decoding and sampling have no separate score: it is log P.
    score = f"score {best.score:z.2f} · " if result.decoding.beam_size > 1 else ""
    probability = percent(math.exp(best.log_probability))
    return (
        f"{several}**{brief(result.seconds)}** · probability {probability} (log P = {best.log_probability:z.2f} nats) · "
        f"{score}{best.mean_probability:.0%} per token (geometric mean)"
    )


def _show_hypotheses(translation: Translation, sampled: bool) -> None:
    st.markdown("**Samples:**" if sampled else "**Beams, best first:**")
    hypotheses = translation.hypotheses
    table = pd.DataFrame(
        {
            "Translation": [hypothesis.text for hypothesis in hypotheses],
            "Score": [hypothesis.score for hypothesis in hypotheses],
            "log P": [hypothesis.log_probability for hypothesis in hypotheses],
            "Tokens": [len(hypothesis.tokens) for hypothesis in hypotheses],
            "Finished": [hypothesis.finished for hypothesis in hypotheses],
        }
    )
    what = "samples" if sampled else "hypotheses of the beam search"
    show_table(table, ("Score", "log P"), alt=f"All {what} with their log P")
    st.caption(
        "log P is the model's own, without temperature; closer to 0 is more likely."
        if sampled
        else "Beam search ranks by the score: log P divided by a length penalty; closer to 0 is better."
    )


def _show_batch(workspace: Workspace, model: TrainedModel, decoding: DecodingConfig) -> None:
    """Show a box for many lines, and the translations of the last ones."""
    job = workspace.jobs.lines
    with st.form("batch", border=False):
        text = text_area(
            f"One text in {model.source_language} per line" if model.source_language else "One text per line",
            "\n".join(pair.source for pair in model.checkpoint.examples),
            key="lines",
            height=220,
        )
        clicked = st.form_submit_button(
            "Translate all lines",
            type="primary",
            icon=":material/translate:",
            disabled=job is not None and job.active,
        )
    if clicked:
        try:
            request = TranslationRequest(model, lines_of(text, decoding), decoding, keep_problems=True)
            workspace.jobs.start_lines(request)
        except TextError as error:
            st.error(plain(str(error)), icon=":material/error:")
    job = workspace.jobs.lines
    if job is None:
        return
    state = state_after_wait(job)
    if state.status is not Status.FINISHED:
        show_live_translation(job, state, key="lines")
    if not state.active:
        _show_translated(job.work.request, state)


def lines_of(text: str, decoding: DecodingConfig) -> tuple[str, ...]:
    """Return the lines that are not blank.

    Raises:
        TextError: There are none, too many, or too long ones.
    """
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    if not lines:
        raise TextError("There are no words to translate. Type one text per line.")
    limits = server_settings()
    for received, most, what in (
        (len(lines), limits.max_lines, "lines"),
        (len(text), limits.max_text, "characters"),
    ):
        if received > most:
            raise TextError(f"At most {most:,} {what} are translated at once. Received: {received:,}.")
    check_work(text, decoding)
    return lines


def _show_translated(request: TranslationRequest, state: JobState[TranslationProgress]) -> None:
    """Show the finished lines; one without words has no translation and no score."""
    done = [text for text in state.progress.texts if not text.left]
    if not done:
        return
    unsure = [any(is_unsure(each.best, request.decoding) for each in text.sentences) for text in done]
    table = pd.DataFrame(
        {
            "source": [text.source for text in done],
            "translation": [text.text for text in done],
            "score": [
                fmean(each.best.score for each in text.sentences) if text.sentences else None for text in done
            ],
            "to check": ["low confidence" if is_one else "" for is_one in unsure],
        }
    )
    score = "log P divided by the length penalty" if request.decoding.beam_size > 1 else "log P"
    st.caption(
        f"**{plain(request.model.name)}** translated {len(done):,} line{'s' if len(done) > 1 else ''} in "
        f"{brief(state.seconds)}. Score: {score}, averaged over a line's sentences; closer to 0 is more confident."
    )
    show_table(table, ("score",), alt="Each line with its translation and score")
    name = f"translations-{file_name(request.model.name)}.csv"
    show_download("Download as CSV", partial(csv_of_table, table), name)


def main(visit: Visit) -> None:
    workspace = visit.workspace
    show_heading(visit)
    sentence_row = st.container()  # above the choice of its input
    controls = st.container(horizontal=True, vertical_alignment="bottom")
    with controls:
        mode = choose(
            "Input",
            {"text": "Single", "lines": "Batch"},
            key="mode",
            help="A batch is many texts, one per line.",
        )
        decoding = decoding_settings()
    if mode == "lines":
        _show_batch(workspace, choose_model(visit, sentence_row), decoding)
        end_page()
    with sentence_row:
        model, text, folded = show_sentence_row(visit)
    folded.caption(facts_of(model))
    texts = PAGE_TEXTS["translate"].views["text"]
    with controls:
        offer_prediction(visit, texts.prediction)
    predict_or_end(visit, "text")
    _show_result(visit, translate_or_end(workspace, model, text, decoding, server_settings().max_text))
    link_to(ATTENTION_MAPS, "See the attention weights")
    offer_exercise(visit, texts.exercise)
