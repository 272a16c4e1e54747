"""The command line: python -m core export."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.commands.terminal.quiet import import_tensorflow_quietly


def add_export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "export", help="write a TensorFlow SavedModel, text in and text out; or a Keras file"
    )
    parser.set_defaults(command=_export, name="export")
    parser.add_argument("checkpoint", help='the name of a shipped one ("ted_pt_en"), a folder or a zip')
    parser.add_argument(
        "to",
        type=Path,
        help="the SavedModel's folder; or a file that ends in .keras or .weights.h5, for Keras",
    )


def _export(options: argparse.Namespace) -> int:
    from core.storage.checkpoint import Checkpoint
    from core.storage.shipped import find_checkpoint

    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    import_tensorflow_quietly()
    from core.storage.export import KERAS_ENDINGS, export_keras, export_saved_model

    is_for_keras = options.to.name.endswith(KERAS_ENDINGS)
    export = export_keras if is_for_keras else export_saved_model
    export(checkpoint, options.to)
    print(f"Exported to {options.to}.")
    return 0
