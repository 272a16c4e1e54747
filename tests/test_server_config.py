"""What .streamlit/config.toml must say for many people to share a server."""

import subprocess
import sys
from pathlib import Path

import pytest

NEEDED = {
    "server.fileWatcherType": "none",  # it stops the server while it looks through all modules
    "runner.postScriptGC": False,  # a full garbage collection after every click
    "runner.magicEnabled": False,  # an expression on a line of its own would be printed on the page
    "client.showErrorDetails": "none",  # strangers read no paths and no code
}


@pytest.mark.slow
def test_streamlit_takes_every_option_of_the_file() -> None:
    """Streamlit ignores unknown options with only a warning."""
    code = f"from streamlit import config\nprint([config.get_option(name) for name in {list(NEEDED)}])"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == f"{list(NEEDED.values())}\n"
    assert "not a valid config option" not in done.stderr
