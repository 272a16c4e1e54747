from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.components.widgets.memory import set_value
from pages.components.widgets.numbers import slider


def choose_step(last: int, key: str, first: int = 1) -> int:
    """A slider over steps, with buttons for the step before and the next one.

    Args:
        last: number of steps, counted from 1.
        key: in the address.
        first: the step that is shown first.
    """
    number_place, buttons = st.columns(2, vertical_alignment="bottom")
    with number_place:
        number = slider(f"Step, 1 to {last}", 1, last, first, key)
    with buttons, st.container(horizontal=True):
        # The lesson's strip has a Back and a Next of its own.
        _button("Previous step", ":material/chevron_left:", key, "Back", number - 1, disabled=number == 1)
        _button("Next step", ":material/chevron_right:", key, "Next", number + 1, disabled=number == last)
    return number


@st.fragment
def show_steps(last: int, key: str, draw: Callable[[int], None]) -> None:
    """Show controls over steps and draw the chosen one; only this part of the page runs again.

    Args:
        last: number of steps, counted from 1.
        key: of the step, in the address.
        draw: the step.
    """
    draw(choose_step(last, key))


def _button(label: str, icon: str, key: str, way: str, number: int, disabled: bool) -> None:
    st.button(label, icon=icon, on_click=set_value, args=(key, number), disabled=disabled, key=f"{key}_{way}")
