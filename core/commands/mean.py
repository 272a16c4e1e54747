"""The command line: python -m core mean."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_mean(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "mean", help="the mean of the weights of trainings that began at the same ones"
    )
    parser.set_defaults(command=_mean, name="mean")
    parser.add_argument(
        "checkpoints",
        nargs="+",
        help="names of shipped ones, folders or zips; all but weights is the last one's",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the new checkpoint")


def _mean(options: argparse.Namespace) -> int:
    from core.model_soup import mean_checkpoint
    from core.storage.checkpoint import Checkpoint
    from core.storage.output_folder import check_writable
    from core.storage.shipped import find_checkpoint

    check_writable(options.out)
    mean_checkpoint([Checkpoint.load(find_checkpoint(path)) for path in options.checkpoints]).save(
        options.out
    )
    print(f"Saved to {options.out}.")
    return 0
