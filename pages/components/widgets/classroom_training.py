from __future__ import annotations

from functools import partial

from core.classroom.workspace import Workspace
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from pages.components.app.resources import run_queue
from pages.components.widgets.live_job import start

CLASSROOM_NAME = "Classroom French–English"


def start_classroom_training(workspace: Workspace) -> None:
    """Train the classroom preset on the fifteen pairs."""
    start(
        partial(
            workspace.start_training,
            PAIRS,
            CLASSROOM.model,
            CLASSROOM.training,
            CLASSROOM_NAME,
            run_queue(),
        )
    )
