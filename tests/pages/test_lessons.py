"""A lesson leads from page to page, to the view and the model that each task needs."""

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST
from core.server.trained_model import TrainedModel
from core.server.workspace import Workspace
from pages.content.lessons import LESSONS
from pages.content.pages import (
    ATTENTION_MAPS,
    CHECKPOINTS,
    DECODING,
    EVALUATE,
    HOME,
    INSIDE,
    LESSON_END,
    MASKS,
    POSITIONAL_ENCODING,
    TRAIN,
    TRANSLATE,
)
from pages.content.reader import PAGE_TEXTS
from tests.conftest import ChangeSetting, subword_checkpoint
from tests.pages.conftest import (
    ROOT,
    OpenPage,
    change,
    go_to,
    keys_of,
    linked,
    numbers_said,
    open_page,
    press,
    targets,
    texts,
    workspace_of,
)


def test_lessons_are_as_long_as_they_say() -> None:
    plans = {name: plan for name, plan in LESSONS.items() if not plan.title}
    assert [str(plan.minutes) for plan in plans.values()] == list(plans) == ["10", "30", "60"]
    for plan in LESSONS.values():
        assert len({*plan.path}) == len(plan.path) or plan.title
        assert {*plan.path} <= {*LESSONS["60"].path}, "TEACHING's table has the pages of the longest"


def test_a_step_about_ones_own_model_waits_for_it(with_shipped: None, checkpoint: Checkpoint) -> None:
    """As behind a teacher's link: the teacher's model is in another tab, and a shipped one would belie the text."""
    app = open_page(TRANSLATE.file, lesson="10", model="another tab's")
    assert not app.text_input
    assert app.button(key="leads_on")
    mine = workspace_of(app)
    mine.models.open(TrainedModel("Mine", checkpoint))
    mine.models.selected = None
    change(app)
    assert app.selectbox(key="model").value == mine.models.kept[0].id
    change(app, model=FIRST)
    assert app.selectbox(key="model").value == FIRST, "chosen here"


def test_a_reloaded_tab_shows_the_model_that_was_chosen_at_a_step(
    with_shipped: None, checkpoint: Checkpoint
) -> None:
    app = open_page(TRANSLATE.file, lesson="10", own=TrainedModel("Mine", checkpoint))
    change(app, model=FIRST)
    reloaded = open_page(TRANSLATE.file, lesson="10", workspace=workspace_of(app))
    assert reloaded.selectbox(key="model").value == FIRST
    # Until it has its workspace back, it chooses none that would replace the visitor's choice.
    assert workspace_of(open_page(ATTENTION_MAPS.file, lesson="10")).models.selected is None


def test_a_step_opens_from_home_whatever_was_looked_at_before(open_trained: OpenPage) -> None:
    app = open_trained(MASKS.file, lesson="60", masks_view="cheating")
    number = LESSONS["60"].number_of(MASKS)
    assert number is not None
    app.switch_page(str(ROOT / HOME.file))
    press(change(app), f"step_{number}")
    assert app.segmented_control(key="masks_view").value == LESSONS["60"].steps[number - 1].view


def test_a_step_opened_by_the_menu_or_a_link_has_the_view_of_its_task() -> None:
    key = PAGE_TEXTS["positional_encoding"].parameter
    app = go_to(open_page(HOME.file, lesson="30"), POSITIONAL_ENCODING.file)
    assert app.session_state[key] == "shuffle", "not the first view"
    other = linked(POSITIONAL_ENCODING.file, lesson="30", **{key: "waves"})
    assert other.session_state[key] == "waves", "the address names a view"


def test_a_page_beyond_the_lesson_does_not_end_it() -> None:
    app = open_page(CHECKPOINTS.file, lesson="30")
    assert "lesson_back" not in keys_of(app) and EVALUATE.address in targets(app), "by the menu"
    assert press(go_to(app, INSIDE.file), "lesson_next").title[0].value == LESSON_END.title


@pytest.mark.slow
def test_from_a_page_beyond_the_lesson_and_from_home_one_press_leads_back_to_the_step() -> None:
    app = press(open_page(HOME.file, lesson="10"), "begin")
    left = press(press(app, "lesson_next"), "lesson_next").title[0].value
    for file, key in ((MASKS.file, "lesson_next"), (HOME.file, "begin")):
        assert press(go_to(app, file), key).title[0].value == left
    assert press(go_to(app, HOME.file), "begin_again").title[0].value == LESSONS["10"].path[1].title


def test_a_link_opens_its_lesson() -> None:
    first = LESSONS["60"].steps[0].page.title
    assert linked(HOME.file, lesson="60").button(key="step_1").label == f"1. **{first}**"
    steps = LESSONS["30"].steps
    number = LESSONS["30"].number_of(MASKS) or 0
    planned = sum(step.minutes for step in steps[:number])
    place = [str(each) for each in (number, len(steps), 0, planned)]  # of how many, minutes used and planned
    assert place in [each[:4] for each in numbers_said(linked(MASKS.file, lesson="30"))]
    (alone,) = (step for step in LESSONS["30"].steps if step.page == TRAIN)
    said = texts(linked(TRAIN.file, lesson="30"))
    assert alone.task in said and alone.class_task and alone.class_task not in said
    for nonsense in ("", "31"):
        assert "begin" not in [button.key for button in linked(HOME.file, lesson=nonsense).button]


@pytest.mark.parametrize("name", ["", "anki_en_fr"])
def test_what_asks_for_a_model_in_doubt_opens_with_the_servers_own(
    change_setting: ChangeSetting, with_shipped: None, checkpoint: Checkpoint, name: str
) -> None:
    change_setting("default_model", name)
    chosen = [(checkpoint, False), (subword_checkpoint(), True)]  # a larger model that is chosen stays
    for own, stays in chosen:
        app = open_page(TRANSLATE.file, own=TrainedModel("Chosen", own), lesson="10")
        mine = workspace_of(app)
        press(app, "lesson_next")
        assert app.title[0].value == ATTENTION_MAPS.title
        assert mine.models.selected is not None
        assert mine.models.selected.id == (mine.models.kept[0].id if stays else name or FIRST)


def test_of_ones_own_models_the_trained_one_comes_first(checkpoint: Checkpoint) -> None:
    mine = Workspace()
    mine.models.open(TrainedModel("Trained", checkpoint))
    mine.models.trained = mine.models.selected
    mine.models.open(TrainedModel("Opened", checkpoint))
    trained, opened = mine.models.kept
    for model in (trained, opened):
        app = press(open_page(TRAIN.file, workspace=mine, lesson="10"), "lesson_next")
        assert app.selectbox(key="model").value == model.id
        mine.models.remove(trained)


def test_a_step_chooses_its_model_again_after_another_page(
    with_shipped: None, checkpoint: Checkpoint
) -> None:
    own = TrainedModel("Mine", checkpoint)
    app = open_page(TRANSLATE.file, lesson="10", own=own)
    change(go_to(app, DECODING.file), model=FIRST)  # beyond the lesson
    assert go_to(app, TRANSLATE.file).selectbox(key="model").value == own.id
