"""The model card of a checkpoint, its README.md."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.config import ModelConfig
from core.weights import parameter_count


def write_card(name: str, config: ModelConfig, metrics: Mapping[str, float]) -> str:
    """Return a card in Markdown, written from a checkpoint's config and metrics."""
    shape = "\n".join(f"| {field} | {value} |" for field, value in config.to_dict().items())
    figures = "\n".join(f"| {metric} | {value:.6g} |" for metric, value in metrics.items())
    training = f"\n| training | |\n|---|---|\n{figures}\n" if figures else ""
    return (
        f"# {name or 'A Transformer Classroom checkpoint'}\n\n"
        f"An encoder-decoder Transformer with {parameter_count(config):,} parameters, made with "
        "Transformer Classroom. Open it on the app's Checkpoints page, or run\n\n"
        '    python -m core translate FOLDER "a sentence"\n\n'
        f"| model | |\n|---|---|\n{shape}\n{training}"
    )


def with_origin(card: str, origin: str) -> str:
    """Append the card of the checkpoint that training continued from, whose data and licence apply too."""
    below = re.sub(r"^#", "##", origin, flags=re.MULTILINE)
    return f"{card}\n{below.replace('## ', '## Continued from: ', 1)}"
