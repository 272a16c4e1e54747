"""A lesson as a file or a link: what is written is read again, and what a stranger has written does no harm."""

import base64
import itertools
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import tomli_w

from core.records.text import Pair
from core.server.settings import SettingsError
from pages.content.lesson_file import (
    MAX_LINK,
    MAX_STEPS,
    LessonError,
    own_question,
    pack_lesson,
    read_lesson,
    unpack_lesson,
    write_lesson,
)
from pages.content.lesson_plan import LessonPlan, LessonStep
from pages.content.lessons import LESSONS, server_lessons
from pages.content.pages import MASKS
from tests.conftest import ChangeSetting

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
WITH_PAIRS = LessonPlan((replace(STEP, model="own", pairs=PAIRS),) * 20, title="Pairs")


@pytest.mark.parametrize("plan", [*LESSONS.values(), OWN, WITH_PAIRS])
def test_what_is_written_is_read_again(plan: LessonPlan) -> None:
    read = read_lesson(write_lesson(plan))
    assert not read.problems
    assert read.plan.steps == plan.steps
    packed = pack_lesson(plan)
    assert len(packed) < MAX_LINK
    assert unpack_lesson(packed).plan.steps == tuple(replace(step, note="") for step in plan.steps)


STRANGE = (
    None, -1, 10**40, 2.5, float("nan"), True, "", "x" * 3000, "<script>alert(1)</script>", "[a](http://evil.example)",
    "=1+1",
    "$x$ `rm`",
    0,
    [1, "a"],
    "\u202egnirts", ["train"], [[["deep"]]], {"page": "masks"}, {"__class__": "x"}, "../../etc/passwd",
)  # fmt: skip
FIELDS = (
    "page", "minutes", "task", "class_task", "note", "view", "model", "preset", "pairs", "choices", "asks", "question",
)  # fmt: skip


def _hostile() -> Iterator[str]:
    """Yield files in which one thing is strange."""
    whole = {"page": "masks", "view": "causal", "minutes": 3, "task": "Look."}
    for field, value in itertools.product((*FIELDS, "weights"), STRANGE):
        if value is not None:
            yield tomli_w.dumps({"lesson": [{"title": "T", "steps": [whole, whole | {field: value}]}]})
    for field, value in itertools.product(("question", "answer", "wrong", "why", "code"), STRANGE):
        asked = {"question": "Q?", "answer": "A", "wrong": ["B"], "why": ""}
        if value is not None:
            step = whole | {"asks": "before", "question": asked | {field: value}}
            yield tomli_w.dumps({"lesson": [{"title": "T", "steps": [whole, step]}]})
    for key, value in itertools.product(("workspace", "room", "code", "Ä b", "__init__", "x" * 99), STRANGE):
        if value is not None:
            yield tomli_w.dumps({"lesson": [{"steps": [whole, whole | {"choices": {key: value}}]}]})
    for value in STRANGE:
        if value is not None:
            yield tomli_w.dumps({"lesson": value})
            yield tomli_w.dumps({"lesson": [{"steps": value}]})
            yield tomli_w.dumps({"lesson": [{"title": value, "steps": [whole, value]}]})
    yield "page." + "a." * 50_000 + "a = 1"
    yield "[[lesson]]\ntitle = 'T'\n[[lesson.steps]]\npage." + "a." * 1_500 + "a = 1"
    yield from (
        "",
        "[[lesson",
        "lesson = " + "[" * 5000,
        "\0",
        "a = " + "9" * 9999,
        "x = '''" + "y" * 300_000,
    )


def test_a_stranger_s_file_is_an_error_in_a_sentence_or_a_lesson_without_what_is_wrong() -> None:
    count = 0
    for text in _hostile():
        count += 1
        try:
            read = read_lesson(text)
        except LessonError as error:
            assert str(error).endswith("."), text[:200]
            continue
        assert read.plan.steps
        assert read_lesson(write_lesson(read.plan)).plan == read.plan, "what is kept is whole"
        for step in read.plan.steps:
            assert "\u202e" not in step.task + step.note
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
    with pytest.raises(LessonError, match=r"link|lesson"):
        unpack_lesson(packed)


def test_what_is_wrong_is_said_with_its_line_and_the_rest_is_kept() -> None:
    text = (
        write_lesson(OWN)
        .replace('page = "masks"', 'page = "mask"', 1)
        .replace("minutes = 4", "minutes = 0", 2)
    )
    read = read_lesson(text)
    assert [step.question for step in read.plan.steps] == [ASKED]
    assert read.problems[0].startswith("Step 1 (line 5): there is no page “mask”")
    assert "minutes" in read.problems[1]
    with pytest.raises(LessonError, match="line 3"):
        read_lesson('[[lesson]]\ntitle = "A"\nminutes = \nsteps = []')
    many = LessonPlan((STEP,) * (MAX_STEPS + 1), title="Long")
    assert len(read_lesson(write_lesson(many)).plan.steps) == MAX_STEPS


def test_a_server_has_lessons_of_its_own(tmp_path: Path, change_setting: ChangeSetting) -> None:
    (tmp_path / "masks.toml").write_text(write_lesson(OWN), encoding="utf-8")
    change_setting("LESSONS", str(tmp_path))
    server_lessons.cache_clear()
    assert {name: plan.steps for name, plan in server_lessons().items()} == {"masks": OWN.steps}
    (tmp_path / "30.toml").write_text(write_lesson(OWN), encoding="utf-8")
    server_lessons.cache_clear()
    with pytest.raises(SettingsError, match=r"30\.toml"):
        server_lessons()
    server_lessons.cache_clear()
