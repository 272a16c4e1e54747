"""From a shipped checkpoint's files to its first translation, and what the app weighs with all of them.

    python -m tests.benchmarks.loading

TensorFlow is imported before the clock starts; nothing is compiled before it. The app's memory is the resident
memory of a real server after a browser translated with every shipped checkpoint. Exits with 1 where a figure the
project promises is missed.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.inference.texts import translate_texts
from tests.benchmarks.server_memory import resident_bytes
from tests.browser.app import PATIENCE, running_app, running_chromium

SECONDS, GIGABYTES = 1.5, 1.2


def load_and_translate(folder: Path) -> tuple[float, str]:
    """Seconds to the first translation of one of the checkpoint's examples, and the translation."""
    begin = time.perf_counter()
    checkpoint = Checkpoint.load(folder)
    translator = checkpoint.translator()
    (found,) = translate_texts(translator, [checkpoint.examples[0].source])
    return time.perf_counter() - begin, found.text


def gigabytes_of_the_app() -> float:
    """Resident memory of the server after translating with every shipped checkpoint."""
    log = Path(tempfile.mkdtemp()) / "server.log"
    with running_app(log) as address, running_chromium() as chromium:
        for number in range(len(shipped_checkpoints())):
            page = chromium.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(address)
            page.get_by_role("button", name=re.compile("^Translate ")).nth(number).click()
            page.get_by_text("What the model reads").wait_for()
            page.close()
        return resident_bytes(os.getpid()) / 1e9


def main() -> int:
    import tensorflow  # noqa: F401

    slowest = 0.0
    for name, folder in shipped_checkpoints().items():
        seconds, text = load_and_translate(folder)
        slowest = max(slowest, seconds)
        print(f"{name}: {seconds:.2f} s to {text!r}")
    gigabytes = gigabytes_of_the_app()
    print(f"slowest {slowest:.2f} s (at most {SECONDS}); the app {gigabytes:.2f} GB (at most {GIGABYTES})")
    return int(slowest > SECONDS or gigabytes > GIGABYTES)


if __name__ == "__main__":
    sys.exit(main())
