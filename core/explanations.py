"""What each setting does, in a sentence for people: shown beside the app's controls and by --help."""

from __future__ import annotations

import tomllib
from pathlib import Path

_FILE = Path(__file__).with_suffix(".toml")

EXPLANATIONS: dict[str, str] = tomllib.loads(_FILE.read_text(encoding="utf-8"))

for _name, _text in EXPLANATIONS.items():
    if not isinstance(_text, str) or not _text.endswith("."):
        raise ValueError(f"{_FILE.name}: {_name} must be a sentence with its full stop")
