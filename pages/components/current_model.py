import streamlit as st

from core.model.weight_shapes import parameter_count
from pages.components.words import plain
from pages.components.workspace import Workspace


def describe_current_model(mine: Workspace) -> None:
    """One line: which model translates at the moment."""
    if mine.training:
        st.caption(":material/hourglass_top: A model is learning. See the Train page.")
    elif mine.model is None:
        st.caption(":material/info: Current model: none yet.")
    else:
        config = mine.model.checkpoint.config
        st.caption(
            f":material/check_circle: Current model: **{plain(mine.model.name)}** · "
            f"{parameter_count(config):,} parameters · {config.num_layers} layers · {config.num_heads} heads"
        )
