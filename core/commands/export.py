"""The command line: python -m core export."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.commands.terminal.quiet import import_tensorflow_quietly


def add_export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "export", help="write a TensorFlow SavedModel: text in; translation and tokens out"
    )
    parser.set_defaults(command=_export, name="export")
    parser.add_argument("checkpoint", help='the name of a shipped one ("ted_pt_en"), a folder or a zip')
    parser.add_argument("to", type=Path, help="the SavedModel's folder, new or empty")


def _export(options: argparse.Namespace) -> int:
    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    import_tensorflow_quietly()
    from core.checkpoints.export import export_saved_model

    export_saved_model(checkpoint, options.to)
    print(f"Exported to {options.to}.")
    return 0
