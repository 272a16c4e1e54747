"""Which fifteen pairs a tab has: by the reader's language at first, then by its address, its lesson, its room."""

import pytest
from streamlit.testing.v1 import AppTest

from core.language import _
from core.presets import CLASSROOM, CLASSROOMS, PRESETS, Preset
from core.records.text import Pair
from pages.components.frame.collecting import step_of_view
from pages.components.frame.links import PRESET
from pages.components.frame.session import server_rooms
from pages.components.frame.visit import NO_LESSON, Visit
from pages.components.room.phone import class_state
from pages.content.lesson_file import pack_lesson
from pages.content.lesson_plan import LessonPlan
from pages.content.pages import HOME, MASKS, MY_LESSON, TEXT_AS_NUMBERS, TRAIN, TRANSLATE, PageEntry
from pages.content.reader import PAGE_TEXTS
from tests.conftest import ChangeSetting
from tests.pages.conftest import change, go_to, linked, open_page, press, remembered, workspace_of

PORTUGUESE = CLASSROOMS["classroom_pt"]


def preset_of(app: AppTest) -> str:
    """Return the preset that Train shows."""
    return str(app.segmented_control(key=PRESET).value)


def address_of(app: AppTest) -> dict[str, str]:
    """Return what others who open this address get, but for the language."""
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}


@pytest.mark.parametrize(("code", "first"), [("en", CLASSROOM), ("fr", CLASSROOM), ("pt", PORTUGUESE)])
def test_the_readers_language_chooses_what_train_begins_with(
    change_setting: ChangeSetting, code: str, first: Preset
) -> None:
    change_setting("language", code)
    app = go_to(open_page(HOME.file), TRAIN.file)
    menu = app.segmented_control(key=PRESET)
    assert menu.value == first.name and menu.options[0] == first.title
    assert remembered(app).pairs == first.pairs
    press_preset(app, "smallest")
    assert remembered(app).pairs == first.pairs, "it brings none of its own"
    press_preset(app, "generalize")
    assert remembered(app).pairs == PRESETS["generalize"].pairs


def press_preset(app: AppTest, name: str) -> None:
    app.segmented_control(key=PRESET).set_value(name)
    change(app)


@pytest.mark.parametrize(("made_in", "opened_in"), [("en", "pt"), ("pt", "en")])
@pytest.mark.parametrize(
    ("page", "lesson", "preset"),
    [
        (TRAIN, "", ""),
        (TRAIN, "", "smallest"),
        (TRAIN, "", "classroom"),
        (TRAIN, "", "classroom_pt"),
        (TRANSLATE, "10", ""),
        (HOME, "30", ""),
    ],
)
def test_a_link_means_the_same_in_every_language(
    change_setting: ChangeSetting, made_in: str, opened_in: str, page: PageEntry, lesson: str, preset: str
) -> None:
    change_setting("language", made_in)
    made = open_page(HOME.file, lesson=lesson or NO_LESSON)
    go_to(made, page.file)
    if preset:
        press_preset(made, preset)
    address = address_of(made)
    change_setting("language", opened_in)
    opened = linked(page.file, **address)
    assert not opened.warning
    assert address_of(opened) == address
    for app in (made, opened):
        if page != TRAIN:
            go_to(app, TRAIN.file)
    assert preset_of(opened) == preset_of(made)
    assert remembered(opened).pairs == remembered(made).pairs
    assert remembered(change(opened)).pairs == remembered(made).pairs, "and it stays"


def test_the_preset_decides_in_a_link_that_names_two() -> None:
    app = linked(TRAIN.file, pairs="classroom_pt", setting_preset="classroom")
    assert remembered(app).pairs == CLASSROOM.pairs == remembered(change(app)).pairs
    assert not {"pairs", PRESET} & {*app.query_params}


def test_ones_own_pairs_stay() -> None:
    app = open_page(HOME.file)
    own = (Pair("ja", "yes"),)
    remembered(app).pairs = own
    assert remembered(go_to(app, TRAIN.file, pairs=PORTUGUESE)).pairs == own


def test_a_class_has_its_teachers_pairs_whatever_it_reads(change_setting: ChangeSetting) -> None:
    change_setting("language", "pt")
    teacher = go_to(open_page(HOME.file, lesson="30"), MASKS.file)
    room = server_rooms().open(workspace_of(teacher).id).room
    change(teacher)
    change_setting("language", "en")
    student = change(linked(HOME.file, room=room.code))
    assert remembered(student).pairs == PORTUGUESE.pairs
    assert class_state(room)["languages"] == (_("Portuguese"), _("English"))
    remembered(teacher).pairs = (Pair("ja", "yes"),)
    change(teacher)
    assert not {*class_state(room)["languages"]} & {_("Portuguese"), _("French")}, "nobody knows"
    server_rooms().close(room)


@pytest.mark.parametrize(("made_in", "opened_in"), [("en", "pt"), ("pt", "en")])
def test_a_lesson_of_ones_own_says_which_pairs_it_is_about(
    change_setting: ChangeSetting, made_in: str, opened_in: str
) -> None:
    change_setting("language", made_in)
    teacher = go_to(open_page(HOME.file), MY_LESSON.file)
    press(teacher, "from_10")
    made = remembered(teacher).lesson
    assert made is not None
    change_setting("language", opened_in)
    app = linked(HOME.file, my_lesson=pack_lesson(made))
    app = press(app, "begin")
    assert remembered(app).pairs == remembered(teacher).pairs


def test_a_step_of_ones_own_has_a_preset_and_the_pairs_it_is_trained_on() -> None:
    app = linked(TRAIN.file, pairs="classroom_pt", setting_preset="smallest")
    visit = Visit(TRAIN, workspace_of(app), seat=None, lesson=None, number=0, classroom=PORTUGUESE)
    step = step_of_view(visit, app.session_state["shown_choices"])
    assert (step.preset, step.pairs) == ("smallest", PORTUGUESE.pairs)
    assert not {"pairs", "lang", "lesson"} & {*step.choices}, "these are the tab's"
    opened = press(linked(HOME.file, my_lesson=pack_lesson(LessonPlan((step,), title="Mine"))), "begin")
    assert preset_of(opened) == "smallest" and remembered(opened).pairs == PORTUGUESE.pairs


def test_teacher_forcing_shows_a_sentence_that_the_class_reads() -> None:
    texts = PAGE_TEXTS[TEXT_AS_NUMBERS.address]
    for preset in CLASSROOMS.values():
        app = linked(TEXT_AS_NUMBERS.file, pairs=preset.name, **{texts.parameter: "teacher"})
        assert app.selectbox(key="pair").options == [
            f"{each.source} → {each.target}" for each in preset.pairs
        ]
