"""Train a model on fifteen pairs, or on the visitor's own."""

from collections.abc import Sequence
from functools import partial
from itertools import cycle
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.config import (
    ConfigError,
    ModelConfig,
    TrainingConfig,
)
from core.durations import duration
from core.figures.plotly.training import training_curves_figure
from core.language import N_, _, ngettext, number, titled
from core.presets import CLASSROOM, PAIRS_NAMES, PRESETS, Preset
from core.records.text import Pair, Translation
from core.server.jobs import JobState, Status
from core.server.settings import server_settings
from core.server.trained_model import file_name
from core.server.training_job import TrainingJob, TrainingPlan, TrainingProgress, server_trainer
from core.server.workspace import Workspace, why_no_training
from core.training.diagnosis import ExactMatches, diagnose_training
from core.training.pairs import MIN_VALIDATION_PAIRS, PipelineError, unknown_words, unspaced_side
from core.training.recipe import PreparedTraining, prepare_word_training
from core.weights import parameter_count
from pages.components.explaining.figure import is_phone, show_figure
from pages.components.explaining.prediction import (
    SKIPPED,
    answer_by_training,
    answer_to,
    ask_class,
    ask_prediction,
    is_answering,
    is_for_class,
    is_open_in_class,
    mark_answer_of_training,
    offer_prediction,
    prediction_of_step,
    show_outcome,
    show_reason,
)
from pages.components.explaining.view import offer_exercise, show_heading
from pages.components.frame.menu import link_to
from pages.components.frame.presenting import LEADS_ON, is_presenting
from pages.components.frame.session import PRESET, PageMemory, memory_of
from pages.components.frame.visit import Visit
from pages.components.model.choice import (
    describe_current_model,
    name_of_pairs,
    show_live_training,
    show_training_off,
)
from pages.components.model.player import show_player, show_player_before
from pages.components.model.progress import show_continue, show_live_job, show_stop, try_to_start
from pages.components.pairs.table import check_number_of_pairs, show_pairs
from pages.components.widgets.download import show_download
from pages.components.widgets.markdown import plain
from pages.components.widgets.settings import ask_setting
from pages.components.widgets.state import choose, set_value
from pages.content.pages import ATTENTION_MAPS, TRANSLATE
from pages.content.reader import EXPERIMENTS, PAGE_TEXTS, SETTINGS, Experiment

_MORE_EPOCHS = 100  # epochs that Continue adds to a finished training
_MAX_PREPARED = 16  # cached trainings of all visitors: 1 MB of pairs, the upload limit, takes a few MB
_MAX_ROWS = 20  # rows of results above which the table scrolls

_UNUSED = {"warmup": "learning_rate", "constant": "warmup_steps"}  # the setting that a schedule does not use
_SETTING = "setting_"  # prefix of the settings' widget keys
# Keys of st.session_state: by field, the value that the browser shows and the one set since; the experiment to start.
_UNSEEN = "settings_unseen"
_EXPERIMENT = "experiment_starts"


def _choose_preset() -> Preset:
    """Show the presets, which set every hyperparameter, and the pairs unless the visitor has their own."""
    chosen = choose(
        _("Preset"),
        {name: preset.title for name, preset in PRESETS.items()},
        key=PRESET,
        default=CLASSROOM.name,
        on_change=_apply_preset,
        hide_label=True,
        look="menu" if is_presenting() else "buttons",
    )
    return PRESETS[chosen]


def _ask_settings(preset: Preset, are_visible: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Show a widget for every hyperparameter; return the settings of the model and of the training, by field.

    Args:
        preset: the chosen preset.
        are_visible: whether the browser shows the widgets: it keeps sending the old values of hidden ones
            (Streamlit 1.67).
    """
    unseen = st.session_state.get(_UNSEEN, {})
    for field, (shown, value) in unseen.items():
        if st.session_state.get(_SETTING + field) == shown:
            set_value(_SETTING + field, value)
    if are_visible:
        unseen.clear()
    st.caption(titled(f"**{preset.title}**", preset.description))
    st.markdown(_("**The model**"))
    model = _ask_all(preset.model.to_dict())
    st.markdown(_("**The training**"))
    training = _ask_all(preset.training.to_dict())
    st.button(_("Back to the preset"), icon=":material/undo:", on_click=_apply_preset)
    return model, training


def _ask_all(defaults: dict[str, Any]) -> dict[str, Any]:
    """Show the widgets of all settings that have a default, four in a row; return their values by field."""
    fields = [field for field in SETTINGS if field in defaults]
    values: dict[str, Any] = {}
    for field, place in zip(fields, cycle(st.columns(4)), strict=False):
        high = server_settings().max_epochs if field == "epochs" else None
        is_unused = field == _UNUSED.get(values.get("schedule", ""))
        with place:
            key = _SETTING + field
            values[field] = ask_setting(field, defaults[field], key, high=high, disabled=is_unused)
    return values


def _apply_preset() -> None:
    """Let the widgets of all settings take the preset's values."""
    chosen = st.session_state.get(PRESET)
    if chosen is None:
        return
    values = PRESETS[chosen].model.to_dict() | PRESETS[chosen].training.to_dict()
    st.session_state[_UNSEEN] = {
        field: (st.session_state.get(_SETTING + field), value) for field, value in values.items()
    }


def _plan_training(
    memory: PageMemory,
    preset: Preset,
    model: ModelConfig,
    training: TrainingConfig,
    experiment: str,
) -> TrainingPlan:
    """Check the pairs and the size of the model before a training starts.

    Raises:
        PipelineError: the pairs cannot be trained on.
    """
    pairs = memory.complete_pairs
    check_number_of_pairs(pairs)
    prepared = _prepare(pairs, model, training, memory.held_out)
    most = server_settings().max_parameters
    if parameter_count(prepared.model) > most:
        raise PipelineError(
            _(
                "The app trains models of at most {most} parameters. Received: {count}. Choose fewer layers or a smaller "
                "d_model or d_ff."
            ).format(most=number(most, ","), count=number(parameter_count(prepared.model), ","))
        )
    return TrainingPlan(_name_model(pairs, preset, prepared), prepared, experiment, _wanted(memory))


def _name_model(pairs: tuple[Pair, ...], preset: Preset, prepared: PreparedTraining) -> str:
    """Return the name of a model: what it learns from, and in which way it is not the usual one for these pairs."""
    name = name_of_pairs(pairs, len(prepared.pairs))
    vocabularies = {
        "source_vocab_size": prepared.model.source_vocab_size,
        "target_vocab_size": prepared.model.target_vocab_size,
    }
    usual = next((each for each in PRESETS.values() if each.pairs == pairs), CLASSROOM)
    details = [] if preset is usual else [preset.title.lower()]
    if preset.model.replace(**vocabularies) != prepared.model:
        details.append(_("changed"))
    return f"{name} ({', '.join(details)})" if details else name


_UNSPACED = {
    "source": N_("The source sentences have no spaces, so each counts as one word."),
    "target": N_("The target sentences have no spaces, so each counts as one word."),
    "source and target": N_("The source and target sentences have no spaces, so each counts as one word."),
}


def _describe_plan(prepared: PreparedTraining) -> str:
    """Return the size and the estimated duration of a training, in Markdown."""
    model = prepared.model
    pairs = _("**{count}** pairs").format(count=len(prepared.pairs))
    if prepared.held_out:
        pairs += ", " + _("**{count}** held out").format(count=len(prepared.held_out))
    if prepared.left_out:
        left_out = _("**{count}** left out (no words, or more than {most})")
        pairs += ", " + left_out.format(count=prepared.left_out, most=model.max_target_length - 1)
    vocabularies = _("vocabularies of **{source}** and **{target}**")
    num_steps = prepared.training.epochs * prepared.steps_per_epoch
    facts = (
        _("**{count}** parameters").format(count=number(parameter_count(model), ",")),
        pairs,
        vocabularies.format(source=model.source_vocab_size, target=model.target_vocab_size),
        _("**{count}** steps").format(count=number(num_steps, ",")),
        _("about **{duration}**").format(duration=duration(prepared.estimate_seconds())),
    )
    summary = " · ".join(facts)
    if side := unspaced_side(prepared.pairs):
        advice = _("Put spaces between the words.")
        summary += f"  \n:material/space_bar: {_(_UNSPACED[side])} {advice}"
    return summary


def _wanted(memory: PageMemory) -> tuple[Pair, ...]:
    """Return the pairs to watch first: those that are ticked, then a few that were added to a preset's pairs."""
    of_presets = {pair for pairs in PAIRS_NAMES for pair in pairs}
    own = tuple(pair for pair in memory.complete_pairs if pair not in of_presets)
    # A file may by chance have a pair of a preset, too.
    return memory.watched + (own if 2 * len(own) < len(memory.complete_pairs) else ())


@st.cache_resource(show_spinner=False, max_entries=_MAX_PREPARED)
def _prepare(
    pairs: tuple[Pair, ...], model: ModelConfig, training: TrainingConfig, held_out: tuple[Pair, ...]
) -> PreparedTraining:
    """Prepare a training, once for all visitors with the same pairs: long pairs took half a second per run."""
    return prepare_word_training(pairs, model, training, held_out=held_out)


def _show_run_buttons(visit: Visit, job: TrainingJob | None, plan: TrainingPlan | None) -> None:
    """Show Start, Stop and Continue, each when it applies."""
    if reason := why_no_training():
        show_training_off(reason)
        return
    if job is not None and job.active:
        show_stop(job, "training")
        return
    status = job.state().status if job else Status.FINISHED
    with st.container(horizontal=True):
        st.button(
            _("Start") if job is None else _("Retrain from scratch"),
            type="primary" if status is Status.FINISHED else "secondary",
            icon=":material/play_arrow:",
            disabled=plan is None,
            on_click=_start,
            args=(visit, plan),
            key=LEADS_ON if visit.workspace.jobs.training is None else "retrain",
        )
        if job is not None and status is Status.STOPPED:
            show_continue(job, "training")
        elif job is not None and status is Status.FINISHED:
            more = min(_MORE_EPOCHS, server_settings().max_epochs - job.state().progress.reports[-1].epoch)
            for_more = ngettext("Continue for {count} epoch", "Continue for {count} epochs", more)
            st.button(
                for_more.format(count=more) if more > 0 else _("Continue"),
                icon=":material/resume:",
                disabled=more < 1,
                on_click=try_to_start,
                args=(_train_longer, job, more),
            )


def _start(visit: Visit, plan: TrainingPlan) -> None:
    jobs = visit.workspace.jobs
    before = jobs.training
    try_to_start(jobs.start_training, plan)
    job = jobs.training
    prediction = prediction_of_step(visit, "train")
    if job is not None and job is not before and prediction is not None:
        answer_by_training(visit, prediction, job)


def _train_longer(job: TrainingJob, epochs: int) -> None:
    # A second click on the button finds the job running.
    if not job.active:
        job.work.train_longer(epochs)
        job.start()


class _Outcome(NamedTuple):
    """The translations of a training at rest, and which of them are exact."""

    plan: TrainingPlan
    progress: TrainingProgress
    learned: list[bool]  # by pair trained on
    unseen: list[bool]  # by pair held out


def _outcome_of(job: TrainingJob, state: JobState[TrainingProgress]) -> _Outcome | None:
    """Return the outcome of a training in this state, None while there is none."""
    progress = state.progress
    if state.active or not progress.results:
        return None
    prepared = job.work.plan.prepared
    learned = _exact_matches(prepared, prepared.pairs, progress.results)
    unseen = _exact_matches(prepared, prepared.held_out, progress.held_out_results)
    return _Outcome(job.work.plan, progress, learned, unseen)


def _exact_matches(
    prepared: PreparedTraining, pairs: Sequence[Pair], results: Sequence[Translation]
) -> list[bool]:
    """Return which pairs are translated exactly, with the reference tokenized and joined like the output."""
    decode = prepared.target_tokenizer.decode
    encode = prepared.target_tokenizer.encode
    return [decode(encode(pair.target)) == result.text for pair, result in zip(pairs, results, strict=True)]


def _show_diagnosis(memory: PageMemory, outcome: _Outcome) -> None:
    """Show a sentence on what the numbers of a training mean."""
    plan, progress, learned, unseen = outcome
    prepared = plan.prepared
    missed = [
        plain(pair.source) for pair, is_right in zip(prepared.pairs, learned, strict=True) if not is_right
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


def _offered(training: TrainingConfig) -> list[Experiment]:
    """Return the experiments that are possible; the paper's schedule has a rate of its own."""
    return [each for each in EXPERIMENTS.values() if each.rate_factor == 1 or training.schedule != "warmup"]


def _apply_experiment(
    model: ModelConfig, training: TrainingConfig, name: str
) -> tuple[ModelConfig, TrainingConfig]:
    """Return the settings as an experiment changes them, or as they are without one; the form keeps its own."""
    experiment = EXPERIMENTS.get(name)
    if experiment is None:
        return model, training
    rate = min(1.0, experiment.rate_factor * training.learning_rate)
    return model.replace(**experiment.model), training.replace(learning_rate=rate, **experiment.training)


def _show_experiments(prepared: PreparedTraining, tried: str) -> None:
    """Show a button for each experiment with these settings; its curve is drawn over the previous one."""
    settings = prepared.model, prepared.training
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("**What if?**"), width="content")
        explained = _("This trains again with one change and keeps the previous curve.")
        for experiment in _offered(prepared.training):
            st.button(
                _(experiment.name),
                help=f"{experiment.question} {explained}",
                disabled=experiment.name == tried
                or _apply_experiment(*settings, experiment.name) == settings,
                on_click=set_value,
                args=(_EXPERIMENT, experiment.name),
                key=f"experiment_{experiment.name}",
            )


def _note_form(workspace: Workspace, form: tuple[object, ...]) -> bool:
    """Note the form when a training comes to the page, and return whether it has changed since."""
    memory = memory_of(workspace)
    job, form_then = memory.form_of_run
    if job is workspace.jobs.training:
        return form != form_then
    if form:
        memory.form_of_run = workspace.jobs.training, form
    return False


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


def _show_outcome(workspace: Workspace, outcome: _Outcome | None, is_earlier: bool) -> None:
    """Show the results, perhaps of earlier pairs or settings, and what to do with the model."""
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
                on_click=setattr,
                args=(workspace.models, "selected", model),
            )
        link_to(TRANSLATE, _("Translate with it"))
        link_to(ATTENTION_MAPS, _("See its attention"))
        show_download(_("Download the checkpoint"), model.to_zip, f"{file_name(model.name)}.zip")


def _show_results(outcome: _Outcome) -> None:
    plan, progress, learned, unseen = outcome
    prepared = plan.prepared
    st.subheader(
        _("{count} of {total} pairs translated exactly").format(count=sum(learned), total=len(learned))
    )
    pairs = (*prepared.held_out, *prepared.pairs)
    table = {
        "": ["✓" if is_right else "✗" for is_right in (*unseen, *learned)],
        _("Source"): [pair.source for pair in pairs],
        _("Model"): [result.text for result in (*progress.held_out_results, *progress.results)],
        _("Expected"): [pair.target for pair in pairs],
    }
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
    st.caption(f"{translated} {unknown}" if unseen else translated)


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


def _try_to_plan(
    memory: PageMemory, preset: Preset, model: dict[str, Any], training: dict[str, Any], experiment: str
) -> tuple[TrainingPlan | None, str, tuple[object, ...]]:
    """Return the plan, its summary or the error in Markdown, and what is in the form.

    The plan is None if there is an error. The form is empty if the settings do not fit together.
    """
    form: tuple[object, ...] = ()
    try:
        settings = preset.model.replace(**model), preset.training.replace(**training)
        form = memory.complete_pairs, memory.held_out, *settings
        plan = _plan_training(memory, preset, *_apply_experiment(*settings, experiment), experiment)
        return plan, _describe_plan(plan.prepared), form
    except (ConfigError, PipelineError) as error:
        return None, plain(str(error)), form


def _show_picture(
    workspace: Workspace, job: TrainingJob, state: JobState[TrainingProgress], plan: TrainingPlan | None
) -> None:
    """Show the player while a training runs and after it."""
    show_live_training(job, state, partial(show_player, job, workspace.jobs.run_before))
    if plan is not None and not state.active:
        _show_experiments(plan.prepared, job.work.plan.experiment)


def _predict_before_start(visit: Visit) -> None:
    """Ask what the player will show, where a lesson's step begins with that; Start shows it, with an answer or none.

    A class is asked until its teacher marks the right answer, or the training that its teacher starts has ended.
    """
    prediction = prediction_of_step(visit, "train")
    if prediction is None:
        return
    if is_for_class(visit, prediction):
        mark_answer_of_training(visit, prediction)
        if is_answering(visit):
            return
        answer = ask_class(visit, prediction)
        if answer is not None:
            with st.container(key="predicted"):
                show_outcome(visit, prediction, answer)
    elif visit.workspace.jobs.training is None:
        with st.container(border=True, key="prediction"):
            ask_prediction(visit, prediction)


class _Places(NamedTuple):
    """Where the parts of the page go that are known only after the pairs, which stand below them."""

    buttons: DeltaGenerator
    error: DeltaGenerator  # above the picture
    summary: DeltaGenerator
    picture: DeltaGenerator
    pairs: DeltaGenerator


def _lay_out(bar: DeltaGenerator, has_trained: bool) -> _Places:
    """Return the places of the page; a projector has the buttons in the bar, and the summary below the picture."""
    error = st.container()
    if is_presenting():
        buttons = bar
    else:
        buttons, summary = error.columns([4, 5], vertical_alignment="center")
    if has_trained or is_phone():
        picture = st.container()
        pairs: DeltaGenerator = st.expander(_("The pairs"), icon=":material/table:")
    else:
        pairs, picture = st.columns([4, 3], gap="medium")
    if is_presenting():
        summary = st.container()
    return _Places(buttons, error, summary, picture, pairs)


def _show_training(visit: Visit) -> None:
    """Show everything but the exercise: settings, buttons, pairs, the player and the results."""
    workspace = visit.workspace
    memory = visit.memory
    workspace.jobs.forget_unbegun_training()
    with visit.in_bar("controls"), st.container(horizontal=True, vertical_alignment="center"):
        preset = _choose_preset()
        settings = st.popover(
            _("Settings"), icon=":material/tune:", width="content", key="settings", on_change="rerun"
        )
        offer_prediction(visit, PAGE_TEXTS["train"].views["train"].prediction)
        bar = st.container(width="content")
    with settings:
        model, training = _ask_settings(preset, bool(settings.open))
    _predict_before_start(visit)
    places = _lay_out(bar, workspace.jobs.training is not None)
    with places.pairs:
        show_pairs(memory, preset, training["seed"])
    experiment = st.session_state.pop(_EXPERIMENT, "")
    plan, summary, form = _try_to_plan(memory, preset, model, training, experiment)
    if experiment and plan is not None:
        try_to_start(workspace.jobs.start_training, plan)
    has_changed = _note_form(workspace, form)
    last = workspace.jobs.training
    # Read once: a training that ends while the page is drawn draws it again.
    state = last.state() if last is not None else None
    outcome = _outcome_of(last, state) if last is not None and state is not None else None
    is_earlier = has_changed and not (state is not None and state.active)
    job = None if is_earlier else last
    with places.buttons:
        _show_run_buttons(visit, job, plan)
    if plan is None and memory.complete_pairs:
        places.error.error(summary, icon=":material/error:")
    else:
        (places.summary if job is None else settings).caption(summary)
    with places.picture:
        if job is not None and state is not None:
            _show_picture(workspace, job, state, plan)
        elif plan is not None:
            show_player_before(plan)
    if job is not None and state is not None and not state.active:
        with places.error if is_presenting() else places.summary:
            _show_answer_of_step(visit)
        with places.summary:
            if outcome is not None:
                _show_diagnosis(memory, outcome)
    _show_outcome(workspace, outcome, is_earlier)


def _show_answer_of_step(visit: Visit) -> None:
    """Show what was expected of the training, and why it came so, where a lesson's step began with that question."""
    prediction = prediction_of_step(visit, "train")
    if prediction is not None and not is_for_class(visit, prediction):
        with st.container(key="predicted"):
            answer = answer_to(visit, prediction)
            show_reason(prediction, SKIPPED if answer is None else answer)


def _is_for_teacher(visit: Visit) -> bool:
    """Return whether the teacher of this tab's class trains: for those who follow, and until a vote on it is solved."""
    if visit.seat is None or visit.leads:
        return False
    prediction = prediction_of_step(visit, "train")
    return visit.attends or (prediction is not None and is_open_in_class(visit, prediction))


def _attend_training(visit: Visit) -> None:
    """Show a class what it is asked. The training is its teacher's; an own one that runs can only be stopped."""
    _predict_before_start(visit)
    said = _("Look at the projector: your teacher trains the model.")
    prediction = prediction_of_step(visit, "train")
    if not why_no_training() and (prediction is None or not is_open_in_class(visit, prediction)):
        said += " " + _("To train your own model, switch off **Follow the class** under **Room**.")
    st.info(said, icon=":material/co_present:")
    job = visit.workspace.jobs.training
    if job is not None and job.active:
        state = job.state()
        show_stop(job, "training")
        show_live_job(job, state, "training", lambda state: _("Your own training runs."))


def main(visit: Visit) -> None:
    is_attending = _is_for_teacher(visit)
    if not is_attending and not why_no_training():
        server_trainer().warm_up()
    texts = PAGE_TEXTS["train"].views["train"]
    show_heading(visit)
    # One element, whatever is in it: Streamlit (1.67) drops an answer if its fragment has moved meanwhile, as when a
    # training ends.
    with st.container():
        if is_attending:
            _attend_training(visit)
        else:
            _show_training(visit)
    offer_exercise(visit, texts.exercise)
