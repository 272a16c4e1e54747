"""The running app: its process is killed while somebody trains, and a stranger attacks it."""

import asyncio
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest
import requests

from pages.components.frame.presenting import LEADS_ON
from tests.benchmarks.unfinished import frames, taken_by
from tests.benchmarks.visitor import Visitor, megabytes_of, server_processes
from tests.browser.app import running_app

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]


def process(kind: str) -> int:
    return next(pid for pid, name in server_processes().items() if name == kind)


async def look(address: str) -> None:
    async with Visitor(address) as visitor:
        await visitor.open("masks")


async def kill_the_server(address: str) -> int:
    async with Visitor(address) as visitor:
        await visitor.open("train")
        await visitor.press(LEADS_ON)
        trainer = process("trainer")
        os.kill(process("server"), signal.SIGKILL)
        return trainer


@pytest.mark.long
def test_no_trainer_outlives_the_server(tmp_path: Path) -> None:
    with running_app(tmp_path / "server.log") as address:
        trainer = asyncio.run(kill_the_server(address))
        killed = time.monotonic()
        while megabytes_of(trainer):
            assert time.monotonic() - killed < 60  # an idle one stays five minutes
            time.sleep(0.05)


@pytest.mark.long
def test_five_unfinished_frames_of_100_mb_before_the_class_code_take_less_than_120(tmp_path: Path) -> None:
    with running_app(tmp_path / "server.log", {"class_code": "blue whale"}) as address:
        assert taken_by(frames, 5, address) < 120


@pytest.mark.long
@pytest.mark.parametrize("believed", ["127.0.0.1", "10.0.0.100"])
def test_a_proxy_that_is_believed_says_whose_code_was_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, believed: str
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", believed)
    log = tmp_path / "server.log"
    with running_app(log) as address:

        def enter(visitor: str) -> int:
            headers = {"Origin": address, "X-Forwarded-For": visitor}
            return requests.post(f"{address}/room/AAAAAA/enter", headers=headers, timeout=60).status_code

        while enter("203.0.113.7") != 429:
            pass
        assert enter("203.0.113.8") == (404 if believed == "127.0.0.1" else 429)
        asyncio.run(look(address))
        said = log.read_text(encoding="utf-8").replace(address, "")
        assert set(re.findall(r"[0-9.]+\.[0-9]+\.[0-9.:]+", said)) == {believed}, "no address of a visitor"
