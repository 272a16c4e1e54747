"""How much may arrive before a page hears of it, of all browsers together.

uvicorn (0.54) keeps the head of a request until it is whole, however long it is, and of a message over a WebSocket up
to `server.maxMessageSize`. Streamlit (1.67) keeps the last message of each tab, also of one that went a moment ago.
Anybody may send both, also before the class code.
"""

from asyncio import BaseTransport, Protocol
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from core.errors import InputError
from core.server.settings import Settings, server_settings

MAX_HEAD = 64 * 2**10  # bytes of a head, as where uvicorn reads it with h11
MAX_PIECES = 1000  # of a message; one without anything in it takes memory, too
MAX_HELD = 32 * 2**20  # bytes of all heads that have begun, and of the largest message of each WebSocket


class _Held:
    """What each connection holds, in bytes."""

    def __init__(self) -> None:
        self._of: dict[Protocol, int] = {}
        self._total = 0

    def of(self, connection: Protocol) -> int:
        """Return what a connection holds."""
        return self._of.get(connection, 0)

    def note(self, connection: Any, held: int) -> None:
        """Note what a connection holds now, and end those that hold most where all together hold too much."""
        self._total += held - self.of(connection)
        self._of[connection] = held
        while self._total > MAX_HELD:
            largest: Any = max(self._of, key=self.of)
            self.forget(largest)
            largest.transport.abort()

    def forget(self, connection: Protocol) -> None:
        """Forget a connection, which holds nothing any more."""
        self._total -= self._of.pop(connection, 0)


def bound_arriving() -> None:
    """Have uvicorn end a request whose head is too long, and the connections that hold most."""
    held = _Held()
    _bound_heads(held)
    _bound_messages(held)


def _largest_message() -> int:
    """Return how many bytes a browser sends of a page at most: the largest text, and all else."""
    settings = Settings()
    with suppress(InputError):  # which the page says
        settings = server_settings()
    return 4 * settings.max_text + 2**18


def _bound_heads(held: _Held) -> None:
    kind: Any = HttpToolsProtocol
    read: Callable[..., None] = kind.data_received
    end: Callable[..., None] = kind.connection_lost

    def data_received(self: HttpToolsProtocol, data: bytes) -> None:
        read(self, data)
        is_whole = self.scope is None or (self.cycle is not None and self.cycle.scope is self.scope)
        if is_whole or self.transport.get_protocol() is not self:  # a WebSocket from now on
            held.forget(self)
            return
        held.note(self, held.of(self) + len(data))
        if held.of(self) > MAX_HEAD:
            self.send_400_response("This request is too long.")

    def connection_lost(self: HttpToolsProtocol, error: Exception | None) -> None:
        held.forget(self)
        end(self, error)

    kind.data_received = data_received
    kind.connection_lost = connection_lost


def _bound_messages(held: _Held) -> None:
    kind: Any = WebSocketsSansIOProtocol
    most = _largest_message()
    begin: Callable[..., None] = kind.connection_made
    read: Callable[..., None] = kind.data_received
    end: Callable[..., None] = kind.connection_lost
    answer_ping: Callable[..., None] = kind.handle_ping

    def connection_made(self: WebSocketsSansIOProtocol, transport: BaseTransport) -> None:
        begin(self, transport)
        self.conn.max_message_size = most

    def data_received(self: WebSocketsSansIOProtocol, data: bytes) -> None:
        begun = len(self.conn.reader.buffer) + sum(map(len, self.frames))
        held.note(self, max(held.of(self), begun + len(data)))
        if len(self.frames) > MAX_PIECES:
            self.transport.abort()
        if not self.transport.is_closing():
            read(self, data)

    def connection_lost(self: WebSocketsSansIOProtocol, error: Exception | None) -> None:
        held.forget(self)
        self.conn.reader.discard()  # or it stays until Python collects its garbage
        self.frames = []
        end(self, error)

    def handle_ping(self: WebSocketsSansIOProtocol) -> None:
        if self.writable.is_set():
            answer_ping(self)
        else:  # the answers would pile up for whoever does not read them
            self.conn.data_to_send()

    kind.connection_made = connection_made
    kind.data_received = data_received
    kind.connection_lost = connection_lost
    kind.handle_ping = handle_ping
