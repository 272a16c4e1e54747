"""Standard error: what people are told beside what a command gives, and nothing that libraries would say there."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CLEAR_LINE = "\r\033[K"


def say(text: str) -> None:
    """To people, beside what the command gives."""
    print(text, file=sys.stderr, flush=True)


def import_tensorflow_quietly(for_batches: bool = False) -> None:
    """Import TensorFlow without the lines its C++ side writes to standard error about this machine.

    They come before any log level applies, and would bury the one line that an error should be. At a terminal a line
    says what the seconds go into, until they are over.

    Args:
        for_batches: batches of sentences will be translated, each on a core of its own (`side_by_side`). Sharing
            each product between all cores as well would take half as long again.
    """
    if for_batches:
        os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
    with _told("Loading TensorFlow …"):
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


def silence_downloads() -> None:
    """urllib3 tells of each attempt; the command's own line says what became of all of them."""
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)


@contextmanager
def _told(text: str) -> Iterator[None]:
    """A line at a terminal for as long as something lasts that has not been done before."""
    if "tensorflow" in sys.modules or not sys.stderr.isatty():
        yield
        return
    print(text, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(_CLEAR_LINE, end="", file=sys.stderr, flush=True)
