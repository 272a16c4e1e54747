"""Widgets for the settings of model, training and decoding, as core/config.py describes them."""

from typing import Any

from core.config import DecodingConfig, ModelConfig, TrainingConfig
from core.described import asked_of, field_infos, kind_of, options_of, range_of
from core.language import _
from pages.components.widgets.state import choose, number_input, slider, toggle

_FIELDS = field_infos(ModelConfig) | field_infos(TrainingConfig) | field_infos(DecodingConfig)
# The settings of model and training that the form on Train asks for.
ASKED = [name for name, info in _FIELDS.items() if asked_of(info).label]


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
    info = _FIELDS[field]
    asked = asked_of(info)
    label, help_ = _(asked.label), _(asked.help)
    if options := options_of(info):
        titles = {option: title_of(field, option) for option in options}
        return choose(label, titles, key, default=default, look="menu", help=help_)
    kind = kind_of(info)
    if kind is bool:
        return toggle(label, default, key, help=help_)
    least, most = range_of(info)
    low = kind(least if asked.low is None else asked.low)
    if high is None:
        high = kind(most if asked.high is None else asked.high)
    if asked.is_slider:
        return slider(label, low, high, default, key, step=asked.step, help=help_)
    shown = {"step": asked.step, "format": asked.format, "disabled": disabled}
    return number_input(label, low, high, default, key, help=help_, **shown)


def title_of(field: str, option: str) -> str:
    """Return the title of an option of a setting that is a choice."""
    return _(asked_of(_FIELDS[field]).titles.get(option, option))
