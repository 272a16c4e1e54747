"""Named starting points for training, offered by the app's menu and by the command line's --preset."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.config import ModelConfig, TrainingConfig
from core.corpora.toy import NEVER_SHOWN, PAIRS, PHRASES
from core.language import N_, _
from core.records.text import Pair


@dataclass(frozen=True)
class Preset:
    """Settings of a model and of its training that go together."""

    name: str
    english_title: str
    english_description: str  # one sentence for people
    model: ModelConfig
    training: TrainingConfig
    pairs: tuple[Pair, ...] = PAIRS
    held_out: tuple[Pair, ...] = ()  # a subset of the pairs

    @property
    def title(self) -> str:
        """Its title for people."""
        return _(self.english_title)

    @property
    def description(self) -> str:
        """One sentence about it, for people."""
        return _(self.english_description)


def _preset(name: str, values: dict[str, Any]) -> Preset:
    model = ModelConfig(**values["model"])
    training = TrainingConfig(**values["training"])
    pairs = (PHRASES, NEVER_SHOWN) if values.get("pairs") == "phrases" else (PAIRS, ())
    return Preset(name, values["title"], values["description"], model, training, *pairs)


_FILE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_ALL = [_preset(name, values) for name, values in tomllib.loads(_FILE).items()]

# For fifteen pairs; training replaces the vocabulary sizes by those of the words it learns.
PRESETS = {preset.name: preset for preset in _ALL if preset.training.batch_tokens is None}

# For corpora of many thousands of pairs, split into subwords of vocabularies of the given sizes.
LARGE_PRESETS = {preset.name: preset for preset in _ALL if preset.training.batch_tokens is not None}

CLASSROOM = PRESETS["classroom"]

# Of the pairs that presets bring; all others are a person's own.
PAIRS_NAMES = {PAIRS: N_("Classroom French–English"), PHRASES: N_("Phrases French–English")}
