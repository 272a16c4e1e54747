"""How to search, as widgets."""

from __future__ import annotations

import streamlit as st

from core.config import (
    EXPLANATIONS,
    DecodingConfig,
)
from pages.components.widgets.numbers import number_input, slider
from pages.components.widgets.remembered import choose


def decoding_settings(may_sample: bool = True, may_fold: bool = True) -> DecodingConfig:
    """Show greedy search, beam search or sampling with its settings.

    Args:
        may_sample: whether sampling is offered.
        may_fold: whether there may be a popover, which none may be inside another.
    """
    ways = {"greedy": "Greedy", "beam": "Beam search", "sample": "Sampling"}
    if not may_sample:
        del ways["sample"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = choose(
            "Decoding",
            ways,
            key="search",
            help="Greedy takes the most likely token at each step. Beam search keeps several hypotheses and can find a "
            "sentence that is more likely as a whole. Sampling draws each token according to its probability.",
        )
        if search == "beam":
            return _beam_settings()
        return _sampling_settings(may_fold) if search == "sample" else DecodingConfig()


def _beam_settings() -> DecodingConfig:
    beam_size = slider("Beams", 2, 8, 4, key="beams", help=EXPLANATIONS["beam_size"])
    length_penalty = slider(
        "Length penalty", 0.0, 2.0, 0.6, key="penalty", step=0.1, help=EXPLANATIONS["length_penalty"]
    )
    return DecodingConfig(beam_size=beam_size, length_penalty=length_penalty)


def _sampling_settings(may_fold: bool) -> DecodingConfig:
    """Two sliders beside the choice, and the rest folded where it may be."""
    samples = slider("Samples", 1, 8, 4, key="samples", help=EXPLANATIONS["samples"])
    temperature = slider(
        "Temperature", 0.0, 2.0, 1.0, key="temperature", step=0.1, help=EXPLANATIONS["temperature"]
    )
    more = st.popover("More", help="Top-k, top-p and the seed") if may_fold else st.container()
    with more:
        top_k = number_input("Top-k", 0, 1000, 0, key="top_k", help=EXPLANATIONS["top_k"])
        top_p = slider("Top-p", 0.05, 1.0, 1.0, key="top_p", step=0.05, help=EXPLANATIONS["top_p"])
        seed = number_input(
            "Seed", 0, 2**31 - 1, 42, key="draw_seed", address="seed", help=EXPLANATIONS["seed"]
        )
    return DecodingConfig(samples=samples, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
