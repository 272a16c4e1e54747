"""The command line: python -m core."""

import argparse
import logging
import os
import sys
from collections.abc import Sequence

# Read when NumPy is imported: one thread per product, since each core translates its own sentences.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

try:
    from core.commands.convert import convert
    from core.commands.data import data
    from core.commands.evaluate import evaluate
    from core.commands.export import export
    from core.commands.flags import add_command, add_flags
    from core.commands.serve import serve
    from core.commands.train import add_train
    from core.commands.translate import translate
    from core.config import SAMPLING, DecodingConfig
except KeyboardInterrupt:  # Ctrl-C before there is a command to interrupt
    print("Interrupted.", file=sys.stderr)
    sys.exit(130)

_MISSING = (
    "This needs {}, which cannot be loaded. Install requirements.txt; it leaves TensorFlow out where there is none: on "
    "Intel Macs, Windows on ARM and Python 3.14."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code: 0, or 2 with one line on standard error after an error."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read when TensorFlow is imported
    # Without a message for each attempt to download: a command prints one line about all of them.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ImportError as error:  # TensorFlow that is damaged has no name here
        print(f"{options.command_name}: {_MISSING.format(error.name or 'TensorFlow')}", file=sys.stderr)
        return 2
    except (ValueError, ArithmeticError, OSError) as error:
        print(f"{options.command_name}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core", description="A translation Transformer.")
    commands = parser.add_subparsers(title="commands", required=True)
    add_train(commands)
    for run in (translate, evaluate):
        add_flags(add_command(commands, run.__name__, run), DecodingConfig, without=SAMPLING)
    for run in (export, convert, serve, data):
        add_command(commands, run.__name__, run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
