"""A lesson as a file, as a link, and read from either. A stranger may have written it: nothing in it is trusted.

Both are JSON, which takes time and memory as its length does. The fields of a step are those of lessons.toml.
"""

import base64
import json
import re
import unicodedata
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from core.described import Change, Wording, described, read, setting
from core.errors import InputError
from core.language import N_, _, quoted
from core.presets import PRESETS
from core.records.question import ChoiceQuestion
from core.records.text import Pair
from pages.content.lesson_plan import Asks, LessonPlan, LessonStep, StepModel, missing_in
from pages.content.pages import HOME, PAGES, PageEntry
from pages.content.reader import PAGE_TEXTS

MAX_BYTES = 200_000  # of a file
_MAX_LINK_BYTES = 64_000  # of a lesson in an address, unpacked
_MAX_DEPTH = 5  # the lesson, its steps, a step, its choices, a list in one
MAX_STEPS = 30
MAX_TEXT = 2_000  # characters
MAX_TITLE = 100  # characters
MAX_MINUTES = 180  # of a step
MAX_LINK = 6_000  # characters of a lesson in an address
_MAX_CHOICES = 100  # of a step
_MAX_ITEMS = 100  # of one of them that is a list
_MAX_NUMBER = 10**12
MAX_PAIRS = 200
_MAX_PAIR_TEXT = 200  # characters of a sentence to train on
_MAX_PROBLEMS = 10  # that are said

_KEY = re.compile(r"[a-z][a-z0-9_]{0,59}")


def tidy_text(text: str) -> str:
    """Return a text in one line, without characters that no eye sees or that turn the direction of others."""
    spaced = (" " if each.isspace() else each for each in text)
    return " ".join("".join(filter(_is_seen, spaced)).split())


def _is_seen(character: str) -> bool:
    is_joiner = character in "\u200c\u200d"  # which some languages and pictures are written with
    return is_joiner or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn")


Line = Annotated[Wording, AfterValidator(tidy_text)]  # a text in one line
_Answer = Annotated[Line, Field(max_length=MAX_TEXT)]
_PairText = Annotated[Line, Field(max_length=_MAX_PAIR_TEXT)]


@described
class WrittenLesson:
    """A lesson as a file has it; its steps are read one by one, so that a wrong one spoils no other."""

    steps: tuple[dict[str, Any], ...]
    title: Line = setting(default="", max_length=MAX_TITLE)


@described
class WrittenQuestion:
    """A question of a teacher's own, as a file has it."""

    question: Line = setting(default="", max_length=MAX_TEXT)
    answer: Line = setting(default="", max_length=MAX_TEXT)
    wrong: tuple[_Answer, ...] = setting(default=(), max_length=_MAX_ITEMS)
    why: Line = setting(default="", max_length=MAX_TEXT)


@described
class WrittenStep:
    """A step of a lesson, as a file has it."""

    page: str
    minutes: int = setting(ge=1, le=MAX_MINUTES)
    task: Line = setting(default="", max_length=MAX_TEXT)
    class_task: Line = setting(default="", max_length=MAX_TEXT)
    note: Line = setting(default="", max_length=MAX_TEXT)
    view: str = ""
    model: StepModel = ""
    preset: str = ""
    pairs: tuple[tuple[_PairText, _PairText], ...] = setting(
        default=(), max_length=MAX_PAIRS, like=N_("a list of pairs of sentences")
    )
    choices: dict[str, Any] = setting(default_factory=dict, max_length=_MAX_CHOICES)
    asks: Asks = "ours"
    question: WrittenQuestion | None = None


@dataclass(frozen=True)
class ReadLesson:
    """A lesson, and what was wrong in its file: the rest is kept."""

    plan: LessonPlan
    problems: tuple[str, ...]


def read_lesson(content: bytes) -> ReadLesson:
    """Read a lesson of a teacher's own from a file.

    Raises:
        InputError: The file is too long or no JSON, which the message says with the line, or holds no lesson.
    """
    if len(content) > MAX_BYTES:
        raise InputError(
            _("This file is larger than a lesson may be: {most} kB.").format(most=MAX_BYTES // 1000)
        )
    try:
        lesson = read(WrittenLesson, _read_json(content))
    except InputError as error:
        raise InputError(
            _("This is not a lesson file: {problem}").format(problem=_sentence(error))
        ) from error
    problems: list[str] = []
    steps = []
    for place, each in enumerate(lesson.steps[:MAX_STEPS], start=1):
        where = _("Step {number}").format(number=place)
        steps.append(read_step(_with_pairs(each, lesson.steps), where, problems))
    if len(lesson.steps) > MAX_STEPS:
        most = _("A lesson has at most {count} steps; the others were left out.").format(count=MAX_STEPS)
        problems.append(most)
    kept = tuple(step for step in steps if step is not None)
    if not kept:
        raise InputError(" ".join((_("No step of this lesson can be shown."), *problems[:3])))
    return ReadLesson(LessonPlan(kept, title=lesson.title or _("My lesson")), tuple(problems[:_MAX_PROBLEMS]))


def _read_json(content: bytes) -> object:
    """Return what JSON in a file holds."""
    problem = ""
    try:
        values = json.loads(content.decode("utf-8-sig"))
        # Raises what follows where a number is infinite or none, or a text has half of a letter.
        json.dumps(values, ensure_ascii=False, allow_nan=False).encode()
        if _is_deeper(values, _MAX_DEPTH):
            problem = _("This is not a lesson file: it is nested too deeply.")
    except json.JSONDecodeError as error:
        problem = _("This is not a lesson file: line {number} cannot be read.").format(number=error.lineno)
    except RecursionError:
        problem = _("This is not a lesson file: it is nested too deeply.")
    except ValueError:
        problem = _("This is not a lesson file: it has a letter or a number that cannot be read.")
    if problem:
        raise InputError(problem)
    return values


def _is_deeper(value: object, levels: int) -> bool:
    """Return whether lists and objects are nested more than so many levels deep."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return not levels or any(_is_deeper(each, levels - 1) for each in inner)


_SAME = "same"  # as the pairs of a step: those of the first step that has some


def _with_pairs(step: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return a step with the pairs that it shares with another one, written out."""
    if step.get("pairs") != _SAME:
        return step
    written = (each["pairs"] for each in steps if isinstance(each.get("pairs"), list))
    return {**step, "pairs": next(written, [])}


def read_step(
    values: object, where: str, problems: list[str], change: Change | None = None
) -> LessonStep | None:
    """Read a step, ours or a teacher's.

    Args:
        values: the step, as its file has it.
        where: which step it is, for the messages.
        problems: gets a sentence for each thing that is wrong.
        change: returns what takes the place of our own texts: a teacher's are as they were typed.

    Returns:
        The step, without what today's app lacks; None where it is not as described, or its page is none of ours.
    """

    def say(problem: str) -> None:
        problems.append(_("{where}: {problem}").format(where=where, problem=problem))

    try:
        written = read(WrittenStep, values, change)
    except InputError as error:
        say(_sentence(error))
        return None
    page = next((each for each in PAGES if each.address == written.page and each != HOME), None)
    if page is None:
        say(_("there is no page {page}.").format(page=_quoted(written.page)))
        return None
    step = LessonStep(
        page=page,
        minutes=written.minutes,
        task=written.task,
        class_task=written.class_task,
        note=written.note,
        view=_view_of(page, written.view, say),
        model=written.model,
        preset=_preset_of(written.preset, say),
        pairs=_pairs_of(written),
        choices=_choices_of(written, say),
        asks=written.asks,
        question=_question_of(page, written.question, say),
    )
    if step.asks in ("before", "after") and step.question is None:
        say(_("asks is {value}, but there is no question.").format(value=repr(step.asks)))
    return step


def _view_of(page: PageEntry, view: str, say: Callable[[str], None]) -> str:
    texts = PAGE_TEXTS[page.address]
    if view in texts.views or not (view or texts.parameter):
        return view
    say(_("the page {page} has no view {view}.").format(page=page.address, view=_quoted(view)))
    return next(iter(texts.views), "")


def _preset_of(preset: str, say: Callable[[str], None]) -> str:
    if not preset or preset in PRESETS:
        return preset
    say(_("there is no preset {name}.").format(name=_quoted(preset)))
    return ""


def _pairs_of(written: "WrittenStep") -> tuple[Pair, ...]:
    pairs = (Pair(*each) for each in written.pairs)
    return tuple(pair for pair in pairs if pair.source and pair.target)


def _choices_of(written: "WrittenStep", say: Callable[[str], None]) -> dict[str, Any]:
    kept = {key: value for key, value in written.choices.items() if is_of_page(key) and is_choice(value)}
    for key in [*(written.choices.keys() - kept.keys())][:3]:
        say(_("the choice {name} is none that a page knows.").format(name=_quoted(key)))
    return kept


def _question_of(
    page: PageEntry, written: "WrittenQuestion | None", say: Callable[[str], None]
) -> ChoiceQuestion | None:
    if written is None:
        return None
    question = own_question(page, written.question, written.answer, written.wrong, written.why)
    if problem := missing_in(question):
        say(problem)
    return question


def own_question(page: PageEntry, text: str, answer: str, wrong: Sequence[str], why: str) -> ChoiceQuestion:
    """Return a question of a teacher's own as it is typed, perhaps not whole yet; empty answers are left out."""
    return ChoiceQuestion("", page.address, text, answer, why, dict.fromkeys(filter(None, wrong), why))


def is_of_page(key: str) -> bool:
    """Return whether a key may be that of a page's widget, not of what is around each page."""
    return _KEY.fullmatch(key) is not None and key not in (
        "lesson",
        "lesson_step",
        "pairs",
        "present",
        "lang",
    )


def is_choice(value: object) -> bool:
    """Return whether a value can be one of a page's choices; its widget checks the rest."""
    if isinstance(value, str):
        return len(value) <= MAX_TEXT
    if isinstance(value, bool | int | float):
        return -_MAX_NUMBER <= value <= _MAX_NUMBER
    if not isinstance(value, list) or len(value) > _MAX_ITEMS:
        return False
    return all(isinstance(each, str | int) and is_choice(each) for each in value)


def _sentence(error: InputError) -> str:
    return f"{str(error).rstrip('.')}."


def _quoted(value: object) -> str:
    """Return a value of a file for a message."""
    return quoted(tidy_text(str(value))[:40])


# Writing


def write_lesson(plan: LessonPlan) -> bytes:
    """Return a lesson as a file, which `read_lesson` reads.

    Raises:
        InputError: The file would be too long to be read again.
    """
    content = json.dumps(_lesson(plan), ensure_ascii=False, indent=2).encode()
    if len(content) > MAX_BYTES:
        raise InputError(
            _("This lesson is too long for a file of {most} kB. Shorten its texts and pairs.").format(
                most=MAX_BYTES // 1000
            )
        )
    return content


def _lesson(plan: LessonPlan) -> dict[str, Any]:
    """Return a lesson as JSON has it."""
    steps = [_written(step) for step in plan.steps]
    with_pairs = [step for step in steps if "pairs" in step]
    for step in with_pairs[1:]:
        if step["pairs"] == with_pairs[0]["pairs"]:
            step["pairs"] = _SAME
    return {"title": plan.called, "steps": steps}


def _written(step: LessonStep) -> dict[str, Any]:
    """Return a step as JSON has it, without what is as usual."""
    values: dict[str, Any] = {"page": step.page.address, "minutes": step.minutes, "task": step.task}
    for name in ("class_task", "note", "view", "model", "preset"):
        if text := getattr(step, name):
            values[name] = text
    if step.asks != "ours":
        values["asks"] = step.asks
    if step.pairs:
        values["pairs"] = [[pair.source, pair.target] for pair in step.pairs]
    if step.choices:
        values["choices"] = dict(step.choices)
    if step.question is not None:
        asked = step.question
        values["question"] = {
            "question": asked.question,
            "answer": asked.answer,
            "wrong": [*asked.wrong],
            "why": asked.why,
        }
    return values


def pack_lesson(plan: LessonPlan) -> str:
    """Return a lesson for an address, without the speaker's notes.

    Raises:
        InputError: The lesson is too long for one.
    """
    without_notes = plan.with_steps(*(replace(step, note="") for step in plan.steps))
    content = json.dumps(_lesson(without_notes), ensure_ascii=False, separators=(",", ":")).encode()
    packed = base64.urlsafe_b64encode(zlib.compress(content, 9)).decode().rstrip("=")
    if len(content) > _MAX_LINK_BYTES or len(packed) > MAX_LINK:
        raise InputError(
            _(
                "This lesson is too long for a link. Save it as a file, or open a room: its code carries any lesson."
            )
        )
    return packed


def unpack_lesson(text: str) -> ReadLesson:
    """Read a lesson from an address.

    Raises:
        InputError: There is none in it.
    """
    unpacking = zlib.decompressobj()
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        content = unpacking.decompress(packed, _MAX_LINK_BYTES)
    except (ValueError, zlib.error) as error:
        raise InputError(_("It cannot be read. Ask for its file.")) from error
    if not unpacking.eof:
        raise InputError(_("It is not whole. Ask for its file."))
    return read_lesson(content)
