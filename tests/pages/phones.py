"""The routes of phones called in this process: a hall, and phones in it."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from starlette.routing import Router

from core.server.room import Room
from core.server.rooms import Rooms
from pages.components.frame.seat import SEAT_COOKIE
from pages.components.shell import phones
from tests.server.test_access import Clock

ADDRESS = "http://class.example"
_PATIENCE = 60  # seconds
_QUIET = 0.05  # seconds in which no news come

Found = TypeVar("Found")


class Hall:
    """A server with one room, whose time stands still."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = Clock()
        self.rooms = Rooms(self.clock)
        self.room: Room = self.rooms.open("teacher").room
        monkeypatch.setattr(phones, "server_rooms", lambda: self.rooms)
        monkeypatch.setattr(phones._pace, "_clock", self.clock)
        monkeypatch.setattr(phones._pace, "_left", OrderedDict())
        monkeypatch.setattr(phones, "_boards", {})
        # What is not told at once comes too late for any test.
        monkeypatch.setattr(phones, "_LOOK_SECONDS", 10 * _PATIENCE)
        self.app = Router(phones.routes())
        self._loop = asyncio.new_event_loop()

    def run(self, doing: Coroutine[Any, Any, Found]) -> Found:
        return self._loop.run_until_complete(asyncio.wait_for(doing, _PATIENCE))

    def close(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self.run(asyncio.sleep(0))
        self._loop.close()


class Phone:
    """A browser of its own: it keeps its cookie."""

    def __init__(
        self, hall: Hall, path: str = "", address: str = "10.0.0.1", wants: str = "", scheme: str = "http"
    ) -> None:
        self.hall = hall
        self.path = path or f"/room/{hall.room.code}"
        self.cookie = ""
        self.received: list[Any] = []  # all that has come, as it came
        self._address = address
        self._wants = wants  # which languages
        self._scheme = scheme

    def scope(self, path: str, kind: str, method: str, origin: str | None) -> dict[str, Any]:
        headers = {
            "host": ADDRESS.removeprefix("http://"),
            "cookie": f"{SEAT_COOKIE}={self.cookie}" if self.cookie else None,
            "origin": origin,
            "accept-language": self._wants or None,
        }
        path, _, query = path.partition("?")
        return {
            "type": kind,
            "method": method,
            "scheme": self._scheme,
            "path": path,
            "query_string": query.encode(),
            "client": (self._address, 1),
            "headers": [
                (name.encode(), value.encode()) for name, value in headers.items() if value is not None
            ],
        }

    def get(self, path: str = "") -> tuple[dict[str, str], str]:
        """Return the headers and the text of a page."""
        _, headers, text = self.hall.run(self._ask(path, "GET", b"", None))
        return headers, text

    def get_at_once(self, path: str, number: int) -> None:
        """Ask for a page in many tabs together."""

        async def ask_all() -> None:
            await asyncio.gather(*(self._ask(path, "GET", b"", None) for _each in range(number)))

        self.hall.run(ask_all())

    def post(self, path: str, body: object = None, origin: str | None = ADDRESS) -> dict[str, Any]:
        """Return what the server answers, its status among it."""
        content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        status, headers, text = self.hall.run(self._ask(f"/{path}", "POST", content, origin))
        self.cookie = headers.get("set-cookie", self.cookie).partition(";")[0].split("=")[-1]
        return {**json.loads(text), "status": status}

    def act(self, act: str, **values: object) -> dict[str, Any]:
        return self.post("acts", {"act": act, **values})

    def come_in(self) -> "Phone":
        assert "state" in self.post("enter")
        return self

    async def _ask(
        self, path: str, method: str, content: bytes, origin: str | None
    ) -> tuple[int, dict[str, str], str]:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": content}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.hall.app(self.scope(self.path + path, "http", method, origin), receive, send)
        self.received.extend(sent)
        start, *parts = sent
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        return start["status"], headers, b"".join(part["body"] for part in parts).decode()


class Line:
    """A phone's open line, in a tab of it."""

    def __init__(self, phone: Phone, origin: str | None = ADDRESS) -> None:
        self._hall = phone.hall
        self._sent: asyncio.Queue[Any] = asyncio.Queue()
        self._received: asyncio.Queue[Any] = asyncio.Queue()
        self._received.put_nowait({"type": "websocket.connect"})
        scope = phone.scope(f"{phone.path}/news", "websocket", "", origin)
        self._hall.run(self._begin(scope))
        self.is_open = self._next()["type"] == "websocket.accept"

    async def _begin(self, scope: dict[str, Any]) -> None:
        self.task = asyncio.ensure_future(self._hall.app(scope, self._received.get, self._sent.put))

    def _next(self) -> Any:
        return self._hall.run(self._sent.get())

    def news(self) -> dict[str, Any]:
        """Return the next news, or the code with which the line ends."""
        message = self._next()
        if message["type"] == "websocket.close":
            return {"code": message["code"]}
        found: dict[str, Any] = json.loads(message["text"])
        return found

    def is_quiet(self) -> bool:
        self._hall.run(asyncio.sleep(_QUIET))
        return self._sent.empty()

    def leave(self) -> None:
        self._received.put_nowait({"type": "websocket.disconnect", "code": 1006})
        self._hall.run(asyncio.wait_for(asyncio.shield(self.task), _PATIENCE))
