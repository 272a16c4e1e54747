"""The models that come with the project, opened for everybody who visits the server."""

from __future__ import annotations

import logging
from pathlib import Path

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.files import CheckpointError
from core.checkpoints.shipped import FIRST
from core.classroom.settings import server_settings
from core.classroom.trained_model import TrainedModel

_log = logging.getLogger(__name__)


def default_name() -> str:
    """The shipped model that comes first on this server."""
    return server_settings().default_model or FIRST


def open_shipped(name: str, folder: Path) -> TrainedModel | None:
    """One shipped model; None, and a line in the log, where its files are damaged."""
    try:
        checkpoint = Checkpoint.load(folder)
    except CheckpointError:
        _log.exception("The shipped checkpoint %s cannot be opened", name)
        return None
    return TrainedModel(checkpoint.name or name, checkpoint, shipped_as=name)
