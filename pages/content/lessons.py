"""The lessons that everybody finds here: ours, those of this server's school, and the buttons on Home."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.described import Change
from core.errors import InputError
from core.language import ENGLISH, PerLanguage, _, reading
from core.server.settings import PREFIX, server_settings
from pages.content.lesson_file import MAX_BYTES, read_lesson, read_step
from pages.content.lesson_plan import LessonPlan, LessonStep
from pages.content.reader import CONTENT, parse

_FILE = "lessons.toml"


def read_lessons(folder: Path = CONTENT, change: Change = _) -> dict[str, LessonPlan]:
    """Return the lessons of lessons.toml by their names in addresses: most are their length in minutes.

    Raises:
        ValueError: A step names an unknown page, view or model, or the minutes do not add up.
    """
    written = parse(_FILE, folder)
    steps: dict[str, list[LessonStep]] = {str(lesson["name"]): [] for lesson in written["lesson"]}
    for values in written["step"]:
        for name, minutes in values.pop("minutes").items():
            where = f"{_FILE}, lesson {name}, step {len(steps[name]) + 1}"
            steps[name].append(_ours({**values, "minutes": minutes}, where, change))
    plans = {}
    for lesson in written["lesson"]:
        name = lesson["name"]
        title = change(lesson["title"]) if "title" in lesson else ""
        plan = LessonPlan(tuple(steps[name]), name, title, is_ours=True)
        if (taken := sum(step.minutes for step in plan.steps)) != lesson["minutes"]:
            raise ValueError(f"{_FILE}, lesson {name}: the steps take {taken} minutes")
        plans[name] = plan
    return plans


def _ours(values: dict[str, Any], where: str, change: Change) -> LessonStep:
    """Return a step of our own, in which nothing may be wrong."""
    problems: list[str] = []
    step = read_step(values, where, problems, change)
    if step is None or problems:
        raise ValueError(problems[0])
    return step


def texts_of_lessons() -> list[str]:
    """Return all texts of lessons.toml that people read."""
    found: list[str] = []

    def note(text: str) -> str:
        found.append(text)
        return text

    read_lessons(change=note)
    _read_quick_starts(change=note)
    return found


LESSONS = PerLanguage(read_lessons)

# Names in addresses of lessons that not everybody has: the tab's own, that of the link which opened it, and that of the
# teacher of its room.
MINE, LINKED, OF_CLASS = OWN_NAMES = "mine", "linked", "class"


@cache  # a server's folder does not change while it runs
def server_lessons() -> dict[str, LessonPlan]:
    """Return the lessons of the folder that the server's settings name, by the names of their files.

    Raises:
        InputError: There is no such folder, or a file in it is not a whole lesson, or is TOML.
    """
    folder = server_settings().lessons
    if not folder:
        return {}
    if not Path(folder).is_dir():
        raise InputError(f"{PREFIX}LESSONS must name a folder. Received: {folder!r:.80}")
    for file in Path(folder).glob("*.toml"):
        raise InputError(f"{file.name} in {PREFIX}LESSONS: a lesson is a .json file, as My lesson saves it.")
    plans = {}
    for file in sorted(Path(folder).glob("*.json")):
        try:
            with file.open("rb") as opened, reading(ENGLISH):  # a problem is for whoever runs the server
                read = read_lesson(opened.read(MAX_BYTES + 1))
        except (OSError, InputError) as error:
            raise InputError(f"{file.name} in {PREFIX}LESSONS: {error}") from error
        if file.stem in (*OWN_NAMES, "0", *LESSONS):
            raise InputError(f"{file.name} in {PREFIX}LESSONS needs another name.")
        if read.problems:
            raise InputError(f"{file.name} in {PREFIX}LESSONS: {read.problems[0]}")
        plans[file.stem] = LessonPlan(read.plan.steps, file.stem, read.plan.title)
    return plans


def known_lessons() -> dict[str, LessonPlan]:
    """Return ours and the server's, by their names in addresses."""
    return {**LESSONS, **server_lessons()}


@dataclass(frozen=True)
class QuickStart:
    """A button on Home and what it opens."""

    name: str
    title: str
    step: LessonStep


def _read_quick_starts(change: Change = _) -> dict[str, list[QuickStart]]:
    """Return the buttons on Home by their place: "first", or one of the doors below."""
    starts: dict[str, list[QuickStart]] = {}
    for values in parse(_FILE)["quick_start"]:
        door, name, title = (values.pop(each) for each in ("door", "name", "title"))
        step = _ours(values, f"{_FILE}, {name}", change)
        starts.setdefault(door, []).append(QuickStart(name, change(title), step))
    return starts


QUICK_STARTS = PerLanguage(_read_quick_starts)
