"""Train a model on fifteen pairs, or on the visitor's own."""

from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.language import _, ngettext
from core.server.jobs import JobState, Status
from core.server.settings import server_settings
from core.server.training_job import TrainingJob, TrainingPlan, TrainingProgress, server_trainer
from core.server.workspace import Workspace, why_no_training
from pages.components.explaining.exercise import offer_exercise
from pages.components.explaining.prediction import (
    Asking,
    ask_until_trained,
    is_open_in_class,
    is_shown_by_training,
    offer_prediction,
    prediction_of_step,
    show_outcome,
)
from pages.components.explaining.view import control_row, show_heading
from pages.components.frame.device import is_phone
from pages.components.frame.memory import memory_of
from pages.components.frame.presenting import LEADS_ON, is_presenting
from pages.components.frame.visit import Visit
from pages.components.model.choice import show_live_training, show_training_off
from pages.components.model.progress import show_continue, show_live_job, show_stop, try_to_start
from pages.components.pairs.table import show_pairs
from pages.components.training.form import (
    EXPERIMENT,
    ask_settings,
    choose_preset,
    show_experiments,
    try_to_plan,
    use_preset,
)
from pages.components.training.outcome import outcome_of, show_diagnosis, show_training_outcome
from pages.components.training.player import show_player, show_player_before
from pages.content.reader import PAGE_TEXTS

_MORE_EPOCHS = 100  # epochs that Continue adds to a finished training


def _show_run_buttons(
    workspace: Workspace, job: TrainingJob | None, plan: TrainingPlan | None, *, leads_on: bool
) -> None:
    """Show Start, Stop and Continue, each when it applies; with `leads_on`, the remote's Page Down presses Start."""
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
            on_click=try_to_start,
            args=(workspace.jobs.start_training, plan),
            key=LEADS_ON if leads_on else "retrain",
        )
        if job is not None and status is Status.STOPPED:
            show_continue(job, "training")
        elif job is not None and status is Status.FINISHED:
            more = min(_MORE_EPOCHS, server_settings().max_epochs - job.state().progress.reports[-1].epoch)
            for_more = ngettext("Continue for {count} epoch", "Continue for {count} epochs", more)
            st.button(
                for_more.format(count=more) if more > 0 else _("Continue"),
                icon=":material/resume:",
                key="train_longer",
                disabled=more < 1,
                on_click=try_to_start,
                args=(_train_longer, job, more),
            )


def _train_longer(job: TrainingJob, epochs: int) -> None:
    # A second click on the button finds the job running.
    if not job.active:
        job.work.train_longer(epochs)
        job.start()


def _note_form(workspace: Workspace, form: tuple[object, ...]) -> bool:
    """Note the form when a training comes to the page, and return whether it has changed since."""
    memory = memory_of(workspace)
    job, form_then = memory.form_of_run
    if job is workspace.jobs.training:
        return form != form_then
    if form:
        memory.form_of_run = workspace.jobs.training, form
    return False


def _show_picture(
    workspace: Workspace, job: TrainingJob, state: JobState[TrainingProgress], plan: TrainingPlan | None
) -> None:
    """Show the player while a training runs and after it."""
    show_live_training(job, state, partial(show_player, job, workspace.jobs.run_before))
    if plan is not None and not state.active:
        show_experiments(plan.prepared, job.work.plan.experiment)


def _predict_before_start(visit: Visit) -> None:
    """Ask what the player will show, where a lesson's step begins with that; Start shows it, with an answer or none.

    A class is asked until its teacher marks the right answer, or the training that its teacher starts has ended.
    """
    prediction = prediction_of_step(visit, "train")
    if prediction is None:
        return
    asking = Asking(visit, prediction)
    asking.follow(visit.workspace.jobs.training)
    if is_shown_by_training(visit):
        return
    if not asking.tally.is_solved:
        ask_until_trained(asking)
    elif asking.in_class:
        show_outcome(asking)


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
    with control_row(visit):
        preset = choose_preset(visit)
        settings = st.popover(
            _("Settings"), icon=":material/tune:", width="content", key="settings", on_change="rerun"
        )
        offer_prediction(visit, PAGE_TEXTS["train"].views["train"].prediction)
        bar = st.container(width="content")
    with settings:
        model, training = ask_settings(preset, bool(settings.open))
    _predict_before_start(visit)
    places = _lay_out(bar, workspace.jobs.training is not None)
    with places.pairs:
        show_pairs(memory, preset, training["seed"], use_preset)
    experiment = st.session_state.pop(EXPERIMENT, "")
    plan, summary, form = try_to_plan(memory, preset, model, training, experiment)
    if experiment and plan is not None:
        try_to_start(workspace.jobs.start_training, plan)
    has_changed = _note_form(workspace, form)
    last = workspace.jobs.training
    # Read once: a training that ends while the page is drawn draws it again.
    state = last.state() if last is not None else None
    outcome = outcome_of(last, state) if last is not None and state is not None else None
    # A class that is asked would see its answer in a training of before.
    prediction = prediction_of_step(visit, "train")
    is_asked = prediction is not None and is_open_in_class(visit, prediction)
    is_earlier = (has_changed or is_asked) and not (state is not None and state.active)
    job = None if is_earlier else last
    with places.buttons:
        _show_run_buttons(workspace, job, plan, leads_on=last is None or is_asked)
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
                show_diagnosis(memory, outcome)
    show_training_outcome(visit, outcome, is_earlier)


def _show_answer_of_step(visit: Visit) -> None:
    """Show what was expected of the training, and why it came so, where a lesson's step began with that question."""
    prediction = prediction_of_step(visit, "train")
    if prediction is not None and not (asking := Asking(visit, prediction)).in_class:
        show_outcome(asking)


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
