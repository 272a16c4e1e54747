"""The card of a model, made from what its file says."""

import re
from collections.abc import Mapping
from typing import Any

from core.config import ModelConfig, TrainingConfig
from core.language import _, number
from core.weights import parameter_count


def default_card(name: str, config: ModelConfig, fields: Mapping[str, Any]) -> str:
    """Return a card in Markdown, written from a model's fields by their labels: configs and numbers have tables."""
    title = name or _("A Transformer Classroom checkpoint")
    about = _(
        "An encoder-decoder Transformer with {count} parameters, made with Transformer Classroom. Open it on the app's "
        "Checkpoints page, or run"
    ).format(count=number(parameter_count(config), ","))
    values = {
        _(label): value.to_dict() if isinstance(value, ModelConfig | TrainingConfig) else value
        for label, value in fields.items()
    }
    tables = {label: value for label, value in values.items() if isinstance(value, Mapping)}
    texts = {label: value for label, value in values.items() if label not in tables and value != ""}
    shown = "".join(_table(title, rows) for title, rows in {"": texts, **tables}.items())
    return f'# {title}\n\n{about}\n\n    python -m core translate NAME "a sentence"\n\n{shown.strip()}\n'


def _table(title: str, values: Mapping[str, Any]) -> str:
    """Return a table of names and values in Markdown, an empty line before it; "" if there are none."""
    rows = "".join(f"| {name} | {_shown(value)} |\n" for name, value in values.items() if value is not None)
    return f"\n| {title} | |\n|---|---|\n{rows}" if rows else ""


def _shown(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() else f"{value:.6g}"
    return value


def paragraphs_of(card: str) -> list[str]:
    """Return the parts of a card between empty lines: what is translated at a time."""
    return card.strip("\n").split("\n\n")


def with_origin(card: str, origin: str) -> str:
    """Append the card of the checkpoint that training continued from, whose data and licence apply too."""
    below = re.sub(r"^#", "##", origin, flags=re.MULTILINE)
    return f"{card}\n{below.replace('## ', '## Continued from: ', 1)}"
