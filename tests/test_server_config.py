"""What .streamlit/config.toml must say for many people to share a server."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / ".streamlit" / "config.toml"

NEEDED = {
    "server.fileWatcherType": "none",  # it stops the server while it looks through all modules
    "runner.postScriptGC": False,  # a full garbage collection after each click of anybody
    "runner.magicEnabled": False,  # an expression that stands alone would be printed on the page
    "client.showErrorDetails": "none",  # strangers read no paths and no code
}


@pytest.mark.parametrize(("name", "value"), NEEDED.items())
def test_the_file_says_it(name: str, value: Any) -> None:
    section, option = name.split(".")
    assert tomllib.loads(CONFIG.read_text(encoding="utf-8"))[section][option] == value


def test_streamlit_takes_every_option_of_the_file() -> None:
    """It leaves out what it does not know, with a warning alone."""
    code = f"from streamlit import config\nprint([config.get_option(name) for name in {list(NEEDED)}])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"{list(NEEDED.values())}\n"
    assert "not a valid config option" not in done.stderr
