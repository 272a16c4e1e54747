"""What a stranger may try against a class with phones: nothing comes of it, and each has its sentence."""

import asyncio
import base64
import hashlib
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.records.room import Place
from core.server.room import MAX_PEOPLE
from pages.components.frame.seat import SEAT_COOKIE
from pages.components.room.phone import asked_at
from pages.components.shell import phones
from tests.conftest import numbers
from tests.pages.phones import ADDRESS, Hall, Line, Phone
from tests.pages.test_phones import PREDICTION, STEP

HOSTILE = '<img src=x onerror="alert(1)">\u202e</script>'


@pytest.fixture
def hall(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    hall = Hall(monkeypatch)
    hall.room.go_to(STEP)
    yield hall
    hall.close()


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.example",
        "http://evil.example/class.example",
        "http://not.class.example",
        "http://notclass.example",
        "http://class.example.evil.example",
    ],
)
def test_another_page_does_nothing_in_a_visitor_s_name(hall: Hall, origin: str | None) -> None:
    phone, remote = Phone(hall).come_in(), Phone(hall, f"/remote/{hall.rooms.new_ticket(hall.room)}")
    assert Phone(hall).post("enter", origin=origin)["problem"]
    assert remote.post("enter", origin=origin)["problem"]
    values = {"act": "answer", "key": PREDICTION, "answer": 1}
    assert phone.post("acts", values, origin=origin)["problem"]
    assert not Line(phone, origin).is_open
    assert hall.room.tallies() == () and not hall.room.has_remote and len(hall.room._people) == 1


def test_a_student_does_not_lead_and_votes_for_nobody_else(hall: Hall) -> None:
    one, other = (Phone(hall).come_in() for _ in range(2))
    for act in ("next", "back", "again", "accept", ["next"], None):
        assert one.act(act)["said"]  # type: ignore[arg-type]
    (asked,) = asked_at(hall.room)
    assert hall.room.last_press.number == 0 and not hall.room.tally("", asked).are_shown
    token = hall.rooms.seat_of(other.cookie)
    for answer in (0, 1):
        one.act("answer", key=PREDICTION, answer=answer, person=1, token=token and token.token)
    stranger = Phone(hall)
    for stranger.cookie in ("", "a guess", hall.room.code, "x" * 60_000):
        assert stranger.act("answer", key=PREDICTION, answer=0)["state"]["ended"]
        assert not Line(stranger).is_open
    assert hall.room.tally("", asked).votes[0][:2] == (0, 1)
    assert other.post("enter")["own"]["answers"][PREDICTION] == {"votes": [None]}


NO_BODIES = (
    b"",
    b"[]",
    b"nonsense",
    b"\xff",
    b"[" * 4000,
    b'{"act": "send", "source": "\\ud800", "target": "yes"}',
    b'{"act": "send", "source": "oui", "target": "yes", "more": "%s"}' % (b"x" * 10_000),
)


@pytest.mark.parametrize("body", NO_BODIES)
def test_what_no_page_of_ours_would_send_is_nothing(hall: Hall, body: bytes) -> None:
    assert Phone(hall).come_in().post("acts", body)["said"]
    assert hall.room.waiting == ()


def test_a_body_that_never_ends_holds_nothing_for_long(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "_BODY_SECONDS", 0.05)
    phone = Phone(hall).come_in()
    messages = [{"type": "http.request", "body": b"{", "more_body": True}]
    sent: list[Any] = []

    async def receive() -> Any:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = phone.scope(f"{phone.path}/acts", "http", "POST", ADDRESS)
    hall.run(hall.app(scope, receive, send))
    assert sent[0]["status"] == 200 and hall.room.tallies() == ()


@pytest.mark.long
def test_ten_thousand_joins_fill_a_room_once_and_keep_nobody_out_for_long(hall: Hall) -> None:
    attacker = Phone(hall)
    said = []
    for number in range(10_000):
        hall.clock.now = number / 200
        attacker.cookie = ""
        said.append(attacker.post("enter").get("problem", ""))
        del attacker.received[:]
    assert {*map(tuple, map(numbers, said))} == {(), (str(MAX_PEOPLE),)} and len({*said}) == 3
    assert said.count("") == len(hall.room._people) == len(hall.room._seats) - 1 == MAX_PEOPLE
    hall.clock.now += 61
    late = Phone(hall, address="10.0.0.2").come_in()
    assert late.act("answer", key=PREDICTION, answer=1)["own"]["answers"][PREDICTION]["now"] == 1


def test_a_laptop_that_votes_for_a_class_is_out_until_its_teacher_brings_it_back(hall: Hall) -> None:
    student, other = Phone(hall).come_in(), Phone(hall)
    hall.clock.now += 60.0
    laptop = [Phone(hall).come_in() for _ in range(99)]
    for phone in (student, *laptop):
        phone.act("answer", key=PREDICTION, answer=0)
    line = Line(laptop[0])
    assert line.news()["own"]["answers"]
    hall.clock.now += 60.0
    hall.room.take_out()
    (asked,) = asked_at(hall.room)
    assert hall.room.tally("", asked).answered == 1
    assert line.news()["state"]["is_out"]
    for news in (
        laptop[0].act("answer", key=PREDICTION, answer=1),
        laptop[0].act("send", source="oui", target="yes"),
    ):
        assert news["state"]["is_out"] and not news["own"]["answers"]
    assert hall.room.tally("", asked).answered == 1 and not hall.room.waiting
    assert laptop[1].post("enter")["own"]["answers"][PREDICTION] == {"votes": [None]}, (
        "loaded again, it is another"
    )
    assert "asked" in other.come_in().post("enter")["state"]
    hall.room.bring_back()
    assert line.news()["own"]["answers"][PREDICTION]["now"] == 0, "it has waited for this"
    assert hall.room.tally("", asked).answered == 99


def test_a_class_of_three_hundred_behind_one_address_is_in_within_half_a_minute(hall: Hall) -> None:
    outside = [Phone(hall) for _ in range(300)]
    while outside and hall.clock.now < 30:
        outside = [phone for phone in outside if phone.post("enter").get("again")]
        hall.clock.now += 2  # as long as a phone waits
    assert not outside and len(hall.room._people) == 300


def test_a_sentence_is_data_and_the_page_runs_nothing_but_its_own(hall: Hall) -> None:
    phone = Phone(hall).come_in()
    assert phone.act("send", source=HOSTILE, target="x" * 1000)["said"]
    assert (b"content-type", b"application/json") in phone.received[-2]["headers"]
    (sentence,) = phone.post("enter")["own"]["sentences"]
    assert sentence["source"] == HOSTILE and len(sentence["target"]) == 200
    headers, page = phone.get()
    policy = dict(each.strip().split(" ", 1) for each in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    allowed = {"'self'", "'none'", "data:"}
    for name in ("script", "style"):
        (inside,) = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert policy[f"{name}-src"] == f"'sha256-{digest}'"
        allowed.add(f"'sha256-{digest}'")
    assert {source for sources in policy.values() for source in sources.split()} <= allowed
    assert hall.room.code not in page, "the page is the same for all"


def test_a_seat_s_key_is_in_its_cookie_alone(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    phone, remote = Phone(hall).come_in(), Phone(hall, f"/remote/{hall.rooms.new_ticket(hall.room)}")
    remote.path = remote.post("enter")["go"]
    for each in (phone, remote):
        Line(each).news()
        each.act("send", source="oui", target="yes")
        seat = hall.room.seat_of(each.cookie)
        assert seat is not None
        said = str([message.get("body") for message in each.received]) + caplog.text + each.path
        assert each.cookie not in said and seat.token not in said
    (cookie,) = (
        value.decode()
        for message in phone.received
        for name, value in message.get("headers", ())
        if name == b"set-cookie"
    )
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; ")) and SEAT_COOKIE in cookie


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_cookie_that_came_over_https_goes_over_https_alone(hall: Hall, scheme: str) -> None:
    phone = Phone(hall, scheme=scheme).come_in()
    headers = dict(phone.received[0]["headers"])
    assert (b"; Secure" in headers[b"set-cookie"]) is (scheme == "https")


def test_who_joins_too_fast_keeps_nobody_else_out(hall: Hall) -> None:
    attacker = Phone(hall)
    while attacker.post("enter")["status"] == 200:
        attacker.cookie = ""
    Phone(hall, address="10.0.0.2").come_in()


def test_wrong_codes_and_votes_after_the_question_are_told(hall: Hall) -> None:
    assert Phone(hall, "/room/AAAAAA").post("enter")["problem"]
    phone = Phone(hall).come_in()
    hall.room.go_to(Place("train"))
    assert phone.act("answer", key=PREDICTION, answer=0)["said"]
    hall.rooms.close(hall.room)
    assert phone.act("answer", key=PREDICTION, answer=0)["state"]["ended"]
    assert Phone(hall).post("enter")["problem"] and hall.room.tallies() == ()
