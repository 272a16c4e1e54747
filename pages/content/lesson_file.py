"""A lesson as a file, as a link, and read from either. A stranger may have written it: nothing in it is trusted.

Both are JSON, which takes time and memory as its length does. The fields of a step are those of lessons.toml.
"""

import base64
import json
import re
import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from core.language import _, number, quoted
from core.presets import PRESETS
from core.records.text import Pair
from pages.content.lesson_plan import Asks, LessonPlan, LessonStep, StepModel, missing_in
from pages.content.pages import HOME, PAGES, PageEntry
from pages.content.reader import PAGE_TEXTS, ChoiceQuestion

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


class LessonError(ValueError):
    """A file or a link holds no lesson, or cannot hold one; the message is for users."""


@dataclass(frozen=True)
class ReadLesson:
    """A lesson, and what was wrong in its file: the rest is kept."""

    plan: LessonPlan
    problems: tuple[str, ...]


def read_lesson(content: bytes) -> ReadLesson:
    """Read a lesson of a teacher's own from a file.

    Raises:
        LessonError: The file is too long or no JSON, which the message says with the line, or holds no lesson.
    """
    if len(content) > MAX_BYTES:
        raise LessonError(
            _("This file is larger than a lesson may be: {most} kB.").format(most=MAX_BYTES // 1000)
        )
    lesson = _read_json(content)
    if not isinstance(lesson, dict) or not isinstance(lesson.get("steps"), list):
        raise LessonError(
            _("There is no lesson in this file: it has no {name}.").format(name=quoted("steps"))
        )
    problems: list[str] = []
    title = _Fields(lesson, "lesson", problems).text("title", MAX_TITLE) or _("My lesson")
    steps = []
    for place, each in enumerate(lesson["steps"][:MAX_STEPS], start=1):
        where = _("Step {number}").format(number=place)
        steps.append(read_step(_with_pairs(each, lesson["steps"]), where, problems))
    if len(lesson["steps"]) > MAX_STEPS:
        most = _("A lesson has at most {count} steps; the others were left out.").format(count=MAX_STEPS)
        problems.append(most)
    kept = tuple(step for step in steps if step is not None)
    if not kept:
        raise LessonError(" ".join((_("No step of this lesson can be shown."), *problems[:3])))
    return ReadLesson(LessonPlan(kept, title=title), tuple(problems[:_MAX_PROBLEMS]))


def _read_json(content: bytes) -> object:
    """Return what JSON in a file holds.

    Raises:
        LessonError: It is no JSON, is nested too deeply, or has what no page can show.
    """
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
        raise LessonError(problem)
    return values


def _is_deeper(value: object, levels: int) -> bool:
    """Return whether lists and objects are nested more than so many levels deep."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return not levels or any(_is_deeper(each, levels - 1) for each in inner)


_SAME = "same"  # as the pairs of a step: those of the first step that has some


def _with_pairs(step: object, steps: Sequence[object]) -> object:
    """Return a step with the pairs that it shares with another one, written out."""
    if not isinstance(step, dict) or step.get("pairs") != _SAME:
        return step
    written = (
        each["pairs"] for each in steps if isinstance(each, dict) and isinstance(each.get("pairs"), list)
    )
    return {**step, "pairs": next(written, [])}


def read_step(values: object, where: str, problems: list[str]) -> LessonStep | None:
    """Read a step, ours or a teacher's; what is wrong in it is left out and said.

    Args:
        values: the step, as its file has it.
        where: which step it is, for the messages.
        problems: gets a sentence for each thing that is wrong.

    Returns:
        The step; None without a page.
    """
    if not isinstance(values, dict):
        problems.append(_("{where}: a step must be an object.").format(where=where))
        return None
    page = next((each for each in PAGES if each.address == values.get("page") and each != HOME), None)
    if page is None:
        named = _quoted(values.get("page"))
        problems.append(_("{where}: there is no page {page}.").format(where=where, page=named))
        return None
    fields = _Fields(values, where, problems)
    step = LessonStep(
        page=page,
        minutes=fields.minutes(),
        task=fields.text("task"),
        class_task=fields.text("class_task"),
        note=fields.text("note"),
        view=_view_of(page, fields),
        model=fields.one_of("model", get_args(StepModel)),
        preset=fields.one_of("preset", ("", *PRESETS)),
        pairs=fields.pairs(),
        choices=fields.choices(),
        asks=fields.one_of("asks", get_args(Asks)),
        question=fields.question(page),
    )
    fields.name_unknown(set(LessonStep.__dataclass_fields__))
    if step.asks in ("before", "after") and step.question is None:
        lacks = _("{where}: asks is {value}, but there is no question.")
        problems.append(lacks.format(where=where, value=f"{step.asks!r}"))
    return step


def _view_of(page: PageEntry, fields: "_Fields") -> str:
    texts = PAGE_TEXTS[page.address]
    view = fields.text("view", 60)
    if view in texts.views or not (view or texts.parameter):
        return view
    fields.say(_("the page {page} has no view {view}.").format(page=page.address, view=_quoted(view)))
    return next(iter(texts.views), "")


class _Fields:
    """The fields of a table, each checked; a wrong one is said, and its default returned.

    Args:
        values: the table.
        where: names it in messages.
        problems: gets the messages.
    """

    def __init__(self, values: Mapping[str, Any], where: str, problems: list[str]) -> None:
        self._values = values
        self._where = where
        self._problems = problems

    def say(self, problem: str) -> None:
        self._problems.append(_("{where}: {problem}").format(where=self._where, problem=problem))

    def name_unknown(self, known: set[str]) -> None:
        """Say which fields nobody knows."""
        for name in sorted(self._values.keys() - known)[:3]:
            self.say(_("there is no field {name}.").format(name=_quoted(name)))

    def text(self, name: str, most: int = MAX_TEXT) -> str:
        found = self._values.get(name, "")
        if not isinstance(found, str):
            self.say(_("{name} must be a text.").format(name=name))
            return ""
        text = tidy_text(found)
        if len(text) > most:
            self.say(
                _("{name} has more than {count} characters; the rest was cut.").format(
                    name=name, count=number(most, ",")
                )
            )
        return text[:most].rstrip()

    def one_of(self, name: str, options: Sequence[str]) -> Any:
        found = self._values.get(name, options[0])
        if found in options:
            return found
        known = ", ".join(filter(None, options))
        self.say(_("{name} must be one of {options}.").format(name=name, options=known))
        return options[0]

    def minutes(self) -> int:
        found = self._values.get("minutes")
        if isinstance(found, int) and not isinstance(found, bool) and 1 <= found <= MAX_MINUTES:
            return found
        self.say(
            _("{name} must be a whole number from 1 to {most}.").format(name="minutes", most=MAX_MINUTES)
        )
        return 3

    def pairs(self) -> tuple[Pair, ...]:
        found = self._values.get("pairs", [])
        is_right = isinstance(found, list) and all(
            isinstance(each, list) and len(each) == 2 and all(isinstance(text, str) for text in each)
            for each in found
        )
        if not is_right:
            self.say(_("{name} must be a list of pairs of sentences.").format(name="pairs"))
            return ()
        if len(found) > MAX_PAIRS:
            most = _("there are more than {count} pairs; the others were left out.")
            self.say(most.format(count=MAX_PAIRS))
        pairs = [Pair(*(tidy_text(text)[:_MAX_PAIR_TEXT] for text in each)) for each in found[:MAX_PAIRS]]
        return tuple(pair for pair in pairs if pair.source and pair.target)

    def choices(self) -> dict[str, Any]:
        found = self._values.get("choices", {})
        if not isinstance(found, dict):
            self.say(_("{name} must be an object.").format(name="choices"))
            return {}
        kept = {key: value for key, value in found.items() if _is_of_page(key) and is_choice(value)}
        for key in [*(found.keys() - kept.keys())][:3]:
            self.say(_("the choice {name} is none that a page knows.").format(name=_quoted(key)))
        return dict([*kept.items()][:_MAX_CHOICES])

    def question(self, page: PageEntry) -> ChoiceQuestion | None:
        found = self._values.get("question")
        if found is None:
            return None
        if not isinstance(found, dict):
            self.say(_("{name} must be an object.").format(name="question"))
            return None
        where = _("{step}, question").format(step=self._where)
        fields = _Fields(found, where, self._problems)
        wrong = found.get("wrong", [])
        texts = (
            [tidy_text(each)[:MAX_TEXT] for each in wrong if isinstance(each, str)]
            if isinstance(wrong, list)
            else []
        )
        asked, answer, why = (fields.text(name) for name in ("question", "answer", "why"))
        question = own_question(page, asked, answer, texts, why)
        fields.name_unknown({"question", "answer", "wrong", "why"})
        if problem := missing_in(question):
            fields.say(problem)
        return question


def own_question(page: PageEntry, text: str, answer: str, wrong: Sequence[str], why: str) -> ChoiceQuestion:
    """Return a question of a teacher's own as it is typed, perhaps not whole yet; empty answers are left out."""
    return ChoiceQuestion("", page.address, text, answer, why, dict.fromkeys(filter(None, wrong), why))


def tidy_text(text: str) -> str:
    """Return a text in one line, without characters that no eye sees or that turn the direction of others."""
    spaced = (" " if each.isspace() else each for each in text)
    return " ".join("".join(filter(_is_seen, spaced)).split())


def _is_seen(character: str) -> bool:
    is_joiner = character in "\u200c\u200d"  # which some languages and pictures are written with
    return is_joiner or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn")


def _is_of_page(key: str) -> bool:
    """Return whether a key may be that of a page's widget, not of what is around each page."""
    return _KEY.fullmatch(key) is not None and key not in ("lesson", "lesson_step", "present", "lang")


def is_choice(value: object) -> bool:
    """Return whether a value can be one of a page's choices; its widget checks the rest."""
    if isinstance(value, str):
        return len(value) <= MAX_TEXT
    if isinstance(value, bool | int | float):
        return -_MAX_NUMBER <= value <= _MAX_NUMBER
    if not isinstance(value, list) or len(value) > _MAX_ITEMS:
        return False
    return all(isinstance(each, str | int) and is_choice(each) for each in value)


def _quoted(value: object) -> str:
    """Return a value of a file for a message."""
    return quoted(tidy_text(str(value))[:40])


# Writing


def write_lesson(plan: LessonPlan) -> bytes:
    """Return a lesson as a file, which `read_lesson` reads.

    Raises:
        LessonError: The file would be too long to be read again.
    """
    content = json.dumps(_lesson(plan), ensure_ascii=False, indent=2).encode()
    if len(content) > MAX_BYTES:
        raise LessonError(
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
        LessonError: The lesson is too long for one.
    """
    without_notes = plan.with_steps(*(replace(step, note="") for step in plan.steps))
    content = json.dumps(_lesson(without_notes), ensure_ascii=False, separators=(",", ":")).encode()
    packed = base64.urlsafe_b64encode(zlib.compress(content, 9)).decode().rstrip("=")
    if len(content) > _MAX_LINK_BYTES or len(packed) > MAX_LINK:
        raise LessonError(
            _(
                "This lesson is too long for a link. Save it as a file, or open a room: its code carries any lesson."
            )
        )
    return packed


def unpack_lesson(text: str) -> ReadLesson:
    """Read a lesson from an address.

    Raises:
        LessonError: There is none in it.
    """
    unpacking = zlib.decompressobj()
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        content = unpacking.decompress(packed, _MAX_LINK_BYTES)
    except (ValueError, zlib.error) as error:
        raise LessonError(_("It cannot be read. Ask for its file.")) from error
    if not unpacking.eof:
        raise LessonError(_("It is not whole. Ask for its file."))
    return read_lesson(content)
