"""README.md: a checkpoint's card, for people."""

from __future__ import annotations

from collections.abc import Mapping

from core.config import ModelConfig
from core.model.weight_shapes import parameter_count


def write_card(name: str, config: ModelConfig, metrics: Mapping[str, float]) -> str:
    """What is known about a checkpoint whose maker wrote no card, as Markdown."""
    shape = "\n".join(f"| {field} | {value} |" for field, value in config.to_dict().items())
    training = "\n".join(f"| {metric} | {value:.6g} |" for metric, value in metrics.items())
    return (
        f"# {name or 'A Transformer Classroom checkpoint'}\n\n"
        f"An encoder-decoder Transformer with {parameter_count(config):,} parameters, made with "
        "Transformer Classroom. Open it on the app's Checkpoints page, or run\n\n"
        '    python -m core translate FOLDER "a sentence"\n\n'
        f"| model | |\n|---|---|\n{shape}\n\n| training | |\n|---|---|\n{training}\n"
    )
