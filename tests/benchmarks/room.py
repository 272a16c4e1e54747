"""A class in a room: everyone answers, and the teacher goes on.

    python -m tests.benchmarks.room                # 30 people, each with the full page
    python -m tests.benchmarks.room --phones 300   # with the small page of phones

The teacher and people with the full page speak Streamlit's protocol (tests/benchmarks/visitor.py) to a fresh server;
phones speak theirs (tests/benchmarks/phone.py). Prints each figure with its target, and exits with 1 where one is
missed. Nothing else should run on the machine.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from statistics import mean

from tests.benchmarks.load import SENTENCES, WORDS, percentile_95, translate
from tests.benchmarks.phone import Phone
from tests.benchmarks.visitor import Visitor, VisitorError, server_processes
from tests.browser.app import running_app

LESSON = "lesson=30"
NUM_NEXT = 5  # how often the teacher goes on; the step then asks a question
ANSWER_SECONDS = 20.0  # within which everyone answers
LOOK_SECONDS = 20.0  # in which nobody does anything
NUM_PEOPLE = 30  # with the full page
JOIN_SECONDS = 30.0  # within which all phones join
NUM_ROUNDS = 3  # of the same steps
TAKE_SECONDS = 60.0  # within which all phones take the class's model
READ_SECONDS = 2.0  # between two steps
NUM_TRANSLATING = 3  # who are not in the room

# What is allowed: seconds, where no other unit is named.
TARGETS_PEOPLE = {
    "the last answer's count is on the teacher's screen after": 1.5,
    "a step is on a page after the teacher's press, p95": 3.0,
    "looking alone, share of one core": 0.2,
}
STEP = "a step is on a phone after the teacher's press, p95"
COUNT = "the last answer's count is on the projector after"
BARS = "the class's answers are on the last phone after"
PROCESSOR = "processor time of a step, a phone, ms"
JOINED = "a phone that joins has its question after, at most"
FIRST_BYTES = "until the question, kB"
STEP_BYTES = "a step, kB"
TAKING = "a step while every phone takes the class's model within a minute, p95"
TAKEN = "the class's model is on a phone after, at most"
TRANSLATION = "a translation of others takes longer by, p95"
END = "the server ends within"
KINDS = (STEP, COUNT, BARS, PROCESSOR, JOINED, FIRST_BYTES, STEP_BYTES, TAKING, TAKEN, TRANSLATION, END)
TARGETS_PHONES = {
    num: dict(zip(KINDS, (*waits, 0.3, 1.0, 40, 2, waits[0], 10.0, 0.1, 3.0), strict=True))
    for num, waits in {
        30: (1.0, 0.5, 1.0),
        100: (1.0, 0.5, 1.0),
        300: (1.5, 1.0, 1.5),
        500: (2.5, 1.5, 2.5),
    }.items()
}

Figures = dict[str, float]

_new = itertools.count()  # numbers for sentences that nobody has translated yet


async def look_until(visitor: Visitor, is_there: float | str) -> None:
    """Look at the room, as a browser does, for some seconds or until a text is on the page."""
    end = time.perf_counter() + (is_there if isinstance(is_there, float) else 60.0)
    while time.perf_counter() < end:
        if isinstance(is_there, str) and any(is_there in text for text in visitor.screen.texts):
            return
        await visitor.follow()


def server_id() -> int:
    """Return the id of the server's process."""
    return next(pid for pid, kind in server_processes().items() if kind == "server")


def processor_seconds() -> float:
    """Return the processor time that the server has taken."""
    fields = Path(f"/proc/{server_id()}/stat").read_text().rpartition(")")[2].split()
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
    await teacher.press("Go on")
    return code[1]


async def step_on(teacher: Visitor, place: int) -> float:
    """Let the teacher go on to a step; return when the key was pressed."""
    pressed = time.perf_counter()
    await teacher.press("**Start the 30" if place == 1 else "Next: ")
    return pressed


async def answered_after(teacher: Visitor, answers: list[Awaitable[None]]) -> float:
    """Return how long after the last answer the teacher sees that all have answered."""
    looking = asyncio.create_task(look_until(teacher, f"**{len(answers)}** answered"))
    await asyncio.gather(*answers)
    last = time.perf_counter()
    await looking
    return time.perf_counter() - last


# The full page


async def answer(student: Visitor, number: int) -> None:
    """Choose an answer at some time; other people look all the while."""
    chance = random.Random(number)
    await look_until(student, chance.uniform(0.0, ANSWER_SECONDS))
    await student.press(chance.choice(["**A**", "**B**"]))


async def arrival(student: Visitor, step: str, pressed: float) -> float:
    """Return how long after the teacher's press a step is on a student's screen."""
    await look_until(student, step)
    return time.perf_counter() - pressed


async def a_class(address: str) -> Figures:
    """Let a class with the full page join, look, follow and answer."""
    async with Visitor(address) as teacher:
        code = await open_a_room(teacher)
        students = [Visitor(address) for _ in range(NUM_PEOPLE)]
        for student in students:
            await student.__aenter__()
            await student.open("", f"room={code}")
        await asyncio.gather(*(look_until(each, 4.0) for each in (teacher, *students)))

        before = processor_seconds()
        await asyncio.gather(*(look_until(each, LOOK_SECONDS) for each in (teacher, *students)))
        looking = (processor_seconds() - before) / LOOK_SECONDS

        waits: list[float] = []
        for place in range(1, NUM_NEXT + 1):
            pressed = await step_on(teacher, place)
            waits += await asyncio.gather(*(arrival(each, f"Step {place} ", pressed) for each in students))

        shown = await answered_after(teacher, [answer(each, place) for place, each in enumerate(students)])
        for student in students:
            await student.__aexit__()
    return dict(zip(TARGETS_PEOPLE, (shown, percentile_95(waits), looking), strict=True))


# Phones


class Hall:
    """A class with phones.

    Args:
        address: of the app.
        teacher: who leads it.
        code: of the room.
        num: of phones.
    """

    def __init__(self, address: str, teacher: Visitor, code: str, num: int) -> None:
        self._address = address
        self._teacher = teacher
        self.phones = [Phone(address, code) for _ in range(num)]

    async def join(self) -> list[float]:
        """Let all join where the class is asked something; return how long each waits for the question."""

        async def come(phone: Phone, number: int) -> float:
            await asyncio.sleep(JOIN_SECONDS * number / len(self.phones))
            begin = time.perf_counter()
            await phone.join()
            return await phone.wait_for('"options"') - begin

        return await asyncio.gather(*(come(phone, number) for number, phone in enumerate(self.phones)))

    async def walk(self) -> tuple[list[float], float]:
        """Lead through the first steps; return how long each phone waits, and the processor time of all steps."""
        await self._teacher.open("", LESSON)
        await asyncio.gather(*(phone.wait_for("Welcome") for phone in self.phones))
        waits: list[float] = []
        processor = 0.0
        for place in range(1, NUM_NEXT + 1):
            await asyncio.sleep(READ_SECONDS)
            before = processor_seconds()
            arriving = asyncio.gather(*(phone.wait_for(f'"Step {place} ') for phone in self.phones))
            pressed = await step_on(self._teacher, place)
            waits += [arrived - pressed for arrived in await arriving]
            processor += processor_seconds() - before
        return waits, processor / NUM_NEXT

    async def take_model(self) -> tuple[list[float], float]:
        """Train a model and let all phones load it while the teacher goes on; return how long steps and the file take."""
        await self._teacher.open("", LESSON)
        await step_on(self._teacher, 1)
        await self._teacher.press("Start")
        await look_until(self._teacher, "translated exactly")
        await asyncio.gather(*(phone.wait_for('"translate"') for phone in self.phones))
        path = json.loads(self.phones[0].news)["state"]["translate"]

        async def take(phone: Phone, number: int) -> float:
            await asyncio.sleep(TAKE_SECONDS * number / len(self.phones))
            begin = time.perf_counter()
            await phone.get(path)
            return time.perf_counter() - begin

        taking = asyncio.gather(*(take(phone, number) for number, phone in enumerate(self.phones)))
        waits: list[float] = []
        while not taking.done():
            waits += (await self.walk())[0]
        return waits, max(await taking)

    async def vote(self) -> tuple[float, float]:
        """Let all answer; return how long the last answer, and then the bars on all phones, take."""
        asked = json.loads(self.phones[0].news)["state"]["asked"][0]

        async def choose(phone: Phone, number: int) -> None:
            chance = random.Random(number)
            await asyncio.sleep(chance.uniform(0.0, ANSWER_SECONDS))
            option = chance.randrange(len(asked["options"]))
            await phone.post("acts", {"act": "answer", "key": asked["key"], "answer": option})

        answers: list[Awaitable[None]] = [choose(phone, number) for number, phone in enumerate(self.phones)]
        counted = await answered_after(self._teacher, answers)
        bars = asyncio.gather(*(phone.wait_for('"votes": [[') for phone in self.phones))
        pressed = time.perf_counter()
        await self._teacher.press("Show answers")
        return counted, max(await bars) - pressed


async def translations(address: str, hall: Hall) -> float:
    """Return how long others wait for a translation while a class follows its teacher, p95."""
    waits: list[float] = []

    async def work() -> None:
        async with Visitor(address, "translate") as visitor:
            await visitor.open()
            while True:
                place = next(_new)
                waits.append(await translate(visitor, f"{WORDS[place % 8]} {place} {SENTENCES[place % 10]}"))
                await asyncio.sleep(1.0)

    working = [asyncio.create_task(work()) for _ in range(NUM_TRANSLATING)]
    for _ in range(NUM_ROUNDS):
        await hall.walk()
    for task in working:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    return percentile_95(waits)


async def end_server() -> float:
    """Tell the server to end; return how long it takes."""
    server = server_id()
    begin = time.perf_counter()
    os.kill(server, signal.SIGTERM)
    while Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        await asyncio.sleep(0.02)
    return time.perf_counter() - begin


async def a_hall(address: str, num: int) -> Figures:
    """Let phones join, follow and answer while others translate."""
    async with Visitor(address) as teacher:
        code = await open_a_room(teacher)
        alone = Hall(address, teacher, code, 0)
        await alone.walk()
        alone_waits = await translations(address, alone)
        teachers_own = mean([(await alone.walk())[1] for _ in range(NUM_ROUNDS)])

        hall = Hall(address, teacher, code, num)
        joined = await hall.join()
        first_bytes = max(phone.num_bytes for phone in hall.phones)
        rounds = [await hall.walk() for _ in range(NUM_ROUNDS)]
        step_bytes = (
            (max(phone.num_bytes for phone in hall.phones) - first_bytes) / NUM_ROUNDS / (NUM_NEXT + 1)
        )
        counted, bars = await hall.vote()
        steps_beside, taken = await hall.take_model()
        waits_beside = await translations(address, hall)
        ended = await end_server()
        for phone in hall.phones:
            await phone.leave()
    return {
        STEP: percentile_95([wait for waits, _ in rounds for wait in waits]),
        COUNT: counted,
        BARS: bars,
        PROCESSOR: 1000 * (mean(processor for _, processor in rounds) - teachers_own) / num,
        JOINED: max(joined),
        FIRST_BYTES: first_bytes / 1000,
        STEP_BYTES: step_bytes / 1000,
        TAKING: percentile_95(steps_beside),
        TAKEN: taken,
        TRANSLATION: waits_beside - alone_waits,
        END: ended,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--phones", type=int, choices=sorted(TARGETS_PHONES), help="with the small page")
    options = parser.parse_args()
    with running_app(Path(tempfile.mkdtemp()) / "server.log") as address:
        found = asyncio.run(a_hall(address, options.phones) if options.phones else a_class(address))
    targets = TARGETS_PHONES[options.phones] if options.phones else TARGETS_PEOPLE
    for kind, value in found.items():
        print(f"{kind}: {value:.2f} (at most {targets[kind]:g})")
    return int(any(value > targets[kind] for kind, value in found.items()))


if __name__ == "__main__":
    sys.exit(main())
