"""The command line: python -m core mean."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_mean(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "mean", help="average the weights of training runs that continued from the same weights"
    )
    parser.set_defaults(command=_mean, name="mean")
    parser.add_argument(
        "checkpoints",
        nargs="+",
        help="names of shipped ones, folders or zips; name, examples and precision are those of the last",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the new checkpoint")


def _mean(options: argparse.Namespace) -> int:
    from core.model_soup import mean_checkpoint
    from core.storage.checkpoint import Checkpoint
    from core.storage.output_folder import check_is_new, check_writable
    from core.storage.shipped import find_checkpoint

    paths = [find_checkpoint(name) for name in options.checkpoints]
    check_is_new(options.out, paths)
    check_writable(options.out)  # before they are read
    mean_checkpoint(map(Checkpoint.load, paths)).save(options.out)
    print(f"Saved to {options.out}.")
    return 0
