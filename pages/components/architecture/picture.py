"""The model as a picture whose parts can be opened."""

from __future__ import annotations

import streamlit as st

from core.config import ModelConfig
from core.figures.architecture import architecture_svg
from core.theory.model_parts import feed_forward, parts_of_model
from core.theory.model_size import parameters_by_part
from core.theory.parts import Part, axis_sizes, model_sizes
from core.weights import parameter_count
from pages.components.architecture.models import choose_config
from pages.components.architecture.part_texts import text_of_part
from pages.components.architecture.tensor_table import shape_text, show_tensors
from pages.components.lesson.view import View
from pages.components.widgets import remembered
from pages.components.widgets.drawing.svg import ON_ONE_SCREEN, show_svg
from pages.components.widgets.memory import set_value
from pages.components.widgets.numbers import slider

MAX_BATCH, MAX_SHOWN_LENGTH = 64, 256
_FIRST = "encoder_self_attention"
_KEY = "opened"  # of the choice, in the address


def _show_picture() -> None:
    first, second = st.columns([4, 5], gap="large")
    with second:
        config = choose_config()
        if config is None:
            return
        parts = {part.key: part for part in parts_of_model(config)}
        chosen = _choose_part(parts)
        sizes = _choose_sizes(config)
    with first:
        drawing = architecture_svg(config, active=[chosen.key], clickable=True)
        show_svg(ON_ONE_SCREEN + drawing, "parts", _open)
        st.caption("Press a part to open it, or choose it from the list.")
    with second:
        _show_part(chosen, config, sizes)


def _choose_part(parts: dict[str, Part]) -> Part:
    titles = {key: f"{part.side.capitalize()}: {part.title}" for key, part in parts.items()}
    return parts[remembered.choose("Part to open", titles, _KEY, default=_FIRST, look="menu")]


def _open(part: str) -> None:
    set_value(_KEY, part)


def _choose_sizes(config: ModelConfig) -> dict[str, int]:
    """The lengths of all axes, with those of the batch that is chosen."""
    left, middle, right = st.columns(3)
    with left:
        pairs = slider("B: sentence pairs", 1, MAX_BATCH, 8, "b")
    with middle:
        source = slider("S: source tokens", 1, min(config.max_source_length, MAX_SHOWN_LENGTH), 10, "s")
    with right:
        target = slider("T: target tokens", 1, min(config.max_target_length, MAX_SHOWN_LENGTH), 12, "t")
    return axis_sizes(config, pairs, source, target)


def _show_part(part: Part, config: ModelConfig, sizes: dict[str, int]) -> None:
    text = text_of_part(part, config)
    st.markdown(f"#### {part.title}\n{text.does}")
    lines = [
        *(("Input", tensor) for tensor in part.reads),
        *(("Inside", tensor) for tensor in part.inside),
        ("Output", part.gives),
    ]
    show_tensors(lines, sizes)
    _show_weights(part, config)
    st.caption(text.source)


def _show_weights(part: Part, config: ModelConfig) -> None:
    if not part.weights:
        st.markdown("It has no parameters.")
        return
    sizes = model_sizes(config)
    rows = [
        f"| `{weight.name}` | {shape_text(weight.shape(sizes))} | {weight.size(sizes):,} |"
        for weight in part.weights
    ]
    st.markdown("| weight | shape | numbers |\n|---|---|--:|\n" + "\n".join(rows))
    layers = part.copies(config)
    count = parameters_by_part(config)[part.key]
    share = count / parameter_count(config)
    where = f" in one layer, **{count:,}** in all {layers}" if layers > 1 else ""
    st.markdown(f"**{count // layers:,}** parameters{where}: **{share:.1%}** of the model's.")


PICTURE = View(_show_picture, (parameters_by_part, feed_forward))
