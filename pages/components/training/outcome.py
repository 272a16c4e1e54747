"""What came of a training: a diagnosis, every pair with its translation, the curves, and the model."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.checkpoints.model_file import SUFFIX
from core.figures.plotly.training import training_curves_figure
from core.language import _, number
from core.presets import PAIRS_NAMES
from core.records.text import Pair, Translation
from core.server.jobs import JobState
from core.server.trained_model import file_name
from core.server.training_job import TrainingJob, TrainingPlan, TrainingProgress
from core.training.diagnosis import ExactMatches, diagnose_training
from core.training.pairs import MIN_VALIDATION_PAIRS, unknown_words
from core.training.recipe import PreparedTraining
from pages.components.explaining.figure import show_figure
from pages.components.frame.memory import PageMemory
from pages.components.frame.menu import link_to
from pages.components.frame.visit import Visit
from pages.components.model.choice import describe_current_model
from pages.components.one_page.offer import offer_page
from pages.components.widgets.download import show_download
from pages.content.markdown import plain
from pages.content.pages import ATTENTION_MAPS, TRANSLATE

_MAX_ROWS = 20  # rows of results above which the table scrolls
_SCORED_FROM = 20  # held-out pairs: fewer have no score worth reading
_MAX_SCORED = 16  # trainings whose scores are kept


class Outcome(NamedTuple):
    """The translations of a training at rest, and which of them are exact."""

    plan: TrainingPlan
    progress: TrainingProgress
    learned: list[bool]  # by pair trained on
    unseen: list[bool]  # by pair held out


def outcome_of(job: TrainingJob, state: JobState[TrainingProgress]) -> Outcome | None:
    """Return the outcome of a training in this state, None while there is none."""
    progress = state.progress
    if state.active or not progress.results:
        return None
    prepared = job.work.plan.prepared
    learned = _exact_matches(prepared, prepared.tried, progress.results)
    unseen = _exact_matches(prepared, prepared.held_out, progress.held_out_results)
    return Outcome(job.work.plan, progress, learned, unseen)


def _exact_matches(
    prepared: PreparedTraining, pairs: Sequence[Pair], results: Sequence[Translation]
) -> list[bool]:
    """Return which pairs are translated exactly, with the reference tokenized and joined like the output."""
    decode = prepared.target_tokenizer.decode
    encode = prepared.target_tokenizer.encode
    return [decode(encode(pair.target)) == result.text for pair, result in zip(pairs, results, strict=True)]


def show_diagnosis(memory: PageMemory, outcome: Outcome) -> None:
    """Show a sentence on what the numbers of a training mean."""
    plan, progress, learned, unseen = outcome
    prepared = plan.prepared
    missed = [
        plain(pair.source) for pair, is_right in zip(prepared.tried, learned, strict=True) if not is_right
    ]
    exact = ExactMatches(sum(learned), len(learned), sum(unseen), len(unseen), tuple(missed))
    text = diagnose_training(progress.epochs, exact, plan.experiment, prepared.model.causal_mask)
    if 0 < progress.weights_epoch < len(progress.epochs):
        translates = (
            _("It translates with the weights of epoch {epoch}, which had the lowest held-out loss.")
            if _is_validated(prepared)
            else _("It translates with the weights of epoch {epoch}, which had the lowest loss.")
        )
        text += " " + translates.format(epoch=number(progress.weights_epoch, ","))
    is_without_positions = prepared.model.positional_encoding == "none"
    if is_without_positions and all(learned) and memory.complete_pairs in PAIRS_NAMES:
        text += " " + _(
            "It can do without positions: hardly any two of these sentences differ only in word order."
        )
    if text:
        st.markdown(f":material/lightbulb: {text}")


def show_training_outcome(visit: Visit, outcome: Outcome | None, is_earlier: bool) -> None:
    """Show the results, perhaps of earlier pairs or settings, and what to do with the model."""
    workspace = visit.workspace
    if workspace.jobs.is_training:
        return
    if outcome is not None and is_earlier:
        with st.expander(_("Results with earlier pairs or settings"), icon=":material/history:"):
            _show_results(outcome)
    elif outcome is not None:
        _show_results(outcome)
        _show_curves(outcome.progress)
    model = workspace.models.trained or workspace.models.selected
    if model is None or model.shipped:
        return
    describe_current_model(workspace)
    with st.container(horizontal=True):
        if model is not workspace.models.selected:
            st.button(
                _("Use this model"),
                icon=":material/check:",
                key="use_trained",
                on_click=workspace.models.select,
                args=(model,),
            )
        link_to(TRANSLATE, _("Translate with it"))
        link_to(ATTENTION_MAPS, _("See its attention"))
        show_download(
            _("Download the checkpoint"),
            model.to_bytes,
            f"{file_name(model.name)}{SUFFIX}",
            key="download_trained",
        )
        offer_page(visit, model)


def _show_results(outcome: Outcome) -> None:
    plan, progress, learned, unseen = outcome
    prepared = plan.prepared
    st.subheader(
        _("{count} of {total} pairs translated exactly").format(count=sum(learned), total=len(learned))
    )
    if len(unseen) >= _SCORED_FROM:
        _show_score(prepared, progress)
    pairs = (*prepared.held_out, *prepared.tried)
    table = {
        "": ["✓" if is_right else "✗" for is_right in (*unseen, *learned)],
        _("Source"): [pair.source for pair in pairs],
        _("Model"): [result.text for result in (*progress.held_out_results, *progress.results)],
        _("Expected"): [pair.target for pair in pairs],
    }
    unknown_to_it: list[str] = []
    if unseen:
        tokenizers = prepared.source_tokenizer, prepared.target_tokenizer
        unknown_to_it = [", ".join(unknown_words(pair, tokenizers)) for pair in prepared.held_out]
        table[_("Never shown")] = [_("never shown")] * len(unseen) + [""] * len(learned)
        table[_("Unknown words")] = unknown_to_it + [""] * len(learned)
    st.dataframe(
        pd.DataFrame(table),
        hide_index=True,
        height="content" if len(pairs) <= _MAX_ROWS else "auto",
        column_config={"": st.column_config.TextColumn(width=30)},
        alt=_("All pairs with the model's translations"),
    )
    translated = _describe_weights(prepared, progress)
    unknown = _("Words that occur only in held-out pairs are unknown to it.")
    st.caption(f"{translated} {unknown}" if any(unknown_to_it) else translated)


def _show_score(prepared: PreparedTraining, progress: TrainingProgress) -> None:
    """Show the scores of the translations of held-out pairs, as the page Evaluate has them."""
    detokenized = prepared.target_tokenizer.detokenized
    references = tuple(detokenized(pair.target) for pair in prepared.held_out)
    bleu, chrf = _scores(tuple(result.text for result in progress.held_out_results), references)
    says = _("**BLEU {bleu}, chrF {chrf}** on **{count}** sentences that it has never seen; they come first.")
    st.markdown(
        says.format(bleu=number(bleu, ".1f"), chrf=number(chrf, ".1f"), count=number(len(references), ","))
    )


@st.cache_data(show_spinner=False, max_entries=_MAX_SCORED)
def _scores(translations: tuple[str, ...], references: tuple[str, ...]) -> tuple[float, float]:
    """Return BLEU and chrF, 0 to 100, computed once for a training."""
    from core.evaluation import score

    scores = score(translations, references)
    return scores.bleu, scores.chrf


def _describe_weights(prepared: PreparedTraining, progress: TrainingProgress) -> str:
    """Say which epoch's weights a training at rest has translated with."""
    if not progress.weights_epoch:
        return _("Translated with the last weights.")
    says = (
        _("Translated with the weights of epoch {epoch}, which had the lowest held-out loss.")
        if _is_validated(prepared)
        else _("Translated with the weights of epoch {epoch}, which had the lowest loss.")
    )
    return says.format(epoch=number(progress.weights_epoch, ","))


def _is_validated(prepared: PreparedTraining) -> bool:
    """Return whether the loss of held-out pairs is measured."""
    return len(prepared.held_out) >= MIN_VALIDATION_PAIRS


def _show_curves(progress: TrainingProgress) -> None:
    """Show the loss, accuracy and learning rate of every step, drawn when the expander is opened."""
    curves = st.expander(_("Loss, accuracy and learning rate at each step"), key="curves", on_change="rerun")
    if curves.open and progress.reports:
        with curves:
            show_figure(
                training_curves_figure(progress.reports),
                alt=_("Loss, accuracy and learning rate over the training steps"),
                key="training_curves",
            )
