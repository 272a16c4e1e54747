from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pages.components.app.menu import ATTENTION_MAPS, CHECKPOINTS, EVALUATE, HOME, PAGES, PageEntry
from pages.components.lesson.routes import LESSONS
from tests.pages.conftest import PATIENCE, ROOT, OpenPage, press, texts, workspace_of


def test_every_page_is_listed_whatever_the_lesson(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    for minutes, plan in LESSONS.items():
        app.segmented_control(key="lesson").set_value(minutes).run()
        links = [link.label for link in app.page_link]
        stops = [f"{number}. **{stop.page.title}**" for number, stop in enumerate(plan.stops, start=1)]
        beyond = [f"**{page.title}**" for page in plan.beyond]
        assert links == [*stops, *beyond, f"Next: **{plan.stops[0].page.title}**"]
        assert len(stops) + len(beyond) == len(PAGES) - 1
        for page in plan.beyond:
            assert page.line in texts(app)
    assert "Current model: none yet" in texts(app)


def test_lessons_are_as_long_as_they_say() -> None:
    assert [plan.minutes for plan in LESSONS.values()] == list(LESSONS) == [10, 30, 60]
    assert set(LESSONS[60].path) == set(PAGES)
    for plan in LESSONS.values():
        assert len(set(plan.path)) == len(plan.path)


def test_the_links_at_the_foot_follow_the_lesson(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    app.segmented_control(key="lesson").set_value(30).run()
    walked = []
    while following := following_of(app):
        walked.append(following)
        app.switch_page(following.file).run()
        assert not app.exception
        assert f"Back: {LESSONS[30].path[len(walked) - 1].title}" in [link.label for link in app.page_link]
    assert (HOME, *walked) == LESSONS[30].path
    assert "That was the lesson of 30 minutes" in texts(app)
    app.switch_page(CHECKPOINTS.file).run()  # not in this lesson
    assert f"Back: {EVALUATE.title}" in [link.label for link in app.page_link]
    assert "That was the lesson of 60 minutes" in texts(app)
    app.switch_page(ATTENTION_MAPS.file).run()  # in both, and the longer one is followed by now
    assert "Next: **Evaluate**" in [link.label for link in app.page_link]
    app.switch_page("pages/home.py").run()
    app.switch_page(ATTENTION_MAPS.file).run()
    assert "That was the lesson of 30 minutes" in texts(app)


def test_the_buttons_work_whatever_lesson_the_address_holds(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    app.segmented_control(key="lesson").set_value(30).run()
    assert app.query_params["lesson"] in ("30", ["30"])
    app = press(app, "Train a Transformer now")
    assert not app.exception
    assert app.title[0].value == "Train"


def test_an_address_opens_its_lesson() -> None:
    assert first_stop_at("60") == "1. **Text as numbers**"
    assert first_stop_at("60 minutes") == "1. **Text as numbers**"
    for nonsense in ("<b>", "", "1e309"):
        assert first_stop_at(nonsense) == "1. **Train**"


def first_stop_at(lesson: str) -> str:
    """The first link of Home as an address with a lesson opens it."""
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=PATIENCE)
    app.query_params["lesson"] = lesson
    app.run()
    assert not app.exception
    return app.page_link[0].label


def following_of(app: AppTest) -> PageEntry | None:
    """The page that the link at the foot leads to."""
    titles = [link.label for link in app.page_link if link.label.startswith("Next: ")]
    return next((page for page in PAGES if titles and page.title in titles[0]), None)


def test_the_button_starts_a_training_once(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    press(app, "Train a Transformer now")
    job = workspace_of(app).job
    assert job is not None
    assert app.title[0].value == "Train"
    assert workspace_of(app).start_training(job.work.plan, job._queue) is None
    assert workspace_of(app).job is job  # pressed twice: still the one training
    job.stop()
    assert job.wait(60)


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
    assert "Current model: **Classroom** · 174,371 parameters" in texts(app)
