"""What a link carries that the app takes out of the address, and the names of what several parts look up there."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

CODE_IN_ADDRESS = "code"
MODEL = "model"  # key of the menu of models, also in the address
PRESET = "setting_preset"  # key of the menu of presets on Train, also in the address
_TAKEN = "linked_values"  # key of st.session_state: what was taken out of the address and not used yet, by parameter


@contextmanager
def value_of_link(parameter: str) -> Iterator[str]:
    """Take a code, or a whole lesson, out of the address; it is empty if there is none.

    Streamlit may end this run for another one before it is used. Then the next run has it again.
    """
    values: dict[str, str] = st.session_state.setdefault(_TAKEN, {})
    if parameter in st.query_params:
        values[parameter] = st.query_params[parameter]
        del st.query_params[parameter]
    yield values.get(parameter, "")
    values.pop(parameter, None)  # not reached where the run ends before
