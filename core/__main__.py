"""The command line: python -m core, with the commands that its parser lists."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from core.commands.data import add_data
from core.commands.distill import add_distill
from core.commands.evaluate import add_evaluate
from core.commands.export import add_export
from core.commands.mean import add_mean
from core.commands.serve import add_serve
from core.commands.terminal.quiet import silence_downloads
from core.commands.train import add_train
from core.commands.translate import add_translate
from core.commands.tune import add_tune


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it worked, 2 with one line on standard error when it could not."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read when TensorFlow is imported
    silence_downloads()
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, ArithmeticError, OSError) as error:
        print(f"{options.name}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core", description="A translation Transformer.")
    commands = parser.add_subparsers(title="commands", required=True)
    add_commands = (
        add_train,
        add_translate,
        add_evaluate,
        add_distill,
        add_tune,
        add_mean,
        add_export,
        add_serve,
        add_data,
    )
    for add in add_commands:
        add(commands)
    return parser


def _end(code: int) -> NoReturn:
    """End the process, and drop a program that XLA still compiles: all that was asked for is done."""
    module = sys.modules.get("core.decoding.background_compiler")
    if module is not None and module.compiler.is_busy:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    _end(main())
