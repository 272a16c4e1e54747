"""TensorFlow without its remarks."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def import_tensorflow_quietly() -> None:
    """Import TensorFlow without the lines its C++ side writes to standard error about this machine.

    They come before any log level applies, and would bury the one line that an error should be.
    """
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
