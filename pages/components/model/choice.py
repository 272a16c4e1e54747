"""The choice of a model, and training the classroom model."""

from collections.abc import Callable, Mapping
from functools import cache, partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST, shipped_checkpoints
from core.corpora.corpus import Corpus
from core.corpora.toy import PAIRS
from core.durations import duration
from core.errors import InputError
from core.language import N_, _, ngettext, number
from core.presets import PAIRS_NAMES, Preset
from core.records.text import Pair
from core.server.jobs import JobState
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingJob, TrainingPlan, TrainingProgress, server_trainer
from core.server.workspace import Workspace, check_number_of_pairs, why_no_training
from core.tokens.word import WordTokenizer
from core.training.recipe import prepare_training
from pages.components.frame.links import MODEL
from pages.components.frame.visit import Visit
from pages.components.model.facts import facts_of
from pages.components.model.progress import show_live_job, try_to_start
from pages.components.widgets.state import choose, options_of, set_value
from pages.components.widgets.telling import tell
from pages.content.markdown import plain
from pages.content.reader import EXPERIMENTS

_CHEATING = EXPERIMENTS["No causal mask, four layers"]
_CHEATING_NAME = N_("{pairs} (no causal mask)")


def shipped_models() -> list[TrainedModel]:
    """Return the models that come with the project, the default one first; a server reads each once."""
    found = [_shipped_model(name, file.stat().st_mtime) for name, file in shipped_checkpoints().items()]
    first = server_settings().default_model or FIRST
    return sorted(found, key=lambda model: model.id != first)


@st.cache_resource(show_spinner=False, max_entries=8)
def _shipped_model(name: str, changed: float) -> TrainedModel:
    checkpoint = Checkpoint.load(shipped_checkpoints()[name])
    return TrainedModel(checkpoint.name or name, checkpoint, shipped_as=name)


def all_models(visit: Visit) -> dict[str, TrainedModel]:
    """Return every model of this visitor by its id: the shipped ones, that of the class, then their own."""
    of_class = () if visit.class_model is None else (visit.class_model,)
    return {model.id: model for model in (*shipped_models(), *of_class, *visit.workspace.models.kept)}


@cache
def english_tokenizer() -> WordTokenizer:
    """Return the target tokenizer of the classroom model."""
    return WordTokenizer.fit((pair.target for pair in PAIRS), start_and_end=True)


def model_for_corpus(corpus: Corpus) -> TrainedModel | None:
    """Return a shipped model that translates in the corpus's direction, or None."""
    fitting = (m for m in shipped_models() if (m.source_language, m.target_language) == corpus.language_names)
    return next(fitting, None)


def current_model(workspace: Workspace) -> TrainedModel | None:
    """Return the chosen model, else the first shipped one, else None."""
    return workspace.models.selected or next(iter(shipped_models()), None)


def label_of(visit: Visit, model: TrainedModel) -> str:
    """Return a model's name in menus."""
    if model.shipped:
        return model.name
    whose = _("{model} (the class's)") if model is visit.class_model else _("{model} (yours)")
    return whose.format(model=model.name)


def describe_current_model(workspace: Workspace) -> None:
    """Show the current model in one line."""
    model = current_model(workspace)
    if workspace.jobs.is_training:
        st.caption(":material/hourglass_top: " + _("A model is training: see the Train page."))
    if model is None:
        st.caption(":material/info: " + _("Current model: none yet."))
    else:
        named = _("Current model: **{model}**").format(model=plain(model.name))
        st.caption(f":material/check_circle: {named} · {facts_of(model)}")


def choose_model(visit: Visit, place: DeltaGenerator) -> TrainedModel | None:
    """Show the menu of models and return the chosen one.

    Where there is no model, show the offer to train one, and return None.

    Args:
        visit: on the page that uses the model.
        place: where the menu goes.
    """
    workspace = visit.workspace
    job = workspace.jobs.training
    state = job.state() if job is not None else None  # before the models: it adds one when it ends
    is_training = state is not None and state.active
    model = current_model(workspace)
    if model is not None:
        with place:
            model = _show_menu(visit, model)
    elif reason := why_no_training():
        show_training_off(reason)
    elif not is_training:
        st.info(
            _(
                "There is no model yet. Train the classroom model on its fifteen pairs of sentences: it takes seconds."
            ),
            icon=":material/school:",
        )
        st.button(
            _("Train the classroom model"),
            type="primary",
            icon=":material/play_arrow:",
            key="train_classroom",
            on_click=start_classroom_training,
            args=(workspace, visit.classroom),
        )
    if job is not None and state is not None and state.active:
        st.info(
            _("Your model is still training. This page will use it as soon as it is ready."),
            icon=":material/school:",
        )
        show_live_training(job, state)
    return model


def is_model_linked(visit: Visit) -> bool:
    """Return whether the address names one of this visitor's models."""
    return bool(options_of(st.query_params.get_all(MODEL), _labels(visit, all_models(visit))))


def _labels(visit: Visit, models: Mapping[str, TrainedModel]) -> dict[str, str]:
    return {name: label_of(visit, model) for name, model in models.items()}


def _show_menu(visit: Visit, model: TrainedModel) -> TrainedModel:
    models = {**all_models(visit), model.id: model}
    select = visit.workspace.models.select
    set_value(MODEL, model.id)  # the tab has it, and the menu shows it
    chosen = choose(
        _("Model"),
        _labels(visit, models),
        key=MODEL,
        look="menu",
        on_change=lambda: select(models[st.session_state[MODEL]]),
        help=_("Models that come with the app, and those you trained or opened in this tab."),
        missing=_("The link was made with a model that this server does not have, or only in another tab."),
    )
    if chosen != model.id:  # named by a link
        select(models[chosen])
    return models[chosen]


def show_training_off(reason: str) -> None:
    """Say why nobody can train here."""
    st.caption(f":material/block: {reason}")


def name_of_pairs(pairs: tuple[Pair, ...], count: int) -> str:
    """Return what a model is called that is trained on these pairs, or on so many of them."""
    if pairs in PAIRS_NAMES:
        return _(PAIRS_NAMES[pairs])
    return ngettext("Your {count} pair", "Your {count} pairs", count).format(count=number(count, ","))


def start_classroom_training(workspace: Workspace, preset: Preset, *, is_cheating: bool = False) -> None:
    """Train a preset on its fifteen pairs, perhaps without the causal mask."""
    server_trainer().warm_up()
    changes = _CHEATING.model if is_cheating else {}
    try:
        check_number_of_pairs(preset.pairs)
        prepared = prepare_training(
            preset.pairs, preset.model.replace(**changes), preset.training, held_out=preset.held_out
        )
    except InputError as error:  # a lesson's own pairs
        tell(error)
        return
    plan = TrainingPlan(name_of_pairs(preset.pairs, len(prepared.pairs)), prepared)
    if is_cheating:
        plan = TrainingPlan(_(_CHEATING_NAME).format(pairs=plan.name), prepared, _CHEATING.name)
    try_to_start(workspace.jobs.start_training, plan)


def show_live_training(
    job: TrainingJob,
    page_state: JobState[TrainingProgress],
    draw: Callable[[JobState[TrainingProgress]], None] | None = None,
) -> None:
    """Show the progress of a training run; see `show_live_job` for the arguments."""
    show_live_job(job, page_state, "training", partial(_training_progress, job), draw)


def _training_progress(job: TrainingJob, state: JobState[TrainingProgress]) -> str:
    reports = state.progress.reports
    parts = [
        _("Epoch {epoch} of {epochs}").format(
            epoch=number(reports[-1].epoch if reports else 0, ","),
            epochs=number(job.work.plan.prepared.training.epochs, ","),
        )
    ]
    if reports:
        parts.append(_("loss {loss}").format(loss=number(reports[-1].loss, ".2f")))
    if not state.active:
        parts.append(duration(state.seconds))
    return " · ".join(parts)
