"""The model card of a checkpoint, its README.md."""

import re
from collections.abc import Mapping
from typing import Any

from core.config import ModelConfig, TrainingConfig
from core.weights import parameter_count


def write_card(
    name: str, config: ModelConfig, training: TrainingConfig | None, metrics: Mapping[str, float]
) -> str:
    """Return a card in Markdown, written from a checkpoint's configs and metrics."""
    settings = training.to_dict() if training else {}
    tables = (
        _table("model", config.to_dict())
        + _table("training", {field: value for field, value in settings.items() if value is not None})
        + _table("result", metrics)
    )
    return (
        f"# {name or 'A Transformer Classroom checkpoint'}\n\n"
        f"An encoder-decoder Transformer with {parameter_count(config):,} parameters, made with "
        "Transformer Classroom. Open it on the app's Checkpoints page, or run\n\n"
        '    python -m core translate FOLDER "a sentence"\n\n'
        f"{tables.strip()}\n"
    )


def _table(title: str, values: Mapping[str, Any]) -> str:
    """Return a table of names and values in Markdown, an empty line before it; "" if there are none."""
    shown = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in values.items()}
    rows = "".join(f"| {name} | {value} |\n" for name, value in shown.items())
    return f"\n| {title} | |\n|---|---|\n{rows}" if rows else ""


def with_origin(card: str, origin: str) -> str:
    """Append the card of the checkpoint that training continued from, whose data and licence apply too."""
    below = re.sub(r"^#", "##", origin, flags=re.MULTILINE)
    return f"{card}\n{below.replace('## ', '## Continued from: ', 1)}"
