import streamlit as st

from core.classroom.workspace import why_no_training
from core.config import ConfigError
from core.training.pairs import PipelineError
from pages.components.app.content import PAGE_TEXTS
from pages.components.app.models import preload_tensorflow
from pages.components.app.session import current_workspace
from pages.components.lesson.exercise import offer_exercise
from pages.components.train.curves import show_training
from pages.components.train.experiments import show_experiments
from pages.components.train.held_out import choose_held_out
from pages.components.train.outcome import say_what_it_means, show_outcome
from pages.components.train.pairs_table import edit_pairs
from pages.components.train.run_buttons import show_run_buttons
from pages.components.train.run_plan import RunPlan, plan_run
from pages.components.widgets.page.heading import show_heading
from pages.components.widgets.page.presenting import is_presenting
from pages.components.widgets.settings.training_settings import training_settings
from pages.components.widgets.words import plain

workspace = current_workspace()
if not why_no_training():
    preload_tensorflow()

show_heading("train")

presets = st.container()
with st.container(horizontal=True):
    settings = st.popover("Settings", icon=":material/tune:", width="content")
    pairs_place = st.popover("Your own pairs", icon=":material/table:", width="content")
with pairs_place:
    held_out_share = choose_held_out()
    pairs = edit_pairs(workspace)
plan: RunPlan | None = None
problem = ""
with presets:
    try:
        preset, model, training = training_settings(settings)
        plan = plan_run(pairs, model, training, preset, held_out_share)
    except (ConfigError, PipelineError) as error:
        problem = plain(str(error))
buttons, summary = st.columns([3, 2], vertical_alignment="center")
with buttons:
    show_run_buttons(workspace, plan)
if problem:
    st.error(problem, icon=":material/error:")
elif plan is not None:
    summary.caption(plan.summary)
if workspace.job is not None:
    reading, curves = (st.container() for _ in range(2))
    if is_presenting():  # in larger type the curves would lie below the first screen
        reading, curves = curves, reading
    with reading:
        say_what_it_means(workspace.job)
        if plan is not None and not workspace.training:
            show_experiments(workspace, preset, model, training, held_out_share)
    with curves:
        show_training(workspace.job, workspace.epochs_before)
show_outcome(workspace)
offer_exercise(PAGE_TEXTS["train"].views["train"].exercise)
