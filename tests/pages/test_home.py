import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.toy import NEVER_SHOWN
from pages.content.lessons import LESSONS
from pages.content.pages import HOME, PAGES, TRAIN, PageEntry
from pages.content.reader import GLOSSARY, PAGE_TEXTS
from tests.pages.conftest import PATIENCE, change, go_to, open_page, press, texts, training_of, workspace_of


def labels(app: AppTest) -> list[str]:
    return [link.label for link in app.page_link if link.label != "Make my own lesson"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_every_page_opens(page: PageEntry) -> None:
    app = open_page(page.file)
    assert app.title[0].value == (PAGE_TEXTS[page.address].heading or page.title)


def test_every_page_is_listed_whatever_the_lesson() -> None:
    app = open_page()
    assert labels(app)[: len(PAGES) - 1] == [f"**{page.title}**" for page in PAGES if page != HOME]
    for minutes, plan in LESSONS.items():
        app.segmented_control(key="lesson_choice").set_value(minutes)
        change(app)
        stops = [f"{number}. **{step.page.title}**" for number, step in enumerate(plan.steps, start=1)]
        buttons = [button.label for button in app.button]
        assert [label for label in buttons if "**" in label] == [
            f"**Start the {minutes}-minute lesson**",
            *stops,
        ]
        assert labels(app) == [f"**{page.title}**" for page in plan.beyond]
        assert len(stops) + len(plan.beyond) == len(PAGES) - 1
        assert all(page.line in texts(app) for page in plan.beyond)
        assert app.query_params["lesson"] == str(minutes)


def test_the_glossary() -> None:
    app = open_page(glossary=True)
    assert all(
        f"**{term.name}**: {term.meaning} *({term.source})*" in texts(app) for term in GLOSSARY.values()
    )
    linked_pages = {page.address for page in PAGES if f"**{page.title}**" in labels(app)}
    assert linked_pages == {term.page for term in GLOSSARY.values()}


def test_without_a_lesson_pages_follow_the_menu() -> None:
    app = open_page()
    for before, page, after in zip(PAGES, PAGES[1:], PAGES[2:], strict=False):
        go_to(app, page.file)
        assert app.title[0].value == page.title
        assert f"Back: {before.title}" in labels(app)
        assert f"Next: **{after.title}**" in labels(app)
        assert "lesson of" not in texts(app)


def test_presenter_mode_hides_the_code_and_stays() -> None:
    app = open_page("pages/masks.py")
    assert "**causal mask**" in app.title[0].help
    assert app.code
    assert not change(app, present=True).code
    assert not go_to(app, "pages/learning_rate.py").code
    press(app, "leave_presenting")
    assert app.code


@pytest.mark.slow
def test_the_button_starts_a_training_once() -> None:
    app = press(open_page(lesson="30"), "quick_start_learn")
    assert app.title[0].value == "Train"
    job = training_of(app)
    assert workspace_of(app).jobs.start_training(job.work.plan) is None
    assert workspace_of(app).jobs.training is job  # pressed twice: still the one training
    job.stop()
    assert job.wait(PATIENCE)  # it may compile first


@pytest.mark.slow
def test_another_button_trains_on_sentences_of_which_three_are_never_shown() -> None:
    app = open_page(TRAIN.file, setting_preset="smallest")  # which was chosen before
    app = press(go_to(app, HOME.file), "quick_start_generalize")
    assert app.session_state["setting_preset"] == "generalize"
    job = training_of(app)
    assert job.work.plan.prepared.held_out == NEVER_SHOWN
    job.stop()
    assert job.wait(PATIENCE)


@pytest.mark.slow
def test_a_button_opens_a_model_that_does_not_see_its_source(with_shipped: None) -> None:
    app = press(open_page(), "quick_start_blindfold")
    assert "12 heads off" in texts(app)


def test_a_button_breaks_a_translation_as_it_says(with_shipped: None) -> None:
    app = press(open_page(), "quick_start_break")
    assert "The translation **changes**" in texts(app)


def test_a_shipped_model_opens_by_one_press(with_shipped: None) -> None:
    app = open_page()
    assert workspace_of(app).models.selected is None
    press(app, "open_ted_pt_en")
    assert app.title[0].value == "Translate"
    model = workspace_of(app).models.selected
    assert model is not None and model.id == "ted_pt_en"
