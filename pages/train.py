import streamlit as st

from core.config import ConfigError
from core.pipeline import PipelineError
from pages.components.app.resources import preload_tensorflow
from pages.components.app.session import current_workspace
from pages.components.train.corpus_plan import plan_corpus_training
from pages.components.train.curves import show_training
from pages.components.train.outcome import show_outcome
from pages.components.train.pairs_table import edit_pairs
from pages.components.train.run_buttons import show_run_buttons
from pages.components.train.run_plan import RunPlan, plan_run
from pages.components.widgets.controls import training_settings
from pages.components.widgets.open_checkpoint import open_checkpoint
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import plain

workspace = current_workspace()
preload_tensorflow()

st.title("Train")
st.markdown(
    "The model sees a sentence and the first words of its translation, and learns to say the next word. "
    "Press **Start** and watch."
)

plan: RunPlan | None = None
kind = choose(
    "Learn from", {"pairs": "A few pairs: seconds", "corpus": "A large corpus: hours"}, key="learn_from"
)
controls = st.container()  # above what they depend on
pairs = workspace.pairs
if kind == "pairs":
    with st.expander("Sentence pairs: add, change, paste or upload your own", icon=":material/table:"):
        pairs = edit_pairs(workspace)
with st.expander("Open a checkpoint you downloaded", icon=":material/folder_open:"):
    open_checkpoint(workspace)
with controls:
    try:
        if kind == "corpus":
            plan = plan_corpus_training()
        else:
            preset, model, training = training_settings()
            plan = plan_run(pairs, model, training, preset)
        if plan is not None:
            st.caption(plan.summary)
    except (ConfigError, PipelineError) as error:
        st.error(plain(str(error)), icon=":material/error:")
    show_run_buttons(workspace, plan)
    show_outcome(workspace)
    if workspace.job is not None:
        show_training(workspace.job)
