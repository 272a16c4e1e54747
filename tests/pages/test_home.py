import pytest

from core.corpora.toy import NEVER_SHOWN
from pages.content.lessons import LESSONS
from pages.content.pages import HOME, MASKS, MY_LESSON, PAGES, TRAIN, TRANSLATE, PageEntry
from pages.content.reader import GLOSSARY, PAGE_TEXTS, terms_needed_on
from tests.pages.conftest import (
    PATIENCE,
    change,
    go_to,
    keys_of,
    numbers_said,
    open_page,
    press,
    targets,
    texts,
    training_of,
    workspace_of,
)
from tests.pages.test_masks import outcomes


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_every_page_opens(page: PageEntry) -> None:
    app = open_page(page.file)
    assert app.title[0].value == (PAGE_TEXTS[page.address].heading or page.title)


def test_every_page_is_listed_whatever_the_lesson() -> None:
    app = open_page()
    assert targets(app) == [page.address for page in (MY_LESSON, *PAGES[1:])]
    for minutes, plan in LESSONS.items():
        app.segmented_control(key="lesson_choice").set_value(minutes)
        change(app)
        stops = [f"{number}. **{plan.title_of(number)}**" for number in range(1, len(plan.steps) + 1)]
        assert [button.label for button in app.button if str(button.key).startswith("step_")] == stops
        assert app.button(key="begin") and set(targets(app)) == {
            page.address for page in (*plan.beyond, MY_LESSON)
        }
        assert len({step.page for step in plan.steps}) + len(plan.beyond) == len(PAGES) - 1
        assert all(page.line in texts(app) for page in plan.beyond)
        assert app.query_params["lesson"] == str(minutes)


def test_the_glossary() -> None:
    app = open_page(glossary=True)
    assert all(
        f"**{term.name}**: {term.meaning} *({term.source})*" in texts(app) for term in GLOSSARY.values()
    )
    assert set(targets(app)) == {MY_LESSON.address, *(term.page for term in GLOSSARY.values())}


@pytest.mark.slow
def test_without_a_lesson_pages_follow_the_menu() -> None:
    app = open_page()
    for before, page, after in zip(PAGES, PAGES[1:], PAGES[2:], strict=False):
        go_to(app, page.file)
        assert app.title[0].value == page.title
        assert targets(app)[-2:] == ["" if before == HOME else before.address, after.address]
        assert not {"lesson_next", "foot_next"} & keys_of(app)


def test_presenter_mode_hides_the_code_and_stays() -> None:
    app = open_page("pages/masks.py")
    assert terms_needed_on(MASKS.address) in app.title[0].help
    assert app.code
    assert not change(app, present=True).code
    assert not go_to(app, "pages/learning_rate.py").code
    press(app, "leave_presenting")
    assert app.code


@pytest.mark.slow
def test_the_button_starts_a_training_once() -> None:
    app = press(open_page(lesson="30"), "quick_start_learn")
    assert app.title[0].value == TRAIN.title
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
    assert any(each[:1] == ["12"] for each in numbers_said(app)), "the heads of the cross-attention"


def test_a_button_breaks_a_translation_as_it_says(with_shipped: None) -> None:
    app = press(open_page(), "quick_start_break")
    padded, alone = outcomes(app)
    assert padded != alone


def test_a_shipped_model_opens_by_one_press(with_shipped: None) -> None:
    app = open_page()
    assert workspace_of(app).models.selected is None
    press(app, "open_ted_pt_en")
    assert app.title[0].value == TRANSLATE.title
    model = workspace_of(app).models.selected
    assert model is not None and model.id == "ted_pt_en"
