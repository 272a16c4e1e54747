"""A step of a lesson leads to the view that its task needs."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST
from core.classroom.models import TrainedModel
from core.classroom.workspace import Workspace
from pages.components.app.menu import SECTIONS, TRANSLATE, PageEntry
from pages.components.lesson.plan import LESSONS, LessonStep
from tests.conftest import ChangeSetting, subword_checkpoint
from tests.pages.test_addresses import opened
from tests.pages.test_round_trips import ADDRESS_NAMES, MODEL

KEYS_TO_NAMES = {**ADDRESS_NAMES, MODEL: "model"}
NAMES_TO_KEYS = {name: key for key, name in KEYS_TO_NAMES.items()}
_TEXT = ("mode", "text")  # of Translate, which may have been left with many lines
LEADING = [
    (minutes, before.page, after)
    for minutes, plan in LESSONS.items()
    for before, after in zip(plan.steps, plan.steps[1:], strict=False)
    if after.query(Workspace())
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("minutes", "page", "step"), LEADING, ids=lambda part: getattr(part, "address", None)
)
def test_next_opens_the_very_view(
    with_shipped: None, minutes: int, page: PageEntry, step: LessonStep
) -> None:
    app = opened(page, {"lesson": str(minutes)})
    above_and_below = [each for each in app.get("page_link") if each.proto.label.startswith("Next: ")]
    assert [parse_qsl(link.proto.query_string) for link in above_and_below] == [step.query(Workspace())] * 2
    shown = opened(step.page, dict(step.query(Workspace())))
    widgets = {widget.key: widget.value for widget in (*shown.selectbox, *shown.segmented_control)}
    for name, value in step.query(Workspace()):
        assert widgets[NAMES_TO_KEYS.get(name, name)] == value


@pytest.mark.parametrize("minutes", LESSONS)
@pytest.mark.parametrize("name", ["", "anki_en_fr"])
def test_what_asks_for_a_model_in_doubt_opens_with_the_servers_own(
    change_setting: ChangeSetting, minutes: int, name: str
) -> None:
    change_setting("default_model", name)
    looks = [step for step in LESSONS[minutes].steps if step.page in SECTIONS["Look inside"]]
    assert looks and all(("model", name or FIRST) in step.query(Workspace()) for step in looks)


@pytest.mark.parametrize("minutes", LESSONS)
def test_a_larger_model_that_is_chosen_stays(checkpoint: Checkpoint, minutes: int) -> None:
    looks = [step for step in LESSONS[minutes].steps if step.page in SECTIONS["Look inside"]]
    mine = Workspace()
    for chosen, named in ((checkpoint, True), (subword_checkpoint(), False)):
        mine.open_model(TrainedModel("Chosen", chosen))
        assert all(("model" in dict(step.query(mine))) == named for step in looks)


@pytest.mark.parametrize("minutes", LESSONS)
def test_of_ones_own_models_the_trained_one_comes_first(checkpoint: Checkpoint, minutes: int) -> None:
    translate = next(step for step in LESSONS[minutes].steps if step.page == TRANSLATE)
    mine = Workspace()
    assert translate.query(mine) == [_TEXT]
    mine.open_model(TrainedModel("Trained", checkpoint))
    mine.trained = mine.model
    mine.open_model(TrainedModel("Opened", checkpoint))
    assert mine.trained is not None and mine.model is not None
    assert translate.query(mine) == [_TEXT, ("model", mine.trained.id)]
    mine.remove(mine.trained)
    assert translate.query(mine) == [_TEXT, ("model", mine.model.id)]
