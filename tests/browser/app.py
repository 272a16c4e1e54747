"""The app on a server of its own, and a real Chromium: Debian's, or the one CHROMIUM names.

Of Debian's two the one without windows, which takes a fifth less of the processor to open a page.
"""

import contextlib
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from core.server.settings import PREFIX

ROOT = Path(__file__).parents[2]
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
PATIENCE = 120_000  # ms; machines that run tests are slow, and busy

_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # tabs of one profile share what was compiled of the app's scripts
)


@contextmanager
def running_app(
    log: Path,
    settings: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    entry: Sequence[str] = ("-m", "streamlit", "run", "streamlit_app.py"),
) -> Iterator[str]:
    """Start the app; yield its address.

    Args:
        log: where what the server prints goes; it is looked through at the end.
        settings: of the server, by their fields.
        prefix: of the command, where something else shall start it.
        entry: what Python is given to start it.
    """
    port = _free_port()
    command = [*prefix, sys.executable, *entry]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*command, "--server.headless=true", "--server.address=127.0.0.1", f"--server.port={port}"],
            cwd=ROOT,
            env=os.environ | {f"{PREFIX}{name.upper()}": value for name, value in (settings or {}).items()},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_healthy(f"http://127.0.0.1:{port}", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(PATIENCE / 1000)
    if found := own_traceback(log.read_text(encoding="utf-8", errors="replace")):
        raise AssertionError(f"An error in the server's log:\n{found}")


def own_traceback(log: str, root: Path = ROOT) -> str:
    """Return the log from the first traceback with one of our files; "" where there is none.

    Streamlit prints one of its own when a browser leaves while the server writes to it.
    """
    ours = re.compile(re.escape(f"{root}{os.sep}") + r"(core|pages|streamlit_app\.py)\b")
    for begin in re.finditer("Traceback", log):
        end = log.find("Traceback", begin.end())
        found = log[begin.start() : end if end > 0 else len(log)]
        if ours.search(found):
            return found[-8000:]  # the error itself is at the end
    return ""


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Start Chromium without a screen."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        yield chromium
        chromium.close()


def _free_port() -> int:
    """Return a port below those of outgoing connections: a browser's could take one of them before the server does."""
    while True:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _wait_until_healthy(address: str, server: subprocess.Popen[bytes]) -> None:
    patient_until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < patient_until:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            assert server.poll() is None, "the server ended"
            time.sleep(0.2)
    raise TimeoutError("the server did not start")
