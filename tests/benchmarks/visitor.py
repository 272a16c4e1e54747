"""One visitor of the app without a browser: what a browser says over Streamlit's websocket, and what it hears.

Streamlit 1.67: the browser sends `BackMsg.rerun_script` with the values of widgets; the server answers with
elements, and ends each run with `script_finished`. A fragment with `run_every` is rerun by the browser, here too.
"""

import asyncio
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.state.common import user_key_from_element_id
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

MAX_SECONDS = 120.0  # that a visitor waits for a run
ROOM_SECONDS = 1.0  # between two looks at a room, at least
MAX_BYTES = 64 * 1024 * 1024  # of a message


class VisitorError(RuntimeError):
    """The app did not do what a visitor asked for."""


@dataclass
class Screen:
    """The contents of the page."""

    widgets: dict[str, str] = field(default_factory=dict)  # ids by key and by label
    texts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    # The fragment of each widget that is in one, by ids.
    fragments_of: dict[str, str] = field(default_factory=dict)
    # Fragments that the browser reruns, each after some seconds.
    polls: dict[str, float] = field(default_factory=dict)

    @property
    def fragment(self) -> str:
        """The fragment that is rerun most often; empty where there is none."""
        return min(self.polls, key=lambda each: self.polls[each], default="")

    def take(self, message: ForwardMsg) -> None:
        """Draw a message."""
        match message.WhichOneof("type"):
            case "auto_rerun":
                self.polls[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            case "stop_auto_rerun":
                for each in message.stop_auto_rerun.fragment_ids or list(self.polls):
                    self.polls.pop(each, None)
            case "delta" if message.delta.WhichOneof("type") == "new_element":
                self._take_element(message.delta.new_element, message.delta.fragment_id)

    def _take_element(self, element: Any, fragment: str) -> None:
        kind = element.WhichOneof("type")
        content = getattr(element, kind)
        if kind == "exception":
            self.errors.append(content.message)
        elif kind in ("markdown", "heading", "alert"):
            self.texts.append(content.body)
        elif hasattr(content, "id") and hasattr(content, "label"):
            self.widgets[content.label] = content.id
            self.widgets[user_key_from_element_id(content.id) or content.label] = content.id
            if fragment:
                self.fragments_of[content.id] = fragment


class Visitor:
    """A browser tab. Use as an asynchronous context.

    Args:
        address: of the app, as http://127.0.0.1:8501.
        page: path of the page to open first; empty for Home.
    """

    def __init__(self, address: str, page: str = "") -> None:
        self._url = address.replace("http", "ws", 1) + "/_stcore/stream"
        self.page = page  # that is open, as its address names it; "" is Home
        self._pages: dict[str, str] = {}  # hashes by path
        self._values: dict[str, Any] = {}  # of widgets, by id
        self._query = ""
        self._socket: ClientConnection | None = None
        self.session = ""  # its id on the server
        self.screen = Screen()

    async def __aenter__(self) -> Self:
        self._socket = await connect(
            self._url, subprotocols=[Subprotocol("streamlit")], max_size=MAX_BYTES, open_timeout=MAX_SECONDS
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def open(self, page: str | None = None, query: str = "") -> float:
        """Open a page, by its path in the address; seconds until it is drawn."""
        self.page = self.page if page is None else page
        self._query = query
        self._values = {}
        return await self._run()

    async def press(self, label: str) -> None:
        """Press the button with that key or label, or that begins with it."""
        widget = self._id_of(label)
        await self._run(pressed=widget, fragment=self.screen.fragments_of.get(widget, ""))

    async def type(self, label: str, text: str, press: str) -> None:
        """Type into a box, and press a button in the same run, as a form does."""
        self._values[self._id_of(label)] = text
        await self._run(pressed=self._id_of(press))

    async def wait_for(self, text: str) -> None:
        """Rerun the page's fragment as a browser does until a text is on the page."""
        end = time.perf_counter() + MAX_SECONDS
        while not any(text in shown for shown in self.screen.texts):
            if time.perf_counter() > end:
                raise VisitorError(f"{text!r} did not come within {MAX_SECONDS:.0f} s")
            await self.follow()

    async def follow(self) -> None:
        """Rerun once, after its interval, the fragment that the browser reruns."""
        fragment = self.screen.fragment
        await asyncio.sleep(self.screen.polls[fragment] if fragment else 0.2)
        if fragment:
            await self._run(fragment=fragment, is_poll=True)

    @property
    def working(self) -> bool:
        """Whether the page says that something is under way; a room is looked at less often."""
        return any(seconds < ROOM_SECONDS for seconds in self.screen.polls.values())

    def _id_of(self, label: str) -> str:
        for known, widget in self.screen.widgets.items():
            if known == label or known.startswith(label):
                return widget
        raise VisitorError(f"There is no {label!r} on {self.page or 'Home'}: {sorted(self.screen.widgets)}")

    async def _run(self, pressed: str = "", fragment: str = "", is_poll: bool = False) -> float:
        message = BackMsg()
        state = message.rerun_script
        state.query_string = self._query
        state.page_script_hash = self._pages.get(self.page, "")
        state.page_name = "" if state.page_script_hash else self.page
        if fragment:
            state.fragment_id, state.is_auto_rerun = fragment, is_poll
        for widget, value in self._values.items():
            state.widget_states.widgets.add(id=widget, string_value=value)
        if pressed:
            state.widget_states.widgets.add(id=pressed, trigger_value=True)
        assert self._socket is not None
        begin = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        await asyncio.wait_for(self._hear(is_fragment=bool(fragment)), MAX_SECONDS)
        if self.screen.errors:
            raise VisitorError(f"{self.page or 'Home'}: {self.screen.errors[0]}")
        return time.perf_counter() - begin

    async def _hear(self, is_fragment: bool) -> None:
        """Take messages until the run has ended; a run that starts another one, until that has."""
        assert self._socket is not None
        while True:
            data = await self._socket.recv()
            assert isinstance(data, bytes)
            message = ForwardMsg.FromString(data)
            match message.WhichOneof("type"):
                case "navigation":
                    self._pages = {
                        page.url_pathname: page.page_script_hash for page in message.navigation.app_pages
                    }
                case "new_session" if not is_fragment:
                    self.screen = Screen()
                    self.session = message.new_session.initialize.session_id
                    shown = message.new_session.page_script_hash
                    self.page = next((path for path, page in self._pages.items() if page == shown), self.page)
                case "page_info_changed":
                    self._query = message.page_info_changed.query_string
                case "script_finished" if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    is_fragment = False  # the whole page runs next
                case "script_finished":
                    ended = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
                    if message.script_finished in ended:
                        return
                    if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                        raise VisitorError("the script does not compile")
                case _:
                    self.screen.take(message)


def server_processes() -> dict[int, str]:
    """Return the Streamlit server that this process has started and the trainer that it has started, by their ids.

    Raises:
        VisitorError: there is no such server.
    """
    servers = {pid: "server" for pid, command in _children(os.getpid()) if "streamlit" in command}
    if not servers:
        raise VisitorError("The server has ended.")
    trainers = {
        pid: "trainer"
        for server in servers
        for pid, command in _children(server)
        if "core.trainer.process" in command
    }
    return servers | trainers


def megabytes_of(pid: int) -> float:
    """Return what a process holds in memory, program files included; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["VmRSS"].split()[0]) / 1024 if "VmRSS" in fields else 0.0


def _children(pid: int) -> list[tuple[int, str]]:
    """Return the ids and commands of the processes that a process has started."""
    numbers = [
        int(child)
        for file in Path(f"/proc/{pid}/task").glob("*/children")
        for child in file.read_text().split()
    ]
    return [(number, _command_of(number)) for number in numbers]


def _command_of(pid: int) -> str:
    file = Path(f"/proc/{pid}/cmdline")
    return file.read_bytes().replace(b"\0", b" ").decode() if file.exists() else ""
