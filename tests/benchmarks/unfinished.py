"""How much memory a stranger can take before the class code, with what begins to arrive and does not end.

    python -m tests.benchmarks.unfinished

A fresh server with a class code is attacked over sockets, one way after the other. Prints what it holds then; exits with
1 where that is more than asked. Takes two minutes.
"""

import socket
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.benchmarks.visitor import megabytes_of, server_processes
from tests.browser.app import running_app

MB = 10**6
_SECONDS = 20.0  # that a stranger goes on
_REST = 2.0  # seconds after which the server has taken what it takes
_WAIT = 5.0  # seconds that the next visitor waits at most
_BINARY = 0x82  # the first byte of a frame that is a whole message
_PING = 0x89

Attack = Callable[[socket.socket], None]


class Way(NamedTuple):
    """A way to attack."""

    name: str
    attack: Attack
    number: int  # of connections at a time
    most: float  # MB that it may take


def frame(content: bytes, length: int | None = None, kind: int = _BINARY) -> bytes:
    """Return a frame as browsers send it, which may say that it is longer than it is."""
    size = len(content) if length is None else length
    return bytes([kind, 0x80 | 127]) + struct.pack("!Q", size) + bytes(4) + content


def frames(line: socket.socket) -> None:
    """Send 100 MB of one frame."""
    _upgrade(line)
    line.sendall(frame(b"", length=101 * MB))
    for _ in range(100):
        line.sendall(bytes(MB))


def _begin_small_frame(line: socket.socket) -> None:
    _upgrade(line)
    line.sendall(frame(bytes(MB // 4), length=MB // 3))


def _fill_widget(line: socket.socket) -> None:
    _upgrade(line)
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="$$ID-a-None", string_value="x" * (MB // 4))
    line.sendall(frame(message.SerializeToString()))


def _ping(line: socket.socket) -> None:
    _upgrade(line)
    for _ in range(40):
        line.sendall(frame(bytes(125), kind=_PING) * (MB // 125))


def _send_head(line: socket.socket) -> None:
    line.sendall(b"GET / HTTP/1.1\r\nX: ")
    for _ in range(100):
        line.sendall(b"x" * MB)


WAYS = (
    Way("frames of 100 MB", frames, 5, 120.0),
    Way("frames of 0.3 MB that never end", _begin_small_frame, 200, 120.0),
    Way("heads of 100 MB", _send_head, 5, 20.0),
    Way("pings whose answers nobody reads", _ping, 5, 20.0),
    Way("messages of 0.3 MB for widgets that are not there", _fill_widget, 200, 250.0),
)


def _upgrade(line: socket.socket) -> None:
    line.sendall(
        b"GET /_stcore/stream HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    while not line.recv(4096).endswith(b"\r\n\r\n"):
        pass


def megabytes() -> float:
    """Return what the server holds."""
    return megabytes_of(next(pid for pid, kind in server_processes().items() if kind == "server"))


def taken_by(attack: Attack, number: int, address: str) -> float:
    """Attack over so many connections at once; return the MB that the server has taken, while all are open."""
    url = urlsplit(address)
    before = megabytes()
    with ExitStack() as lines, ThreadPoolExecutor(number) as strangers:

        def go() -> None:
            with suppress(OSError):
                line = lines.enter_context(socket.create_connection((url.hostname or "", url.port or 0)))
                line.settimeout(_SECONDS)
                attack(line)

        for _ in range(number):
            strangers.submit(go)
        strangers.shutdown()
        time.sleep(_REST)
        return megabytes() - before


def main() -> int:
    """Attack a fresh server each time; return the exit status."""
    results = []
    for way in WAYS:
        with (
            tempfile.TemporaryDirectory() as folder,
            running_app(Path(folder) / "log", {"class_code": "blue whale"}) as address,
        ):
            taken = taken_by(way.attack, way.number, address)
            begin = time.perf_counter()
            urlopen(f"{address}/_stcore/health", timeout=60).close()
            seconds = time.perf_counter() - begin
        is_right = taken < way.most and seconds < _WAIT
        print(
            f"{way.number} {way.name}: {taken:+.0f} MB of at most {way.most:.0f}, the next visitor waits "
            f"{seconds:.1f} s: {'ok' if is_right else 'NO'}"
        )
        results.append(is_right)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
