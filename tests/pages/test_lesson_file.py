"""A lesson as a file or a link: what is written is read again, and what a stranger has written does no harm."""

import base64
import itertools
import json
import tracemalloc
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.presets import PRESETS
from core.records.text import Pair
from pages.components.frame import session
from pages.content.lesson_file import (
    MAX_BYTES,
    MAX_LINK,
    MAX_STEPS,
    MAX_TEXT,
    InputError,
    own_question,
    pack_lesson,
    read_lesson,
    unpack_lesson,
    write_lesson,
)
from pages.content.lesson_plan import LessonPlan, LessonStep, missing_in
from pages.content.lessons import LESSONS, LINKED, server_lessons
from pages.content.pages import HOME, MASKS
from tests.conftest import ChangeSetting
from tests.pages.conftest import (
    PATIENCE,
    SCRIPT,
    change,
    keys_of,
    linked,
    open_page,
    remembered,
    workspace_of,
)

ASKED = own_question(MASKS, "What is $d_k$?", "64", ["=1+1", "512"], "d_model / h")
STEP = LessonStep(
    MASKS,
    4,
    "Look “here” \\ 🎓",
    note="Ask Paul.",
    view="causal",
    choices={"triangle": 7, "padding_mask": False},
)
OWN = LessonPlan((STEP, replace(STEP, asks="before", question=ASKED)), title="Masks")
PAIRS = tuple(Pair(f"phrase {number}", f"sentence {number}") for number in range(200))
SHARED_PAIRS = (replace(STEP, model="own", pairs=PAIRS),) * 20
WITH_PAIRS = LessonPlan((*SHARED_PAIRS, *(replace(STEP, pairs=PAIRS[:2]),) * 2), title="Pairs")


@pytest.mark.parametrize("plan", [*LESSONS.values(), OWN, WITH_PAIRS])
def test_what_is_written_is_read_again(plan: LessonPlan) -> None:
    read = read_lesson(write_lesson(plan))
    assert not read.problems
    assert read.plan.steps == plan.steps
    packed = pack_lesson(plan)
    assert len(packed) < MAX_LINK
    assert unpack_lesson(packed).plan.steps == tuple(replace(step, note="") for step in plan.steps)


STRANGE = (
    None, -1, 10**40, 2.5, True, "", "x" * 3000, "<script>alert(1)</script>", "[a](http://evil.example)",
    "=1+1",
    "$x$ `rm`",
    0,
    [1, "a"],
    "\u202egnirts", ["train"], [[["deep"]]], {"page": "masks"}, {"__class__": "x"}, "../../etc/passwd",
)  # fmt: skip
FIELDS = (
    "page", "minutes", "task", "class_task", "note", "view", "model", "preset", "pairs", "choices", "asks", "question",
)  # fmt: skip


def _hostile() -> Iterator[bytes]:
    """Yield files in which one thing is strange."""
    whole = {"page": "masks", "view": "causal", "minutes": 3, "task": "Look."}
    for field, value in itertools.product((*FIELDS, "weights"), STRANGE):
        yield json.dumps({"title": "T", "steps": [whole, whole | {field: value}]}).encode()
    for field, value in itertools.product(("question", "answer", "wrong", "why", "code"), STRANGE):
        asked = {"question": "Q?", "answer": "A", "wrong": ["B"], "why": ""}
        step = whole | {"asks": "before", "question": asked | {field: value}}
        yield json.dumps({"title": "T", "steps": [whole, step]}).encode()
    for key, value in itertools.product(("workspace", "room", "code", "Ä b", "__init__", "x" * 99), STRANGE):
        yield json.dumps({"steps": [whole, whole | {"choices": {key: value}}]}).encode()
    for value in STRANGE:
        yield json.dumps(value).encode()
        yield json.dumps({"steps": value}).encode()
        yield json.dumps({"title": value, "steps": [whole, value]}).encode()
    yield from NO_LESSONS.values()


def lesson_with(page: str) -> bytes:
    """Return a file with this JSON in place of the page of its second step."""
    return f'{{"steps": [{{"page": "masks", "minutes": 3}}, {{"page": {page}, "minutes": 3}}]}}'.encode()


LONG = 199_000
# What once took minutes or gigabytes, or broke a tab.
NO_LESSONS = {
    "names of many parts": b"[[lesson.steps]]\n" + b"'a'." * 49_000 + b"a = 1",
    "lists in lists": lesson_with("[" * LONG),
    "lists in lists, closed": lesson_with("[" * 900 + "]" * 900),
    "objects in objects": lesson_with('{"a":' * (LONG // 5)),
    "one level too many": lesson_with("[[[[]]]]"),
    "many lists": lesson_with("[" + "[]," * (LONG // 3) + "[[[[]]]]]"),
    "a text without an end": lesson_with('"' + '\\"' * (LONG // 2)),
    "a large number": lesson_with("9" * LONG),
    "many large numbers": lesson_with("[" + f"{'9' * 4000}," * 48 + "9" * 5000 + "]"),
    "no number": lesson_with("NaN"),
    "an infinite number": lesson_with("-Infinity"),
    "a number that is too large": lesson_with("1e999"),
    "half of a letter": lesson_with('"\\ud800"'),
    "half of a letter in a name": lesson_with('{"\\ud800": 1}'),
    "a hexadecimal number": lesson_with(f"0x{'f' * 5000}"),
    "no text": b"\xff\xfe",
    "nothing": b"",
    "a zero": b"\0",
    "too much": lesson_with('"masks"').ljust(MAX_BYTES + 1),
}
MOST_BYTES = 30 * 2**20  # that one of them may take while it is read


@pytest.mark.parametrize("name", NO_LESSONS)
def test_a_hostile_file_and_link_cost_little_and_get_a_sentence(name: str) -> None:
    content = NO_LESSONS[name]
    packed = base64.urlsafe_b64encode(zlib.compress(content)).decode()
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"\.$"):
            read_lesson(content)
        with pytest.raises(InputError, match=r"\.$"):
            unpack_lesson(packed)
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_tab_lives_on_after_every_hostile_link() -> None:
    app = open_page()
    for content in NO_LESSONS.values():
        app.query_params["my_lesson"] = base64.urlsafe_b64encode(zlib.compress(content)).decode()
        assert change(app).warning
        assert not change(app).warning
    assert remembered(app).linked_lesson is None


def test_a_file_may_be_as_large_as_it_is_said() -> None:
    assert len(read_lesson(lesson_with('"masks"').ljust(MAX_BYTES)).plan.steps) == 2


def test_a_link_that_unpacks_to_much_is_not_unpacked() -> None:
    packed = base64.urlsafe_b64encode(zlib.compress(bytes(50 * 2**20), 9)).decode()
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            unpack_lesson(packed)
        assert tracemalloc.get_traced_memory()[1] < 5 * 2**20
    finally:
        tracemalloc.stop()


def test_a_stranger_s_file_is_an_error_in_a_sentence_or_a_lesson_without_what_is_wrong() -> None:
    count = 0
    for content in _hostile():
        count += 1
        try:
            read = read_lesson(content)
        except InputError as error:
            assert str(error).endswith("."), content[:200]
            continue
        assert read.plan.steps
        assert read_lesson(write_lesson(read.plan)).plan == read.plan, "what is kept is whole"
        for step in read.plan.steps:
            assert "\u202e" not in step.task + step.note
            assert step.preset in ("", *PRESETS)
    assert count > 500


@pytest.mark.parametrize(
    "packed",
    [
        "", "é", "AAAA", "a" * 9000, base64.urlsafe_b64encode(b"<script>").decode(),
        base64.urlsafe_b64encode(zlib.compress(b"a" * 10**7)).decode(),
        base64.urlsafe_b64encode(zlib.compress(b"\xff\xfe")).decode(),
        pack_lesson(OWN)[:-9],
    ],
)  # fmt: skip
def test_a_broken_link_says_so(packed: str) -> None:
    with pytest.raises(InputError, match=r"\.$"):
        unpack_lesson(packed)


def test_a_reloaded_tab_has_the_lesson_of_its_link(monkeypatch: pytest.MonkeyPatch) -> None:
    session._workspace_store.clear()  # or the tabs of other tests may fill it
    first = linked(HOME.file, my_lesson=pack_lesson(OWN))
    told = {"remembered": {"workspace": workspace_of(first).id}}
    monkeypatch.setattr(session, "_ask_browser", lambda *_: told)
    assert "begin" in keys_of(change(linked(HOME.file, lesson=LINKED)))


def test_a_right_answer_is_not_among_the_wrong_ones() -> None:
    assert not missing_in(ASKED) and missing_in(replace(ASKED, wrong={**ASKED.wrong, ASKED.answer: ""}))


def test_what_is_wrong_is_said_with_its_step_and_the_rest_is_kept() -> None:
    three = LessonPlan((*OWN.steps, OWN.steps[0]), title="Masks")
    first, second, third = write_lesson(three).split(b'"page": "masks"')[1:]
    content = b'{"steps": [{"page": "mask"' + first + b'"page": "masks"' + second
    content += b'"page": "masks"' + third.replace(b'"minutes": 4', b'"minutes": 0')
    read = read_lesson(content)
    assert [step.question for step in read.plan.steps] == [ASKED]
    assert ["mask" in problem or "minutes" in problem for problem in read.problems] == [True, True]
    with pytest.raises(InputError, match="line 3"):
        read_lesson(b'{\n"title": "A",\n"steps": \n}'.replace(b'"steps"', b"steps"))
    many = LessonPlan((STEP,) * (MAX_STEPS + 1), title="Long")
    assert len(read_lesson(write_lesson(many)).plan.steps) == MAX_STEPS


@pytest.mark.slow
def test_what_is_too_long_to_be_read_again_is_not_written() -> None:
    longest = replace(STEP, task="x" * MAX_TEXT, class_task="y" * MAX_TEXT, note="é" * MAX_TEXT)
    for count in range(1, MAX_STEPS + 1):
        plan = LessonPlan((longest,) * count, title="Long")
        try:
            content = write_lesson(plan)
        except InputError:
            assert count > 20
            return
        assert read_lesson(content).plan.steps == plan.steps
    pytest.fail("so many long steps are more than a file may have")


def test_a_link_that_its_reader_would_refuse_is_not_made() -> None:
    """Equal texts take little space in an address, and all their space when they are unpacked."""
    plan = LessonPlan((replace(STEP, task="x" * MAX_TEXT),) * MAX_STEPS, title="Long")
    assert unpack_lesson(pack_lesson(plan)).plan.steps
    longer = LessonPlan((replace(plan.steps[0], class_task="x" * MAX_TEXT),) * MAX_STEPS, title="Long")
    with pytest.raises(InputError):
        pack_lesson(longer)
    assert read_lesson(write_lesson(longer)).plan.steps == longer.steps


@pytest.fixture
def folder(tmp_path: Path, change_setting: ChangeSetting) -> Iterator[Path]:
    """Return the folder of a server's own lessons."""
    change_setting("LESSONS", str(tmp_path))
    server_lessons.cache_clear()
    yield tmp_path
    server_lessons.cache_clear()


def test_a_server_has_lessons_of_its_own(folder: Path) -> None:
    (folder / "masks.json").write_bytes(write_lesson(OWN))
    assert {name: plan.steps for name, plan in server_lessons().items()} == {"masks": OWN.steps}


@pytest.mark.parametrize("name", ["old.toml", "broken.json", "30.json"])
def test_a_file_that_is_no_lesson_of_a_school_stops_every_page_with_its_name(name: str, folder: Path) -> None:
    (folder / name).write_bytes(write_lesson(OWN) if name == "30.json" else b"[[lesson]]")
    app = AppTest.from_file(SCRIPT, default_timeout=PATIENCE).run()
    assert not app.exception and not app.title
    assert name in app.error[0].value
