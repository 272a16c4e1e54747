"""The routes of phones in a room: a small page, its news, and what people do there.

A full page of the app costs the server 50 ms at each step of a class, and a phone megabytes. Here a step is encoded once
and sent to all: three hundred phones follow within a second. A person is a cookie, which is the key to a seat.
"""

import asyncio
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, wraps
from typing import Any, TypeVar
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from core.errors import RefusedError
from core.language import Language, _, language, reading
from core.records.text import Pair
from core.server.access import Pace, TooManyCodesError
from core.server.room import Room, Seat
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel
from pages.components.browser.files import reader_data
from pages.components.browser.own_page import held_as_json, own_page
from pages.components.frame.class_code import code_lock
from pages.components.frame.language import language_for
from pages.components.frame.seat import SEAT_COOKIE
from pages.components.frame.session import server_rooms
from pages.components.one_page.model import why_no_page
from pages.components.one_page.page import model_page
from pages.components.room.phone import (
    act,
    class_state,
    ended_state,
    is_predicting,
    out_state,
    own_state,
    translations_for,
)
from pages.components.shell.files import File, compressed, root
from pages.content.pages import MY_ANSWERS
from pages.languages.catalogs import known_languages

_LOOK_SECONDS = 4.0  # after which a phone is noted as here again, and a remote counts anew
_COOKIE_SECONDS = 12 * 3600
_MAX_BODY = 4096  # bytes of what a phone sends
_BODY_SECONDS = 10.0  # in which it must have arrived
_MAX_KEY = 64  # characters of a cookie
_OVER = 4000  # code of a line that has no more to say
_ELSEWHERE = 4001  # code of a line that another tab of the same person has taken

_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding, Accept-Language",
    "X-Content-Type-Options": "nosniff",
}

_BOOT = secrets.token_hex(4)  # tells times of this process from those of the one before

# A language of a browser, and how much its reader wants it, as "pt-BR;q=0.8".
_WANTED = re.compile(r"(?:^|,)([a-z]{2,3})(?:-[\w-]*)?(?:;q=([01](?:\.\d*)?))?")

Found = TypeVar("Found")
Connection = TypeVar("Connection", bound=HTTPConnection)

_pace = Pace(rate=15.0, burst=100)  # new seats by address: three hundred in half a minute behind one school's


def routes() -> list[BaseRoute]:
    """Return the routes, below the app's own path."""
    room = f"{root()}/room/{{code}}"
    remote = f"{root()}/remote/{{ticket}}"
    return [
        Route(room, _in_its_language(_send_page)),
        Route(f"{room}/enter", _in_its_language(_enter), methods=["POST"]),
        Route(f"{room}/acts", _in_its_language(_take_act), methods=["POST"]),
        Route(f"{room}/news", _in_its_language(_send_news)),
        Route(f"{room}/model/{{id}}", _in_its_language(_send_model)),
        WebSocketRoute(f"{room}/news", _in_its_language(_open_line)),
        Route(remote, _in_its_language(_send_page)),
        Route(f"{remote}/enter", _in_its_language(_take_ticket), methods=["POST"]),
    ]


def _in_its_language(
    answer: Callable[[Connection], Awaitable[Found]],
) -> Callable[[Connection], Awaitable[Found]]:
    """Have a phone answered in its language."""

    @wraps(answer)
    async def answered(connection: Connection) -> Found:
        with reading(_language_of(connection)):
            return await answer(connection)

    return answered


def _language_of(phone: HTTPConnection) -> Language:
    """Return the language in a phone's address, else the first that its browser wants, else the server's."""
    languages = known_languages()
    header = phone.headers.get("accept-language", "").replace(" ", "").lower()
    wanted = [(float(share or 1), code) for code, share in _WANTED.findall(header)]
    first = sorted((each for each in wanted if each[0]), key=lambda each: -each[0])
    asked = (phone.query_params.get("lang", ""), *(code for share, code in first))
    return next((languages[code] for code in asked if code in languages), language_for(""))


class _Board:
    """What the phones of one room are told, in the server's loop."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.lines: dict[str, _Line] = {}  # by the person's token
        # Of the class, encoded, by language; without those that are no longer true.
        self._states: dict[str, str] = {}
        self._written: dict[Pair, str] = {}
        self._written_by: TrainedModel | None = None
        self._writing: asyncio.Task[None] | None = None
        self._pages: dict[str, asyncio.Task[File]] = {}  # with the class's model, by language
        self._pages_with: TrainedModel | None = None
        self._loop = asyncio.get_running_loop()
        self.close = room.listen(self._hear)
        self._note(None)

    def _hear(self, token: str | None) -> None:
        self._loop.call_soon_threadsafe(self._note, token)

    def _note(self, token: str | None) -> None:
        if token is None:
            self._states.clear()
        if self.room.has_ended:
            _forget_ended()
        for person, line in self.lines.items():
            if token in (None, person) or line.seat.is_remote:
                line.news.set()
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write())

    async def _write(self) -> None:
        """Have the class's model write what it has not written yet of the class's sentences."""
        while (model := self.room.model) is not None:
            if model is not self._written_by:
                self._written_by, self._written = model, {}
            missing = [pair for pair in self.room.accepted if pair not in self._written]
            if not missing:
                return
            found = await asyncio.to_thread(translations_for, model, missing)
            self._written = self._written | dict.fromkeys(missing, "") | found
            for line in self.lines.values():
                line.news.set()

    def news_for(self, seat: Seat) -> str:
        """Return what a phone shows now, encoded, as the inside of an object."""
        if not self.room.knows(seat.token):
            return _without(ended_state(has_left=True))
        if seat.is_out:
            return _without(out_state())
        code = language().code
        if code not in self._states or self.room.has_ended:
            link = f"?room={self.room.code}&lang={code}"
            links = {"open": f"{root()}/{link}", "answers": f"{root()}/{MY_ANSWERS.address}{link}"}
            model = self.room.model
            if model is not None and not is_predicting(self.room) and not why_no_page(model):
                links["translate"] = f"{root()}/room/{self.room.code}/model/{model.id}?lang={code}"
            self._states[code] = json.dumps(class_state(self.room) | links)
        return f'"state": {self._states[code]}, "own": {json.dumps(own_state(seat, self._written))}'

    async def page_with(self, model: TrainedModel) -> File:
        """Return the page with the class's model in the reader's language; it is made once, however many ask."""
        if model is not self._pages_with:
            self._pages_with, self._pages = model, {}
        code = language().code
        if code not in self._pages:
            self._pages[code] = asyncio.create_task(asyncio.to_thread(_page_of_model, model))
        # Shielded: a phone that goes must not end what others wait for.
        return await asyncio.shield(self._pages[code])


_boards: dict[Room, _Board] = {}


def _without(state: Mapping[str, Any]) -> str:
    """Return the news of a phone that has no place in a room, as the inside of an object."""
    return f'"state": {json.dumps(state)}, "own": {{"answers": {{}}, "sentences": []}}'


def _board_of(room: Room) -> _Board:
    if room not in _boards:
        _boards[room] = _Board(room)
    return _boards[room]


def _forget_ended() -> None:
    for room in [each for each in _boards if each.has_ended]:
        _boards.pop(room).close()


def _dated(news: str) -> str:
    """Return news with their time: a phone hears by two ways, and keeps the latest."""
    return f'{{{news}, "at": {time.monotonic()}, "boot": "{_BOOT}"}}'


class _Line:
    """The open line of one phone."""

    def __init__(self, socket: WebSocket, seat: Seat) -> None:
        self.seat = seat
        self.news = asyncio.Event()
        self._is_elsewhere = False
        self._socket = socket

    async def run(self, board: _Board) -> None:
        """Send news until the phone is gone, or has no place here any more."""
        sent = ""
        closed = asyncio.ensure_future(self._wait_until_closed())
        try:
            while not closed.done():
                self.news.clear()
                if self._is_elsewhere:
                    await self._socket.send_json({"elsewhere": _("This room is open in another tab.")})
                    await self._socket.close(_ELSEWHERE)
                    return
                room = self.seat.room
                room.note_here(self.seat.token)
                is_over = room.has_ended or not room.knows(self.seat.token)
                news = board.news_for(self.seat)
                if news != sent:
                    await self._socket.send_text(_dated(news))
                    sent = news
                if is_over:
                    await self._socket.close(_OVER)
                    return
                changed = asyncio.ensure_future(self.news.wait())
                await asyncio.wait(
                    (closed, changed), timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                changed.cancel()
        finally:
            closed.cancel()

    async def _wait_until_closed(self) -> None:
        while (await self._socket.receive())["type"] != "websocket.disconnect":
            pass

    def give_up(self) -> None:
        """Have it say that another tab of the same person has the room now, and end."""
        self._is_elsewhere = True
        self.news.set()


async def _open_line(socket: WebSocket) -> None:
    seat = _seat_of(socket)
    if seat is None or not _is_ours(socket):
        await socket.close()
        return
    await socket.accept()
    board = _board_of(seat.room)
    line = _Line(socket, seat)
    try:
        if (other := board.lines.get(seat.token)) is not None:
            other.give_up()
        board.lines[seat.token] = line
        await line.run(board)
    except (WebSocketDisconnect, RuntimeError):  # Starlette's, where a phone is gone before it is told
        return
    finally:
        if board.lines.get(seat.token) is line:
            del board.lines[seat.token]


async def _send_news(request: Request) -> Response:
    """Send the news to a phone whose proxy lets no WebSocket through."""
    seat = _seat_of(request)
    if seat is None:
        return _no_place(request)
    seat.room.note_here(seat.token)
    return _news(seat)


async def _take_act(request: Request) -> Response:
    if not _is_ours(request):
        return _problem(_("This page is not ours."), 403)
    seat = _seat_of(request)
    if seat is None:
        return _no_place(request)
    said = act(seat, await _body(request))
    await asyncio.sleep(0)  # the board hears of it first
    return _news(seat, said)


async def _enter(request: Request) -> Response:
    """Let a phone into the room, with the class code where the server has one."""
    if not _is_ours(request):
        return _problem(_("This page is not ours."), 403)
    if not server_settings().rooms:
        return _problem(_("This server has no rooms."), 404)
    key = _key_of(request) or secrets.token_urlsafe(24)
    seat = _seat_of(request)
    answer = await _join(request, key) if seat is None or seat.is_out else _news(seat)
    return _with_cookie(request, answer, key)


async def _join(request: Request, key: str) -> Response:
    """Give a phone a seat, or say why not."""
    class_code = server_settings().class_code
    typed = str((await _body(request)).get("code", ""))[:100]
    if class_code and not typed:
        return JSONResponse({"enter": ""})
    address = request.client.host if request.client else ""
    try:
        if class_code and not code_lock(class_code).check_code(typed, address):
            return JSONResponse({"enter": _("Wrong class code. Try again.")})
        room = server_rooms().find(str(request.path_params["code"]), address)
        if room is None:
            return _problem(_("There is no room with this code. It may have ended."), 404)
        if not _pace.allows(address):
            return _try_again(_("Many join at this moment. One moment."))
        return _news(server_rooms().join(room, key))
    except TooManyCodesError as error:
        return _try_again(str(error))
    except RefusedError as error:
        return _problem(str(error), 429)


async def _take_ticket(request: Request) -> Response:
    """Make a phone the teacher's remote."""
    if not _is_ours(request):
        return _problem(_("This page is not ours."), 403)
    key = secrets.token_urlsafe(24)
    seat = server_rooms().take_ticket(request.path_params["ticket"], key)
    if seat is None:
        problem = _("This link for a remote is used or too old. Make another one under Class.")
        return _problem(problem, 403)
    return _with_cookie(request, JSONResponse({"go": f"{root()}/room/{seat.room.code}"}), key)


async def _send_model(request: Request) -> Response:
    """Send the page with the class's model: everything in it runs on the phone."""
    seat = _seat_of(request)
    model = seat.room.model if seat is not None else None
    is_there = model is not None and model.id == request.path_params["id"] and not why_no_page(model)
    if seat is None or model is None or not is_there or is_predicting(seat.room):
        return RedirectResponse(f"{root()}/room/{request.path_params['code']}")
    page = await _board_of(seat.room).page_with(model)
    return page.answer(request.scope)


def _page_of_model(model: TrainedModel) -> File:
    """Return the page of a class's model; a phone keeps it."""
    return compressed(model_page(model).encode(), ".html", "private, max-age=3600", _HEADERS)


async def _send_page(request: Request) -> Response:
    return _page(language()).answer(request.scope)


@cache
def _page(reader: Language) -> File:
    """Return what answers with the page of a phone in a language. It runs nothing but its own style and script."""
    page = own_page(
        "phone",
        _("Transformer Classroom: room"),
        ("phone",),
        {"reader": held_as_json(reader_data("phone"))},
    )
    policy = f"{page.policy()}; connect-src 'self'; frame-ancestors 'self'"
    headers = _HEADERS | {"Content-Security-Policy": policy}
    return compressed(page.html().encode(), ".html", "no-cache", headers)


def _seat_of(connection: HTTPConnection) -> Seat | None:
    """Return the seat of a phone in the room of its address."""
    code = str(connection.path_params["code"]).upper()
    room = server_rooms().get(code)
    key = _key_of(connection)
    return room.seat_of(key) if room is not None and key else None


def _key_of(connection: HTTPConnection) -> str:
    return connection.cookies.get(SEAT_COOKIE, "")[:_MAX_KEY]


def _is_ours(connection: HTTPConnection) -> bool:
    """Return whether a request comes from a page of ours: browsers say from which, and no page can say another."""
    origin = urlsplit(connection.headers.get("origin", "")).netloc
    return origin in (
        connection.headers.get("host"),
        urlsplit(server_settings().public_address).netloc or None,
    )


async def _body(request: Request) -> Mapping[str, Any]:
    """Return what a phone sends, empty where it is nothing that ours would send."""
    content = b""
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > _MAX_BODY:
                    return {}
    except TimeoutError:
        return {}
    try:
        values = json.loads(content)
        json.dumps(values, ensure_ascii=False).encode()  # halves of letters, which no page can show
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _news(seat: Seat, said: str = "") -> Response:
    return _json(f'{_board_of(seat.room).news_for(seat)}, "said": {json.dumps(said)}')


def _json(news: str) -> Response:
    return Response(_dated(news), media_type="application/json", headers={"Cache-Control": "no-store"})


def _no_place(request: Request) -> Response:
    """Answer a phone that has no seat: its room has ended, or somebody else has its place."""
    has_room = server_rooms().get(str(request.path_params["code"]).upper()) is not None
    return _json(_without(ended_state(has_room)))


def _problem(text: str, status: int) -> Response:
    return JSONResponse({"problem": text}, status)


def _try_again(text: str) -> Response:
    """Have a phone ask again by itself."""
    return JSONResponse({"problem": text, "again": True}, 429)


def _with_cookie(request: Request, response: Response, key: str) -> Response:
    is_secure = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto"))
    response.set_cookie(
        SEAT_COOKIE, key, _COOKIE_SECONDS, path=root() or "/", secure=is_secure, httponly=True, samesite="lax"
    )
    return response
