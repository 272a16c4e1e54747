"""The models that come with the project, opened for everybody who visits the server."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.files import CheckpointError
from core.checkpoints.shipped import FIRST
from core.classroom.settings import server_settings
from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig
from core.model.programs.kept_graphs import share_with_everybody

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
    share_with_everybody(checkpoint.config)
    return TrainedModel(checkpoint.name or name, checkpoint, shipped_as=name)


def prepare_in_background(model: TrainedModel) -> threading.Thread:
    """Trace what a first translation and its explanation need, while somebody still reads the page."""
    thread = threading.Thread(target=_prepare, args=(model,), daemon=True, name=f"prepare {model.id}")
    thread.start()
    return thread


def _prepare(model: TrainedModel) -> None:
    try:
        for pair in model.checkpoint.examples[:1]:  # what the page shows first
            translation = model.translator.translate([pair.source], DecodingConfig())[0]
            model.translator.explain(translation)
        model.translator.warm_up()
    except Exception:  # whoever translates with it sees the reason
        _log.exception("Preparing %s failed", model.id)
