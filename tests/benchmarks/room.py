"""A class in a room: everyone answers, the teacher goes on, and all tabs look at the room all the time.

    python -m tests.benchmarks.room               # 30 people
    python -m tests.benchmarks.room --people 100

They speak Streamlit's protocol (tests/benchmarks/visitor.py) to a fresh server. Prints how long the last answer takes
to the teacher's screen, how long phones take to the next step, and what looking alone costs the server; exits with 1
where a target is missed. Nothing else should run on the machine.
"""

import argparse
import asyncio
import os
import random
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.load import percentile_95
from tests.benchmarks.visitor import Visitor, VisitorError, server_processes
from tests.browser.app import running_app

LESSON = "lesson=30"
NUM_NEXT = 5  # how often the teacher goes on; the step then asks a question
ANSWER_SECONDS = 20.0  # within which everyone answers
LOOK_SECONDS = 20.0  # in which nobody does anything


class Targets(NamedTuple):
    """What is allowed, by the number of people."""

    answer: float  # seconds from the last answer to its count on the teacher's screen
    following: float  # seconds from the teacher's press to the step on a phone, p95
    looking: float  # share of one core while all only look


TARGETS = {30: Targets(1.5, 3.0, 0.2), 100: Targets(2.5, 5.0, 0.35)}


async def look_until(visitor: Visitor, is_there: float | str) -> None:
    """Look at the room, as a browser does, for some seconds or until a text is on the page."""
    end = time.perf_counter() + (is_there if isinstance(is_there, float) else 60.0)
    while time.perf_counter() < end:
        if isinstance(is_there, str) and any(is_there in text for text in visitor.screen.texts):
            return
        await visitor.follow()


def processor_seconds() -> float:
    """Return the processor time that the server has taken."""
    server = next(pid for pid, kind in server_processes().items() if kind == "server")
    fields = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def open_a_room(teacher: Visitor) -> str:
    """Open a room and return its code."""
    await teacher.open("", LESSON)
    await teacher.press("Share")
    await teacher.press("Open a room")
    await look_until(teacher, "Room **")
    code = re.search(r"Room \*\*(\w+)", "".join(teacher.screen.texts))
    if code is None:
        raise VisitorError("There is no code of a room.")
    return code[1]


async def answer(student: Visitor, number: int) -> None:
    """Choose an answer at some time; other people look all the while."""
    chance = random.Random(number)
    await look_until(student, chance.uniform(0.0, ANSWER_SECONDS))
    await student.press(chance.choice(["**A**", "**B**"]))


async def arrival(student: Visitor, step: str, pressed: float) -> float:
    """Return how long after the teacher's press a step is on a student's screen."""
    await look_until(student, step)
    return time.perf_counter() - pressed


async def a_class(address: str, people: int) -> dict[str, float]:
    """Let a class join, look, follow and answer; return what it waited."""
    async with Visitor(address) as teacher:
        code = await open_a_room(teacher)
        students = [Visitor(address) for _ in range(people)]
        for student in students:
            await student.__aenter__()
            await student.open("", f"room={code}")
        await asyncio.gather(*(look_until(each, 4.0) for each in (teacher, *students)))

        before = processor_seconds()
        await asyncio.gather(*(look_until(each, LOOK_SECONDS) for each in (teacher, *students)))
        looking = (processor_seconds() - before) / LOOK_SECONDS

        waits: list[float] = []
        for place in range(1, NUM_NEXT + 1):
            pressed = time.perf_counter()
            await teacher.press("**Start the 30" if place == 1 else "Next: ")
            arrived = (arrival(student, f"Step {place} ", pressed) for student in students)
            waits += await asyncio.gather(*arrived)

        counted = asyncio.gather(*(answer(student, place) for place, student in enumerate(students)))
        teaching = asyncio.create_task(look_until(teacher, f"**{people}** answered"))
        await counted
        last = time.perf_counter()
        await teaching
        shown = time.perf_counter() - last
        for student in students:
            await student.__aexit__()
    return {"answer": shown, "following": percentile_95(waits), "looking": looking}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--people", type=int, choices=sorted(TARGETS), default=30)
    options = parser.parse_args()
    with running_app(Path(tempfile.mkdtemp()) / "server.log") as address:
        found = asyncio.run(a_class(address, options.people))
    targets = TARGETS[options.people]._asdict()
    for kind, value in found.items():
        print(f"{kind}: {value:.2f} (at most {targets[kind]:g})")
    return int(any(value > targets[kind] for kind, value in found.items()))


if __name__ == "__main__":
    sys.exit(main())
