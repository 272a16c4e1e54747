from __future__ import annotations

from core.classroom.training_plans import plan_for_pairs
from core.classroom.workspace import Workspace
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.training.recipe import prepare_word_training
from pages.components.app.resources import run_queue
from pages.components.widgets.live_job import try_to_start

CLASSROOM_NAME = "Classroom French–English"


def start_classroom_training(mine: Workspace) -> None:
    """Train the classroom preset on the fifteen pairs."""
    prepared = prepare_word_training(PAIRS, CLASSROOM.model, CLASSROOM.training)
    plan = plan_for_pairs(CLASSROOM_NAME, prepared)
    try_to_start(lambda: mine.start_training(plan, run_queue()))
