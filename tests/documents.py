"""Write the tables of the documents that repeat what the code has: python -m tests.documents.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from core.__main__ import _parser
from core.checkpoints.description import Description
from core.config import DecodingConfig, ModelConfig, TrainingConfig
from core.described import asked_of, field_infos, what_it_must_be
from core.server.settings import Settings
from pages.content.lessons import LESSONS

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / ".github").glob("*.md")),
    *sorted((ROOT / "core").rglob("README.md")),
    ROOT / "pages" / "README.md",
    ROOT / "pages" / "components" / "browser" / "README.md",
    ROOT / "tests" / "benchmarks" / "README.md",
]
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def commands() -> list[tuple[str, str, argparse.ArgumentParser]]:
    """Return each command with its help and its parser."""
    (group,) = (each for each in _parser()._actions if isinstance(each, argparse._SubParsersAction))
    return [(each.dest, str(each.help), group.choices[each.dest]) for each in group._choices_actions]


def flags(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return a command's flags in their order, without --help."""
    _, *actions = parser._actions
    return {flag: action for action in actions for flag in action.option_strings}


def _lessons(_: str) -> Iterator[str]:
    """Yield the steps of the longest lesson, and how many minutes each lesson that is called by them gives them."""
    plans = {minutes: plan for minutes, plan in LESSONS.items() if not plan.title}
    yield f"| page | {' | '.join(f'{minutes} min' for minutes in plans)} | task |"
    yield f"|---|{'--:|' * len(plans)}---|"
    lessons = [{step.page: str(step.minutes) for step in plan.steps} for plan in plans.values()]
    for step in LESSONS[max(plans)].steps:
        minutes = " | ".join(lesson.get(step.page, "–") for lesson in lessons)
        yield f"| {step.page.title} | {minutes} | {step.task} |"


def _settings(_: str) -> Iterator[str]:
    """Yield each setting with its default, what it may be and what it is for."""
    yield "| setting | default | may be | |\n|---|---|---|---|"
    for name, info in field_infos(Settings).items():
        default = info.default
        shown = f"{default:.0f}" if type(default) in (int, float) else str(default or "").lower()
        yield f"| `{name.upper()}` | {shown} | {what_it_must_be(info)} | {asked_of(info).help} |"


def _commands(_: str) -> Iterator[str]:
    """Yield each command with its flags, but for those that are fields of a config or of a model's description."""
    of_fields = {
        asked_of(info).help
        for cls in (ModelConfig, TrainingConfig, DecodingConfig, Description)
        for info in field_infos(cls).values()
    }
    yield "| command | does | flags |\n|---|---|---|"
    for name, does, parser in commands():
        own = [f"`{flag}`" for flag, action in flags(parser).items() if action.help not in of_fields]
        yield f"| `{name}` | {does} | {' '.join(own)} |"


_TABLES = {"lessons": _lessons, "settings": _settings, "commands": _commands}


def written(file: Path) -> str:
    """Return a document as the code has it now."""

    def table(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        return begin + "\n".join([*_TABLES[name](match[0]), end])

    return _TABLE.sub(table, file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for document in DOCUMENTS:
        document.write_text(written(document), encoding="utf-8")
