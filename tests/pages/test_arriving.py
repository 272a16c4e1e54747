"""What arrives and never ends, sent to a server of its own: each is ended, and nobody else notices."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from pages.components.shell import arriving
from tests.conftest import ChangeSetting
from tests.pages.conftest import PATIENCE

BINARY, REST, PING = 2, 0, 9  # kinds of frames
MAX_TEXT = 10_000  # characters
MAX_MESSAGE = 4 * MAX_TEXT + 2**18  # bytes
MAX_HELD = 10 * MAX_MESSAGE


def frame(kind: int, content: bytes, length: int | None = None, is_last: bool = True) -> bytes:
    """Return a frame of a browser, which may say that it is longer than it is."""
    size = len(content) if length is None else length
    head = bytes([0x80 * is_last | kind, 0x80 | 127]) + struct.pack("!Q", size)
    return head + bytes(4) + content  # with a mask of zeros


class Connection:
    """A stranger's connection to the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def upgrade(self) -> "Connection":
        head = (
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        self.writer.write(head.encode())
        await self.reader.readuntil(b"\r\n\r\n")
        return self

    async def send(self, content: bytes) -> None:
        """Send as much as the server takes."""
        with contextlib.suppress(OSError):
            self.writer.write(content)
            await self.writer.drain()

    async def rest(self) -> bytes:
        """Return all that the server says until it ends the connection."""
        try:
            return await self.reader.read()
        except OSError:
            return b""

    async def echo(self, content: bytes) -> int:
        """Send a message; return how many bytes the server heard."""
        await self.send(frame(BINARY, content))
        _kind, size = await self.reader.readexactly(2)
        return int(await self.reader.readexactly(size))


class Server:
    """A server whose app says how long each message was."""

    def __init__(self, port: int, connections: set[Any]) -> None:
        self.port = port
        self.connections = connections

    async def connect(self) -> Connection:
        return Connection(*await asyncio.open_connection("127.0.0.1", self.port))

    @property
    def held(self) -> int:
        """The bytes that it keeps of messages that have not ended, and of answers that nobody reads."""
        sockets = [each for each in self.connections if isinstance(each, WebSocketsSansIOProtocol)]
        begun = [len(each.conn.reader.buffer) + sum(map(len, each.frames)) for each in sockets]
        return sum(begun) + sum(each.transport.get_write_buffer_size() for each in sockets)


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"here"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": str(len(message["bytes"]))})


@asynccontextmanager
async def running_server() -> AsyncIterator[Server]:
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(answer, ws="websockets-sansio", http="httptools", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve([listening]))
    try:
        yield Server(listening.getsockname()[1], server.server_state.connections)
    finally:
        server.should_exit = server.force_exit = True
        await serving


@pytest.fixture(autouse=True)
def bounded(monkeypatch: pytest.MonkeyPatch, change_setting: ChangeSetting) -> Iterator[None]:
    changed = ("connection_made", "data_received", "connection_lost", "handle_ping")
    for kind in (HttpToolsProtocol, WebSocketsSansIOProtocol):
        for name in filter(vars(kind).__contains__, changed):
            monkeypatch.setattr(kind, name, vars(kind)[name])  # as it was, in the end
    monkeypatch.setattr(arriving, "MAX_HELD", MAX_HELD)
    change_setting("max_text", MAX_TEXT)
    arriving.bound_arriving()
    yield


def attack(attacking: Callable[[Server], Awaitable[None]]) -> None:
    """Attack a fresh server, on which somebody has a page open."""

    async def run() -> None:
        async with running_server() as server:
            visitor = await (await server.connect()).upgrade()
            assert await visitor.echo(b"x" * 1000) == 1000
            await attacking(server)
            assert await visitor.echo(b"x" * 4 * MAX_TEXT) == 4 * MAX_TEXT, "nobody else notices"
            late = await server.connect()
            await late.send(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert b"here" in await late.rest()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_two_hundred_messages_that_never_end_are_bounded_together() -> None:
    async def hold(server: Server) -> None:
        kept = [await (await server.connect()).upgrade() for _ in range(200)]
        begun = frame(BINARY, bytes(MAX_MESSAGE // 2), length=MAX_MESSAGE)
        await asyncio.gather(*(each.send(begun) for each in kept))
        while len(server.connections) > 1 + MAX_HELD // (MAX_MESSAGE // 2):
            await asyncio.sleep(0.01)
        assert 0 < server.held <= MAX_HELD

    attack(hold)


@pytest.mark.parametrize(
    "begun",
    [
        pytest.param(frame(BINARY, bytes(1000), length=10**8), id="a long frame"),
        pytest.param(
            frame(BINARY, b"", is_last=False) + frame(REST, bytes(10**5), is_last=False) * 9, id="pieces"
        ),
        pytest.param(
            frame(BINARY, b"", is_last=False) + frame(REST, b"", is_last=False) * 10**4, id="nothing"
        ),
    ],
)
def test_a_message_that_is_too_long_is_ended_before_its_end(begun: bytes) -> None:
    async def send(server: Server) -> None:
        stranger = await (await server.connect()).upgrade()
        await stranger.send(begun)
        await stranger.rest()

    attack(send)


def test_the_messages_that_streamlit_keeps_are_bounded_together() -> None:
    async def send(server: Server) -> None:
        kept = [await (await server.connect()).upgrade() for _ in range(20)]
        for each in kept:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                assert await each.echo(bytes(MAX_MESSAGE)) == MAX_MESSAGE
                await each.echo(b"of another kind")  # which does not take its place
        while len(server.connections) > 1 + MAX_HELD // MAX_MESSAGE:
            await asyncio.sleep(0.01)

    attack(send)


@pytest.mark.long
def test_pings_whose_answers_nobody_reads_leave_none() -> None:
    async def ping(server: Server) -> None:
        stranger = await (await server.connect()).upgrade()
        pings = frame(PING, bytes(125)) * 1000
        for _ in range(200):  # 27 MB
            await stranger.send(pings)
        assert server.held < 2**20

    attack(ping)


@pytest.mark.parametrize(
    "begun", [b"GET /", b"GET / HTTP/1.1\r\nX: ", b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 5000]
)
def test_a_head_that_never_ends_is_refused_in_a_sentence(begun: bytes) -> None:
    async def send(server: Server) -> None:
        stranger = await server.connect()
        await stranger.send(begun + b"x" * (arriving.MAX_HEAD + 1 - len(begun)))
        heard = await stranger.rest()
        assert b"400" in heard and b"too long" in heard

    attack(send)


def test_what_a_stranger_has_sent_is_given_back_when_the_connection_ends() -> None:
    async def leave(server: Server) -> None:
        for _ in range(3 * MAX_HELD // MAX_MESSAGE):
            stranger = await (await server.connect()).upgrade()
            await stranger.send(frame(BINARY, bytes(MAX_MESSAGE // 2), length=MAX_MESSAGE))
            while not server.held:
                await asyncio.sleep(0.01)
            (connection,) = (
                each for each in server.connections if getattr(each, "conn", None) and each.conn.reader.buffer
            )
            stranger.writer.close()
            while connection in server.connections:
                await asyncio.sleep(0.01)
            assert not connection.conn.reader.buffer

    attack(leave)
