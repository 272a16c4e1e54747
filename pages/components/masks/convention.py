import streamlit as st

from core.figures.masks import Convention


def choose_convention() -> Convention:
    """Which of the two ways of writing a mask down is shown."""
    names: dict[Convention, str] = {"allowed": "True = may look", "blocked": "1 = blocked"}
    chosen: Convention = st.segmented_control(
        "How masks are written",
        list(names),
        default="allowed",
        required=True,
        format_func=names.__getitem__,
        key="convention",
        bind="query-params",
        help="Keras and this app write True where attention may look. Older recipes write 1 where it may not, "
        "since they multiply the mask by −1e9 and add it to the scores.",
    )
    return chosen
