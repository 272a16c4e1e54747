"""Named starting points for training, offered by the app's menu and by the command line's --preset."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.config import ModelConfig, TrainingConfig
from core.corpora.languages import language_name
from core.corpora.toy import LANGUAGES, NEVER_SHOWN, PAIRS, PHRASES, PORTUGUESE_PAIRS
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
    brings_pairs: bool = False  # else it is for any, as those of a classroom

    @property
    def title(self) -> str:
        """Its title for people."""
        return _(self.english_title)

    @property
    def languages(self) -> tuple[str, str]:
        """The English names of the languages of its pairs, source and target."""
        source, target = LANGUAGES[self.pairs]
        return language_name(source), language_name(target)

    @property
    def description(self) -> str:
        """One sentence about it, for people."""
        return _(self.english_description)

    def on_pairs_of(self, classroom: "Preset") -> "Preset":
        """Return it with the fifteen pairs of a classroom, unless it has pairs of its own."""
        return self if self.brings_pairs else replace(self, pairs=classroom.pairs)


_PAIRS = {"french": (PAIRS, ()), "portuguese": (PORTUGUESE_PAIRS, ()), "phrases": (PHRASES, NEVER_SHOWN)}


def _preset(name: str, values: dict[str, Any]) -> Preset:
    model = ModelConfig(**values["model"])
    training = TrainingConfig(**values["training"])
    pairs, held_out = _PAIRS[values.get("pairs", "french")]
    return Preset(
        name, values["title"], values["description"], model, training, pairs, held_out, "pairs" in values
    )


_FILE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_ALL = [_preset(name, values) for name, values in tomllib.loads(_FILE).items()]

# For fifteen pairs; training replaces the vocabulary sizes by those of the words it learns.
PRESETS = {preset.name: preset for preset in _ALL if preset.training.batch_tokens is None}

# For many pairs.
LARGE_PRESETS = {preset.name: preset for preset in _ALL if preset.training.batch_tokens is not None}

CLASSROOM = PRESETS["classroom"]

HUNDREDS, THOUSANDS = LARGE_PRESETS["hundreds"], LARGE_PRESETS["thousands"]
HUNDREDS_FROM, THOUSANDS_FROM = 500, 2001  # pairs

# What the app offers: the last two for many pairs.
APP_PRESETS = {**PRESETS, HUNDREDS.name: HUNDREDS, THOUSANDS.name: THOUSANDS}

# By their names: the classroom model's fifteen sentences from each language.
CLASSROOMS = {name: PRESETS[name] for name in (CLASSROOM.name, "classroom_pt")}

# Of the pairs that presets bring; all others are a person's own.
PAIRS_NAMES = {
    PAIRS: N_("Classroom French–English"),
    PORTUGUESE_PAIRS: N_("Classroom Portuguese–English"),
    PHRASES: N_("Phrases French–English"),
}


def preset_for(count: int) -> Preset:
    """Return what so many pairs of one's own are trained with, unless told otherwise."""
    if count < HUNDREDS_FROM:
        return CLASSROOM
    return HUNDREDS if count < THOUSANDS_FROM else THOUSANDS


def classroom_for(language: str) -> Preset:
    """Return the classroom preset for people who read a language, by its code."""
    found = (each for each in CLASSROOMS.values() if LANGUAGES[each.pairs][0] == language)
    return next(found, CLASSROOM)


def classroom_with(pairs: tuple[Pair, ...]) -> Preset | None:
    """Return the classroom preset with these fifteen pairs."""
    return next((each for each in CLASSROOMS.values() if each.pairs == pairs), None)
