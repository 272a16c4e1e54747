"""How much memory uploads can take: tabs send 16 files of 63 MB each way, over the protocol of a browser.

    python -m tests.benchmarks.uploads

A server with a class code is attacked by a tab that has not given it, by one that has, and by sixteen that have. Then
all go. Prints what the server answered and holds; exits with 1 where something is not as asked. Takes two minutes.
"""

import asyncio
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import requests

from tests.benchmarks.visitor import Visitor, megabytes_of, server_processes
from tests.browser.app import running_app

SIZE = 63 * 2**20  # bytes of a file
NUM_FILES = 16
CODE = "blue whale"
PAGE = "checkpoints"  # has an uploader
GONE_SECONDS = 60.0  # within which what tabs have left is freed
ROOM = 100.0  # MB that pages may take beside the files


class Sender:
    """Sends files as a browser does."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._http = requests.Session()
        self._http.get(f"{address}/_stcore/health", timeout=60)
        self._token = self._http.cookies.get("_streamlit_xsrf") or ""

    def send(self, tab: Visitor, number: int) -> int:
        """Send a large file for a tab; return the answer's status."""
        answer = self._http.put(
            f"{self._address}/_stcore/upload_file/{tab.session}/file-{number}",
            files={"file": ("a.safetensors", bytes(SIZE))},
            headers={"X-Xsrftoken": self._token},
            timeout=60,
        )
        return answer.status_code


def megabytes() -> float:
    """Return what the server holds."""
    return megabytes_of(next(pid for pid, kind in server_processes().items() if kind == "server"))


async def attack(address: str) -> bool:
    """Send the files, and return whether all is as asked."""
    results: list[bool] = []

    def report(who: str, statuses: list[int], expected: list[int], most: float) -> None:
        held = megabytes() - before
        is_right = statuses == expected and held < most + ROOM
        print(
            f"{who}: {dict(Counter(statuses))}, {held:+.0f} MB of at most {most:.0f}: {'ok' if is_right else 'NO'}"
        )
        results.append(is_right)

    sender = Sender(address)
    numbers = range(NUM_FILES)
    async with AsyncExitStack() as tabs:
        opened = [await tabs.enter_async_context(Visitor(address, PAGE)) for _ in range(NUM_FILES + 1)]
        stranger, *class_tabs = opened
        await stranger.open()
        for tab in class_tabs:
            await tab.open(query=f"code={CODE}")
        before = megabytes()
        statuses = [await asyncio.to_thread(sender.send, stranger, number) for number in numbers]
        report("a tab without the class code", statuses, [403] * NUM_FILES, 0.0)
        statuses = [await asyncio.to_thread(sender.send, class_tabs[0], number) for number in numbers]
        report("a tab of the class", statuses, [204] * NUM_FILES, 64.0)
        statuses = [await asyncio.to_thread(sender.send, tab, 0) for tab in class_tabs]
        report("sixteen tabs of the class", statuses, [204] * 4 + [413] * (NUM_FILES - 4), 256.0)
    begin = time.perf_counter()
    while megabytes() - before > ROOM and time.perf_counter() - begin < GONE_SECONDS:
        await asyncio.sleep(1.0)
    report(f"{time.perf_counter() - begin:.0f} s after all have gone", [], [], 0.0)
    return all(results)


def main() -> int:
    """Attack a fresh server; return the exit status."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder) / "log", {"class_code": CODE}) as address,
    ):
        return 0 if asyncio.run(attack(address)) else 1


if __name__ == "__main__":
    sys.exit(main())
