"""Several samples of one translation, side by side."""

from __future__ import annotations

import streamlit as st

from core.records import Hypothesis
from pages.components.widgets.words import plain

_ACROSS = 4


def show_samples(hypotheses: tuple[Hypothesis, ...]) -> None:
    """A card for each sample."""
    for first in range(0, len(hypotheses), _ACROSS):
        for number, place in enumerate(st.columns(min(_ACROSS, len(hypotheses))), start=first):
            if number < len(hypotheses):
                with place, st.container(border=True, key=f"sample_{number}"):
                    _show_sample(hypotheses[number], number)
    different = len({each.ids for each in hypotheses})
    st.caption(
        f"{different} of {len(hypotheses)} are different. log P is the model's own, without temperature, top-k and "
        "top-p: a low temperature draws likelier samples, a high one more varied ones. The same seed draws the same "
        "samples."
    )


def _show_sample(hypothesis: Hypothesis, number: int) -> None:
    st.markdown(f"**{plain(hypothesis.text) or '(nothing)'}**")
    cut = "" if hypothesis.finished else " · truncated"
    st.caption(
        f"Sample {number + 1} · log P {hypothesis.log_probability:z.2f} · {hypothesis.mean_probability:.0%} a token · "
        f"{len(hypothesis.ids)} tokens{cut}"
    )
