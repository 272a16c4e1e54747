"""A layer × head map of buttons: press a head to switch it off."""

from __future__ import annotations

import streamlit as st

from core.config import ModelConfig
from core.figures.model_inside import head_colors
from core.interpretability.heads import HEAD_KINDS, Head, HeadCosts, HeadKind
from pages.components.widgets.remembered import choose_several

TITLES: dict[HeadKind, str] = {"encoder": "Encoder", "decoder": "Decoder", "cross": "Cross-attention"}
_KEYS: dict[HeadKind, str] = {"encoder": "off_encoder", "decoder": "off_decoder", "cross": "off_cross"}


def choose_heads_off(config: ModelConfig, costs: HeadCosts) -> tuple[Head, ...]:
    """A map for each kind of attention; the heads pressed are off.

    Args:
        config: of the model whose heads they are.
        costs: what colors them.
    """
    _say_unknown(config)
    off: list[Head] = []
    for place, kind in zip(st.columns(len(HEAD_KINDS), gap="medium"), HEAD_KINDS, strict=True):
        with place, st.container(key=f"switches_{kind}"):
            names = _names_of(config)
            pressed = choose_several(
                f"{TITLES[kind]}: layer.head", names, _KEYS[kind], [], len(names), look="pills"
            )
        off += [_head_of(kind, name) for name in pressed]
    st.html(f"<style>{_grid(config)}{_colors(costs)}</style>")
    return tuple(off)


def _grid(config: ModelConfig) -> str:
    """A row of buttons a layer; what is off is crossed out."""
    group = "[class*='st-key-switches_'] [role='toolbar']"
    return f"""
        [class*='st-key-off_'] {{ width: 100%; }}
        {group} {{ display: grid; grid-template-columns: repeat({config.num_heads}, minmax(0, 1fr)); gap: 3px;
        width: 100%; max-width: none; }}
        {group} button {{ min-width: 0; max-width: none; width: 100%; padding: 0 0.2rem; justify-content: center;
        border-radius: 4px; }}
        {group} button[aria-pressed='true'] {{ outline: 3px solid; outline-offset: -3px; }}
        {group} button[aria-pressed='true'] p {{ text-decoration: line-through 2px; font-weight: 700; }}
        """


def _colors(costs: HeadCosts) -> str:
    """A color for each button, on the scale of the figure."""
    rules = []
    for number, kind in enumerate(HEAD_KINDS):
        for place, color in enumerate(head_colors(costs.costs)[number], start=1):
            rules.append(
                f".st-key-switches_{kind} button:nth-of-type({place}) "
                f"{{ background: {color.background} !important; }} "  # also of the pressed ones
                f".st-key-switches_{kind} button:nth-of-type({place}) p "
                f"{{ color: {color.text}; }}"
            )
    return "".join(rules)


def head_name(head: Head) -> str:
    """For people."""
    return f"{TITLES[head.kind].lower()}, layer {head.layer + 1}, head {head.head + 1}"


def _names_of(config: ModelConfig) -> list[str]:
    return [
        f"{layer}.{head}"
        for layer in range(1, config.num_layers + 1)
        for head in range(1, config.num_heads + 1)
    ]


def _head_of(kind: HeadKind, name: str) -> Head:
    layer, head = name.split(".")
    return Head(kind, int(layer) - 1, int(head) - 1)


def _say_unknown(config: ModelConfig) -> None:
    """Say which heads of a link this model does not have."""
    known = {*_names_of(config), ""}
    asked = [name for key in _KEYS.values() for name in st.query_params.get(key, "").split(",")]
    if set(asked) - known:
        st.warning(
            f"The link names heads that this model does not have. It has {config.num_layers} layers of "
            f"{config.num_heads} heads.",
            icon=":material/link_off:",
        )
