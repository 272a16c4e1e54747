import streamlit as st

from pages.components.app.resources import preload_tensorflow
from pages.components.app.session import workspace
from pages.components.evaluate.buttons import show_evaluation_buttons
from pages.components.evaluate.comparison import show_comparison
from pages.components.evaluate.live_evaluation import show_live_evaluation
from pages.components.evaluate.result import show_result
from pages.components.evaluate.setup import plan_evaluation

mine = workspace()
preload_tensorflow()

st.title("Evaluate")
st.markdown(
    "How good is a model on sentences it has not seen? It translates a sample, and its translations are "
    "compared with those that people made."
)
plan = plan_evaluation(mine)
show_evaluation_buttons(mine, plan)
if mine.evaluation is not None:
    show_live_evaluation(mine.evaluation)

results = mine.results[::-1]  # the newest first; read once, since a worker may add one at any moment
chosen = 0
if len(results) > 1:
    chosen = st.segmented_control(
        "Show",
        [0, 1, 2],
        default=0,
        required=True,
        format_func=["The newest", "The one before", "Side by side"].__getitem__,
        key="shown_evaluation",
    )
if len(results) > 1 and chosen == 2:
    show_comparison(results[1], results[0])
elif results:
    show_result(results[chosen or 0], key=f"{chosen or 0}")
