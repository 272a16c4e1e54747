"""The running app, whose trainer process or whose own process is killed while people use it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks.load import train, translate
from tests.benchmarks.visitor import Visitor, megabytes_of, server_processes
from tests.browser.app import running_app

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]
SHORT = "setting_epochs=40"
TRANSLATED = "of 15 pairs translated exactly"
DIED = "The training process has ended unexpectedly"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with running_app(tmp_path / "server.log") as address:
        yield address


def process(kind: str) -> int:
    return next(pid for pid, name in server_processes().items() if name == kind)


def says(visitor: Visitor, text: str) -> bool:
    return any(text in shown for shown in visitor.screen.texts)


async def two_trainings_and_a_killed_one(address: str) -> None:
    async with Visitor(address) as first, Visitor(address) as second, Visitor(address) as other:
        await asyncio.gather(first.open("train", SHORT), second.open("train", SHORT), other.open("translate"))
        await asyncio.gather(train(first, "Start"), train(second, "Start"))
        assert all(says(visitor, TRANSLATED) for visitor in (first, second))
        assert "tensorflow" not in Path(f"/proc/{process('server')}/maps").read_text()

        await first.press("Retrain from scratch")
        os.kill(process("trainer"), signal.SIGKILL)
        while first.working:
            await first.follow()
        assert says(first, DIED)
        assert await translate(other, "este é um problema.") < 60  # nobody else notices
        await train(first, "Retrain from scratch")
        assert says(first, TRANSLATED) and not says(first, DIED)


def test_a_killed_trainer_ends_its_trainings_alone(address: str) -> None:
    asyncio.run(two_trainings_and_a_killed_one(address))


async def kill_the_server(address: str) -> int:
    async with Visitor(address) as visitor:
        await visitor.open("train")
        await visitor.press("Start")
        trainer = process("trainer")
        os.kill(process("server"), signal.SIGKILL)
        return trainer


def test_no_trainer_outlives_the_server(tmp_path: Path) -> None:
    with running_app(tmp_path / "server.log") as address:
        trainer = asyncio.run(kill_the_server(address))
        killed = time.monotonic()
        while megabytes_of(trainer):
            assert time.monotonic() - killed < 5
            time.sleep(0.05)
