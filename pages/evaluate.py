import streamlit as st

from pages.components.app.session import current_workspace
from pages.components.evaluate.buttons import show_evaluation_buttons
from pages.components.evaluate.comparison import show_comparison
from pages.components.evaluate.live_evaluation import show_live_evaluation
from pages.components.evaluate.result import show_result
from pages.components.evaluate.setup import plan_evaluation
from pages.components.widgets.page.heading import show_heading
from pages.components.widgets.remembered import choose

workspace = current_workspace()

show_heading("evaluate")
settings, button = st.columns([6, 1], vertical_alignment="bottom")
with settings:
    plan = plan_evaluation(workspace)
with button:
    show_evaluation_buttons(workspace, plan)
if workspace.evaluation is not None:
    show_live_evaluation(workspace.evaluation)

results = workspace.results[::-1]  # the newest first; read once, since a worker may add one at any moment
shown = "newest"
if len(results) > 1:
    shown = choose(
        "Show",
        {"newest": "The newest", "both": "Side by side"},
        key="shown_evaluation",
        in_address=False,  # only this tab has the results
    )
if shown == "both":
    show_comparison(results[1], results[0])
elif results:
    show_result(results[0])
