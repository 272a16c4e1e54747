"""Widgets for the settings of model, training and decoding, as pages/content/settings.toml describes them."""

from typing import Any

from core.config import CHOICES
from core.language import N_, _
from pages.components.widgets.state import choose, number_input, slider, toggle
from pages.content.reader import SETTINGS

# What the options that are words are called; the others are names.
_TITLES = {
    "sinusoidal": N_("sinusoidal"),
    "learned": N_("learned"),
    "none": N_("no positions"),
    "constant": N_("constant"),
    "warmup": N_("warmup"),
    "linear": N_("linear"),
}


def ask_setting(
    field: str, default: Any, key: str, *, high: float | None = None, disabled: bool = False
) -> Any:
    """Show the widget of a setting, and return its value.

    Args:
        field: its field in core/config.py.
        default: the first value.
        key: the widget's key, also in the address.
        high: the largest number, where the server has its own.
        disabled: whether the number is of no use with the other settings.
    """
    setting = SETTINGS[field]
    if field in CHOICES:
        titles = {option: _(_TITLES.get(option, option)) for option in CHOICES[field]}
        return choose(setting.label, titles, key, default=default, look="menu", help=setting.help)
    if isinstance(default, bool):
        return toggle(setting.label, default, key, help=setting.help)
    limits = setting.low, setting.high if high is None else high
    if setting.is_slider:
        return slider(setting.label, *limits, default, key, step=setting.step, help=setting.help)
    shown = {"step": setting.step, "format": setting.format, "disabled": disabled}
    return number_input(setting.label, *limits, default, key, help=setting.help, **shown)
