from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.models import TrainedModel
from pages.components.app.content import GLOSSARY
from pages.components.app.menu import CHECKPOINTS, EVALUATE, HOME, INSIDE, PAGES
from pages.components.lesson.plan import LESSONS
from pages.components.widgets.page import theme_choice
from tests.pages.conftest import PATIENCE, ROOT, OpenPage, press, texts, workspace_of

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint


def test_every_page_is_listed_whatever_the_lesson(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    assert labels(app)[: len(PAGES) - 1] == [f"**{page.title}**" for page in PAGES if page != HOME]
    for minutes, plan in LESSONS.items():
        app.segmented_control(key="lesson").set_value(minutes).run()
        stops = [f"{number}. **{step.page.title}**" for number, step in enumerate(plan.steps, start=1)]
        beyond = [f"**{page.title}**" for page in plan.beyond]
        assert labels(app) == [f"**Begin the {minutes}-minute lesson**", *stops, *beyond]
        assert len(stops) + len(beyond) == len(PAGES) - 1
        for page in plan.beyond:
            assert page.line in texts(app)
    assert "Current model: none yet" in texts(app)


def test_the_picture_is_that_of_the_model_named(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_page("pages/home.py")
    assert "The classroom model, post-norm." in texts(app)
    workspace_of(app).open_model(TrainedModel("Mine", checkpoint))
    assert f"Mine, {checkpoint.config.norm}-norm." in texts(app.run())


def test_the_glossary(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    app.toggle(key="glossary").set_value(True).run()
    assert all(f"**{term.name}**: {term.meaning} *({term.source})*" in texts(app) for term in GLOSSARY)
    linked = {page.address for page in PAGES if f"**{page.title}**" in labels(app)}
    assert linked == {term.page for term in GLOSSARY}


def test_a_title_explains_the_terms_of_its_page(open_page: OpenPage) -> None:
    assert "**causal mask**" in open_page("pages/masks.py").title[0].help


def test_lessons_are_as_long_as_they_say() -> None:
    assert [plan.minutes for plan in LESSONS.values()] == list(LESSONS) == [10, 30, 60]
    pages, stops = ({page.address for page in pages} for pages in (PAGES, LESSONS[60].path))
    assert pages - stops == set(), "give each a step in the 60-minute lesson"
    assert stops - pages == set(), "give each a place in the menu"
    for plan in LESSONS.values():
        assert len(set(plan.path)) == len(plan.path)


@pytest.mark.parametrize("minutes", LESSONS)
def test_a_lesson_leads_from_page_to_page(open_page: OpenPage, minutes: int) -> None:
    plan = LESSONS[minutes]
    app = open_page("pages/home.py")
    app.segmented_control(key="lesson").set_value(minutes).run()
    for number, step in enumerate(plan.steps, start=1):
        app.switch_page(step.page.file).run()
        assert not app.exception
        assert f"**Step {number} of {len(plan.steps)}** · {step.minutes} min · {step.task}" in texts(app)
        assert app.query_params["lesson"] in (str(minutes), [str(minutes)])
        following = plan.path[number + 1 : number + 2]
        last = f"End of the {minutes}-minute lesson"
        assert (f"Next: **{following[0].title}**" if following else last) in labels(app)
        assert "Back" in labels(app)


def test_a_page_beyond_the_lesson_does_not_end_it(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    app.segmented_control(key="lesson").set_value(30).run()
    app.switch_page(CHECKPOINTS.file).run()
    assert "Step" not in texts(app)
    assert f"Back: {EVALUATE.title}" in labels(app)  # by the menu
    app.switch_page(INSIDE.file).run()
    assert "End of the 30-minute lesson" in labels(app)


def test_without_a_lesson_pages_follow_the_menu(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    for before, page, after in zip(PAGES, PAGES[1:], PAGES[2:], strict=False):
        app.switch_page(page.file).run()
        assert f"Back: {before.title}" in labels(app)
        assert f"Next: **{after.title}**" in labels(app)
        assert "lesson of" not in texts(app)


def test_presenter_mode_hides_the_code_and_stays(open_page: OpenPage) -> None:
    app = open_page("pages/masks.py")
    assert app.code
    app.toggle(key="present").set_value(True).run()
    assert not app.exception
    assert not app.code
    app.switch_page("pages/learning_rate.py").run()
    assert not app.code
    assert app.query_params["present"] in ("1", ["1"])
    app.button(key="leave_presenting").click().run()
    assert app.code


def test_light_or_dark_is_in_the_address_and_can_be_changed_while_presenting(open_page: OpenPage) -> None:
    app = open_page("pages/masks.py")
    app.segmented_control(key="theme").set_value("dark").run()
    assert app.query_params["theme"] in ("dark", ["dark"])
    app.toggle(key="present").set_value(True).run()
    assert not app.exception
    assert app.segmented_control(key="theme").value == "dark"
    app.segmented_control(key="theme").set_value("system").run()
    assert "theme" not in app.query_params


def test_the_buttons_work_whatever_lesson_the_address_holds(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    app.segmented_control(key="lesson").set_value(30).run()
    assert app.query_params["lesson"] in ("30", ["30"])
    app = press(app, "Train a Transformer now")
    assert not app.exception
    assert app.title[0].value == "Train"


def test_an_address_opens_its_lesson() -> None:
    assert labels(opened_at("pages/home.py", "60"))[1] == "1. **Text as numbers**"
    assert "**Step 5 of 10**" in texts(opened_at("pages/masks.py", "30"))
    for nonsense in ("<b>", "", "1e309", "31"):
        assert not [each for each in labels(opened_at("pages/home.py", nonsense)) if "Begin" in each]


def opened_at(page: str, lesson: str) -> AppTest:
    """The app as an address with a lesson opens it."""
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=PATIENCE)
    app.query_params["lesson"] = lesson
    if page != HOME.file:
        app.switch_page(page)
    app.run()
    assert not app.exception
    return app


def labels(app: AppTest) -> list[str]:
    return [link.label for link in app.page_link]


@pytest.mark.slow
def test_the_button_starts_a_training_once(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    press(app, "Train a Transformer now")
    job = workspace_of(app).job
    assert job is not None
    assert app.title[0].value == "Train"
    assert workspace_of(app).start_training(job.work.plan, job._queue) is None
    assert workspace_of(app).job is job  # pressed twice: still the one training
    job.stop()
    assert job.wait(PATIENCE)  # it may compile first


def test_a_shipped_model_opens_by_one_press(open_page: OpenPage, with_shipped: None) -> None:
    app = open_page("pages/home.py")
    assert "Current model: **TED talks" in texts(app)
    assert workspace_of(app).model is None
    press(app, "Translate Portuguese → English")
    assert not app.exception
    assert app.title[0].value == "Translate"
    model = workspace_of(app).model
    assert model is not None
    assert model.id == "ted_pt_en"


def test_the_current_model_is_named(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/home.py")
    assert "Current model: **Classroom** · French → English · 174,371 parameters" in texts(app)


@pytest.mark.parametrize(("stored", "runs_again"), [("Dark", True), ("Mauve", False), ({"a": 1}, False)])
def test_a_browser_with_a_theme_of_its_own_making_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, stored: object, runs_again: bool
) -> None:
    """What is no button would never be chosen, and the page run again without end."""
    again: list[bool] = []
    components = SimpleNamespace(
        v2=SimpleNamespace(component=lambda name, js: lambda **rest: {"stored": stored})
    )
    here = SimpleNamespace(session_state={}, components=components, rerun=lambda: again.append(True))
    monkeypatch.setattr(theme_choice, "st", here)
    monkeypatch.setattr(theme_choice, "exists", lambda: True)
    monkeypatch.setattr(theme_choice, "choose", lambda *rest, **flags: "system")
    monkeypatch.setattr(theme_choice, "set_value", lambda key, value: None)
    theme_choice.show_theme_choice(HOME)
    assert bool(again) == runs_again
