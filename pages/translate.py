"""Translate a text, or many lines."""

import math
import re
from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.config import DecodingConfig
from core.corpora.languages import language_name, language_of
from core.durations import brief
from core.errors import InputError
from core.figures.plotly.decoding import candidates_figure
from core.figures.theme import percent
from core.inference.texts import is_unsure
from core.language import N_, _, ngettext, number
from core.records.text import ExplainedTranslation, Translation
from core.server.jobs import JobState, Status
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel, file_name
from core.server.translation_job import TextResult, TranslationProgress, TranslationRequest
from core.server.workspace import Workspace
from core.tokens.word import likely_words
from pages.components.explaining.figure import SCREEN, show_figure, show_table
from pages.components.explaining.view import View, above_figure, show_heading, show_view
from pages.components.frame.device import is_phone
from pages.components.frame.menu import link_to
from pages.components.frame.presenting import is_presenting
from pages.components.frame.visit import Visit
from pages.components.model.choice import choose_model
from pages.components.model.facts import facts_of
from pages.components.model.progress import show_live_translation
from pages.components.model.sentence import (
    TEXT,
    check_work,
    choose_sentence,
    decoding_settings,
    lay_out_translation,
    show_period_added,
    show_sentence_row,
    show_unknown_tokens,
    state_after_wait,
    try_to_translate,
)
from pages.components.one_page.offer import offer_page
from pages.components.widgets.download import csv_of_table, show_download
from pages.components.widgets.numbers import label_of_example
from pages.components.widgets.state import choose, set_value, text_area
from pages.components.widgets.telling import show_problem
from pages.content.markdown import plain
from pages.content.pages import ATTENTION_MAPS

_LONG = 200  # characters that are too many for a heading
_STEPS_AT_ONCE = 14  # whose candidates can be read side by side


def _show_result(visit: Visit, result: TextResult) -> None:
    """Show unknown words, the translation, and how the model arrived at it."""
    said, written = lay_out_translation(visit)
    text = plain(result.whole.text) or _("(an empty translation: the model ends immediately)")
    if len(text) <= _LONG:
        if is_presenting():  # the sentence's own box is behind a button
            written.markdown(plain(result.text))
        written.subheader(text, divider="blue")
    else:
        with st.container(border=True):
            st.markdown(text)
    typed = language_of(result.text)
    read = result.model.source_language
    if typed is not None and read and language_name(typed) != read:
        st.warning(
            _(
                "This looks like {typed}, but this model translates from {language} and will read it as {language}."
            ).format(typed=_(language_name(typed)), language=_(read)),
            icon=":material/translate:",
        )
    chosen = choose_sentence(result)
    if chosen is None:
        return
    translation = chosen.sentence
    if len(result.whole.sentences) > 1:
        st.markdown(f"{plain(translation.source)}  \n→ **{plain(translation.text)}**")
    with said:
        show_unknown_tokens(result.model, translation)
        _suggest_spelling(result, translation)
    if not translation.best.finished:
        st.warning(
            _(
                "Cut off: the translation reached its limit of {count} tokens before the model wrote an end token."
            ).format(count=len(translation.best.tokens))
        )
    _warn_low_confidence(result, chosen.number)
    _show_candidates(chosen.explained)
    examples = {pair.source: pair.target for pair in result.model.checkpoint.examples}
    if reference := examples.get(result.text.strip()):
        shown = plain(result.model.checkpoint.target_tokenizer.detokenized(reference))
        st.markdown(_("Reference translation: *{text}*").format(text=shown))
    _show_tokens(result.model, translation)
    st.caption(_facts(result, translation))
    if result.model.is_subword:
        st.caption(
            _("Tokens are words or subwords; ## joins a subword to the one before. Numbers are token ids.")
        )
    if len(translation.hypotheses) > 1:
        _show_hypotheses(translation, sampled=result.decoding.samples > 0)
    offer_page(visit, result.model, chosen)


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
        _("Did you mean “{text}”?").format(text=label_of_example(text)),
        icon=":material/spellcheck:",
        key="did_you_mean",
        on_click=set_value,
        args=(TEXT, text),
        help=_("Some words here are not in the model's vocabulary. All words of this suggestion are."),
    )


def _warn_low_confidence(result: TextResult, place: int) -> None:
    said = []
    best = result.whole.sentences[place].best
    if is_unsure(best, result.decoding):
        said.append(
            _(
                "Low confidence: the model gave its tokens a probability of only {share} on average. The translation may "
                "be wrong or made up."
            ).format(share=number(best.mean_probability, ".0%"))
        )
    others = [
        str(other + 1)
        for other, each in enumerate(result.whole.sentences)
        if other != place and is_unsure(each.best, result.decoding)
    ]
    if others:
        text = ngettext(
            "Low confidence in sentence {numbers}.", "Low confidence in sentences {numbers}.", len(others)
        )
        said.append(text.format(numbers=", ".join(others)))
    if said:
        st.warning(" ".join(said), icon=":material/psychology_alt:")


def _show_tokens(model: TrainedModel, translation: Translation) -> None:
    target = model.checkpoint.target_tokenizer
    read = badges(translation.source_tokens, translation.source_ids, translation.unknown)
    st.markdown(f"{_('**What the model reads:**')} {read}")
    best = translation.best
    target_ids = [token_id for token_id in best.ids if not target.vocabulary.is_special(token_id)]
    if target_ids:
        written = badges(best.tokens, target_ids, [False] * len(target_ids))
        st.markdown(f"{_('**What it writes:**')} {written}")
    show_period_added(translation)


def badges(tokens: Sequence[str], ids: Sequence[int], unknown: Sequence[bool]) -> str:
    """Return tokens with their ids as colored badges; unknown ones stand out."""
    says_unknown = _("unknown")
    return " ".join(
        f":orange-badge[{plain(token)} · {token_id} · {says_unknown}]"
        if is_unknown
        else f":blue-badge[{plain(token)} · {token_id}]"
        for token, token_id, is_unknown in zip(tokens, ids, unknown, strict=True)
    )


def _show_candidates(explained: ExplainedTranslation) -> None:
    """Show the most likely tokens of each step; for a long sentence, some steps at a time."""
    tokens = explained.attention.predicted_tokens
    parts = range(0, len(tokens), _STEPS_AT_ONCE)
    first = 0
    with above_figure(), st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("**Top-5 candidates per step**, with probabilities:"), width="content")
        if len(parts) > 1:
            first = choose(
                _("Steps"),
                {start: f"{start + 1}–{min(start + _STEPS_AT_ONCE, len(tokens))}" for start in parts},
                key="steps",
                hide_label=True,
            )
    steps = range(first, min(first + _STEPS_AT_ONCE, len(tokens)))
    show_figure(
        candidates_figure(explained, steps, SCREEN),
        alt=_("The five most likely tokens of each step"),
        key="candidates",
    )


def _facts(result: TextResult, translation: Translation) -> str:
    best = translation.best
    facts = []
    if (count := len(result.whole.sentences)) > 1:
        facts.append(ngettext("{count} sentence", "{count} sentences", count).format(count=count))
    facts.append(f"**{brief(result.seconds)}**")
    facts.append(
        _("probability {share} (log P = {log_p} nats)").format(
            share=percent(math.exp(best.log_probability)), log_p=number(best.log_probability, "z.2f")
        )
    )
    # Greedy decoding and sampling have no separate score: it is log P.
    if result.decoding.beam_size > 1:
        facts.append(_("score {score}").format(score=number(best.score, "z.2f")))
    facts.append(_("{share} per token (geometric mean)").format(share=number(best.mean_probability, ".0%")))
    return " · ".join(facts)


def _show_hypotheses(translation: Translation, sampled: bool) -> None:
    st.markdown(_("**Samples:**") if sampled else _("**Beams, best first:**"))
    hypotheses = translation.hypotheses
    score, log_p = _("Score"), _("log P")
    table = pd.DataFrame(
        {
            _("Translation"): [hypothesis.text for hypothesis in hypotheses],
            score: [hypothesis.score for hypothesis in hypotheses],
            log_p: [hypothesis.log_probability for hypothesis in hypotheses],
            _("Tokens"): [len(hypothesis.tokens) for hypothesis in hypotheses],
            _("Finished"): [hypothesis.finished for hypothesis in hypotheses],
        }
    )
    alt = (
        _("All samples with their log P")
        if sampled
        else _("All hypotheses of the beam search with their log P")
    )
    show_table(table, (score, log_p), alt=alt)
    st.caption(
        _("log P is the model's own, without temperature; closer to 0 is more likely.")
        if sampled
        else _("Beam search ranks by the score: log P divided by a length penalty; closer to 0 is better.")
    )


def _show_batch(workspace: Workspace, model: TrainedModel, decoding: DecodingConfig) -> None:
    """Show a box for many lines, and the translations of the last ones."""
    job = workspace.jobs.lines
    in_language = _("One text in {language} per line").format(language=_(model.source_language))
    with st.form("batch", border=False):
        text = text_area(
            in_language if model.source_language else _("One text per line"),
            "\n".join(pair.source for pair in model.checkpoint.examples),
            key="lines",
            height=220,
        )
        clicked = st.form_submit_button(
            _("Translate all lines"),
            type="primary",
            icon=":material/translate:",
            key="translate_lines",
            disabled=job is not None and job.active,
        )
    if clicked:
        try:
            request = TranslationRequest(model, lines_of(text, decoding), decoding, keep_problems=True)
            workspace.jobs.start_lines(request)
        except InputError as error:
            show_problem(error)
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
        InputError: There are none, too many, or too long ones.
    """
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    if not lines:
        raise InputError(_("There are no words to translate. Type one text per line."))
    limits = server_settings()
    for received, most, says in (
        (
            len(lines),
            limits.max_lines,
            N_("At most {most} lines are translated at once. Received: {received}."),
        ),
        (
            len(text),
            limits.max_text,
            N_("At most {most} characters are translated at once. Received: {received}."),
        ),
    ):
        if received > most:
            raise InputError(_(says).format(most=number(most, ","), received=number(received, ",")))
    check_work(text, decoding)
    return lines


def _show_translated(request: TranslationRequest, state: JobState[TranslationProgress]) -> None:
    """Show the finished lines; one without words has no translation and no score."""
    done = [text for text in state.progress.texts if not text.left]
    if not done:
        return
    unsure = [any(is_unsure(each.best, request.decoding) for each in text.sentences) for text in done]
    score = _("score")
    table = pd.DataFrame(
        {
            _("source"): [text.source for text in done],
            _("translation"): [text.text for text in done],
            score: [
                fmean(each.best.score for each in text.sentences) if text.sentences else None for text in done
            ],
            _("to check"): [_("low confidence") if is_one else "" for is_one in unsure],
        }
    )
    translated = ngettext(
        "**{model}** translated {count} line in {duration}.",
        "**{model}** translated {count} lines in {duration}.",
        len(done),
    ).format(model=plain(request.model.name), count=number(len(done), ","), duration=brief(state.seconds))
    means = (
        _(
            "Score: log P divided by the length penalty, averaged over a line's sentences; closer to 0 is more "
            "confident."
        )
        if request.decoding.beam_size > 1
        else _("Score: log P, averaged over a line's sentences; closer to 0 is more confident.")
    )
    st.caption(f"{translated} {means}")
    show_table(table, (score,), alt=_("Each line with its translation and score"))
    name = f"translations-{file_name(request.model.name)}.csv"
    show_download(_("Download as CSV"), partial(csv_of_table, table), name)


class _Asked(NamedTuple):
    """What is to be translated, and how."""

    model: TrainedModel
    decoding: DecodingConfig
    text: str | None  # None: many lines, which have a box of their own


def _ask(visit: Visit) -> _Asked | None:
    """Ask for the model, the input, a text and the search."""
    sentence_row = st.container()  # above the choice of its input
    with visit.bar.get("row") or st.container(horizontal=not is_phone(), vertical_alignment="bottom"):
        mode = choose(
            _("Input"),
            {"text": _("Single"), "lines": _("Batch")},
            key="mode",
            help=_("A batch is many texts, one per line."),
        )
        decoding = decoding_settings()
    if mode == "lines":
        model = choose_model(visit, sentence_row)
        return None if model is None else _Asked(model, decoding, None)
    with sentence_row:
        row = show_sentence_row(visit)
    if row is None:
        return None
    model, text, folded = row
    folded.caption(facts_of(model))
    return _Asked(model, decoding, text)


def _show_translation(visit: Visit, asked: _Asked) -> None:
    model, decoding, text = asked
    if text is None:
        _show_batch(visit.workspace, model, decoding)
        return
    result = try_to_translate(visit.workspace, model, text, decoding, server_settings().max_text)
    if result is not None:
        _show_result(visit, result)
        link_to(ATTENTION_MAPS, _("See the attention weights"))


def main(visit: Visit) -> None:
    row = st.container(horizontal=True, vertical_alignment="center")
    show_heading(visit, row)
    view = View(partial(_ask, visit), partial(_show_translation, visit), is_long=True)
    show_view(visit, "text", view, row)
