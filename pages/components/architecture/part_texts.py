"""What is said of each part of the model, read from pages/content/parts.toml."""

from __future__ import annotations

from dataclasses import dataclass

from core.config import ModelConfig
from core.theory.parts import Part
from pages.components.app.content import read_entries


@dataclass(frozen=True)
class PartText:
    """What the page says of a part. Texts are Markdown."""

    name: str
    does: str  # a sentence or two
    source: str  # where it is described


_TEXTS = {text.name: text for text in read_entries("parts.toml", "part", PartText)}


def text_of_part(part: Part, config: ModelConfig) -> PartText:
    """Return what is said of a part in a model of a config."""
    if part.kind == "norm":
        return _TEXTS[f"{config.norm} norm" if part.in_layer else "final norm"]
    return _TEXTS.get(part.kind) or _TEXTS[f"{part.side} {part.kind}"]
