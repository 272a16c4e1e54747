"""The command `export`: write a checkpoint as a SavedModel."""

import argparse

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.commands.terminal.quiet import import_tensorflow_quietly


def export(options: argparse.Namespace) -> int:
    """Write a checkpoint as a SavedModel; return the exit code."""
    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    import_tensorflow_quietly()
    from core.checkpoints.export import export_saved_model

    export_saved_model(checkpoint, options.to)
    print(f"Exported to {options.to}.")
    return 0
