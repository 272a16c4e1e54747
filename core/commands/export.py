"""The command line: python -m core export."""

from __future__ import annotations

import argparse

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.commands.flags import Commands, add_command
from core.commands.terminal.quiet import import_tensorflow_quietly


def add_export(commands: Commands) -> None:
    """Register the command."""
    add_command(commands, "export", _export)


def _export(options: argparse.Namespace) -> int:
    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    import_tensorflow_quietly()
    from core.checkpoints.export import export_saved_model

    export_saved_model(checkpoint, options.to)
    print(f"Exported to {options.to}.")
    return 0
