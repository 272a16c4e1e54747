"""Messages on standard error, without those of libraries."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Never

if TYPE_CHECKING:
    from tqdm import tqdm

_CLEAR_LINE = "\r\033[K"


def print_stderr(text: str) -> None:
    """Print a message to standard error."""
    print(text, file=sys.stderr, flush=True)


def progress_bar(total: int, unit: str, done: int = 0) -> tqdm[Never]:
    """Return a progress bar, which shows only at a terminal."""
    from tqdm import tqdm

    return tqdm(total=total, initial=done, unit=unit, disable=None, dynamic_ncols=True)


def import_tensorflow_quietly() -> None:
    """Import TensorFlow without the messages that its C++ code writes to standard error about the machine.

    They come before any log level applies, and would bury a command's one line of error. Meanwhile a terminal shows that
    TensorFlow is loading.
    """
    shows_message = "tensorflow" not in sys.modules and sys.stderr.isatty()
    if shows_message:
        print("Loading TensorFlow …", end="", file=sys.stderr)
    sys.stderr.flush()
    error_output = os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        import tensorflow

        tensorflow.get_logger().setLevel("ERROR")  # no warnings about many small compiled functions
    finally:
        os.dup2(error_output, 2)
        os.close(error_output)
        if shows_message:
            print(_CLEAR_LINE, end="", file=sys.stderr, flush=True)
