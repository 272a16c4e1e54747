"""Standard error: what people are told beside what a command gives, and nothing that libraries would say there."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Never

if TYPE_CHECKING:
    from tqdm import tqdm

_CLEAR_LINE = "\r\033[K"


def say(text: str) -> None:
    """Tell people something beside what the command gives."""
    print(text, file=sys.stderr, flush=True)


def progress_bar(total: int, unit: str, done: int = 0) -> tqdm[Never]:
    """Return a progress bar, which shows itself at a terminal alone."""
    from tqdm import tqdm

    return tqdm(total=total, initial=done, unit=unit, disable=None, dynamic_ncols=True)


def import_tensorflow_quietly() -> None:
    """Import TensorFlow without the lines its C++ side writes to standard error about this machine.

    They come before any log level applies, and would bury the one line that an error should be. At a terminal a line
    says what the seconds go into, until they are over.
    """
    tells = "tensorflow" not in sys.modules and sys.stderr.isatty()
    if tells:
        print("Loading TensorFlow …", end="", file=sys.stderr)
    sys.stderr.flush()
    error_output = os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        import tensorflow

        tensorflow.get_logger().setLevel("ERROR")  # nor what it thinks of many small compiled functions
    finally:
        os.dup2(error_output, 2)
        os.close(error_output)
        if tells:
            print(_CLEAR_LINE, end="", file=sys.stderr, flush=True)


def silence_downloads() -> None:
    """Keep urllib3 from telling of each attempt; the command's own line says what became of all of them."""
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)
