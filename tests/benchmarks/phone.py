"""A phone in a room without a browser: it loads the page, comes in, and holds the line on which news come."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Self
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from pages.components.frame.seat import SEAT_COOKIE

_MAX_SECONDS = 120.0  # that a phone waits


class Phone:
    """One phone.

    Args:
        address: of the app, as http://127.0.0.1:8501.
        code: of the room.
    """

    def __init__(self, address: str, code: str) -> None:
        self._address = address
        self._room = f"/room/{code}"
        self._key = ""  # the cookie's value
        self._line: ClientConnection | None = None
        self.news = ""  # the last ones, encoded
        self.num_bytes = 0  # that have come

    async def join(self) -> Self:
        """Load the page, come into the room, and open the line."""
        await self.get(self._room)
        await self.post("enter", {})
        self._line = await connect(
            f"{self._address.replace('http', 'ws', 1)}{self._room}/news",
            origin=Origin(self._address),
            additional_headers={"Cookie": f"{SEAT_COOKIE}={self._key}"},
            compression=None,
            open_timeout=_MAX_SECONDS,
        )
        return self

    async def wait_for(self, text: str) -> float:
        """Take news until a text is in them; return the time."""
        assert self._line is not None
        while text not in self.news:
            news = await asyncio.wait_for(self._line.recv(), _MAX_SECONDS)
            assert isinstance(news, str)
            self.news = news
            self.num_bytes += len(news.encode())
        return time.perf_counter()

    async def post(self, path: str, body: Mapping[str, object]) -> None:
        """Send something that a person does."""
        await self._ask("POST", f"{self._room}/{path}", json.dumps(body).encode())

    async def get(self, path: str) -> None:
        """Load a file of the server."""
        await self._ask("GET", path)

    async def leave(self) -> None:
        """Close the line."""
        if self._line is not None:
            await self._line.close()

    async def _ask(self, method: str, path: str, body: bytes = b"") -> None:
        """Send a request on a connection of its own, and keep the cookie that comes back."""
        parts = urlsplit(self._address)
        assert parts.hostname is not None
        headers = {
            "Host": parts.netloc,
            "Origin": self._address,
            "Accept-Encoding": "gzip",
            "Cookie": f"{SEAT_COOKIE}={self._key}" if self._key else "",
            "Content-Length": str(len(body)),
            "Connection": "close",
        }
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers.items() if value),
        ]
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write("\r\n".join((*lines, "", "")).encode() + body)
        answer = await asyncio.wait_for(reader.read(), _MAX_SECONDS)
        writer.close()
        self.num_bytes += len(answer)
        head = answer.partition(b"\r\n\r\n")[0].decode()
        if " 200 " not in head.splitlines()[0]:
            raise OSError(f"{path}: {head.splitlines()[0]}")
        for line in head.splitlines():
            if line.lower().startswith(f"set-cookie: {SEAT_COOKIE}="):
                self._key = line.partition("=")[2].partition(";")[0]
