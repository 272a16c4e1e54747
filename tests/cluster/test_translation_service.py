from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from core.classroom.settings import Settings
from core.cluster.requests import max_request_bytes
from core.config import DecodingConfig
from tests.cluster.service import LIMITS, service_of

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint
    from core.decoding.translator import Translator


def post(translator: Translator, path: str, values: Any, settings: Settings = LIMITS) -> tuple[int, Any]:
    body = values if isinstance(values, bytes) else json.dumps(values).encode()
    answer = service_of(translator, settings).answer("POST", path, body)
    with ThreadPoolExecutor(1) as pool:  # in this thread a browser's event loop may run
        return pool.submit(asyncio.run, answer).result()


def test_a_text_of_several_sentences_is_answered(translator: Translator) -> None:
    text = "un livre\nun chat"
    status, values = post(translator, "/translate", {"model": "classroom", "text": text, "beam_size": 3})
    assert status == 200 and values["model"] == "classroom"
    assert [each["source"] for each in values["sentences"]] == ["un livre", "un chat"]
    assert values["translation"] == " ".join(each["hypotheses"][0]["text"] for each in values["sentences"])
    assert [len(each["hypotheses"]) for each in values["sentences"]] == [3, 3]


@pytest.mark.parametrize(
    ("path", "changes", "status", "words"),
    [
        ("/translate", {"model": "other"}, 404, "There is no model 'other' here, but: classroom."),
        ("/other", {}, 404, "There is POST /translate"),
        ("/translate", {"beam_size": 99}, 400, "beam_size must be a whole number from 1 to 16"),
        ("/translate", {"beam_size": "2"}, 400, "beam_size must be a whole number"),
        ("/translate", {"text": 5}, 400, '"text" must be text'),
        ("/translate", {"text": " "}, 400, "There are no words"),
        ("/translate", {"text": "…"}, 400, "There are no words"),
        ("/translate", {"text": "\ud800"}, 400, "half a character"),
        ("/translate", {"beams": 4}, 400, "There is no field 'beams'"),
        ("/translate", {"text": "a" * 20_001}, 413, "at most 20,000 are translated at once"),
        ("/translate", {"text": "a" * 10_001, "beam_size": 4}, 413, "With 4 beams, at most 10,000 characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_has_a_status_and_a_sentence(
    translator: Translator, path: str, changes: dict[str, Any], status: int, words: str
) -> None:
    settings = Settings(max_text=20_000)
    values = {"model": "classroom", "text": "un livre", **changes}
    found, answer = post(translator, path, values, settings)
    assert found == status
    assert words in answer["error"]


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b"5", b"[" * 10**5, b'{"text": NaN}'])
def test_a_body_that_is_no_request_is_refused(translator: Translator, body: bytes) -> None:
    assert post(translator, "/translate", body)[0] == 400


def test_every_text_within_the_limit_fits_into_a_request() -> None:
    settings = Settings(max_text=100)
    assert len(json.dumps({"text": "😀" * settings.max_text})) <= max_request_bytes(settings)


def test_what_arrives_while_a_batch_is_translated_makes_up_the_next(
    checkpoint: Checkpoint, translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, under_way, go_on = service_of(translator), threading.Event(), threading.Event()
    translate, pair = translator.translate_typed, checkpoint.examples[0]
    sizes: list[int] = []

    def translate_typed(texts: list[str], decoding: DecodingConfig) -> Any:
        sizes.append(len(texts))
        under_way.set()
        assert go_on.wait(60)
        return translate(texts, decoding)

    async def answers() -> Any:
        body = json.dumps({"model": "classroom", "text": pair.source}).encode()
        first = asyncio.create_task(service.answer("POST", "/translate", body))
        await asyncio.to_thread(under_way.wait, 60)
        others = [asyncio.create_task(service.answer("POST", "/translate", body)) for _ in range(5)]
        while len(service._batches._waiting) < len(others):
            await asyncio.sleep(0.01)
        go_on.set()
        return await asyncio.gather(first, *others)

    monkeypatch.setattr(translator, "translate_typed", translate_typed)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(asyncio.run, answers()).result()
    assert sizes == [1, 5]
    assert {(status, values["translation"]) for status, values in found} == {(200, pair.target)}


def test_whoever_goes_away_ends_what_is_left_of_a_text(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, under_way, go_on = service_of(translator), threading.Event(), threading.Event()
    translate = translator.translate_typed
    portions: list[int] = []

    def translate_typed(texts: list[str], decoding: DecodingConfig) -> Any:
        portions.append(len(texts))
        under_way.set()
        assert go_on.wait(60)
        return translate(texts, decoding)

    async def ask(is_left: bool) -> None:
        text = " ".join(f"merci {number}." for number in range(300))
        body = json.dumps({"model": "classroom", "text": text}).encode()
        answer = asyncio.create_task(service.answer("POST", "/translate", body))
        await asyncio.to_thread(under_way.wait, 60)
        if is_left:
            answer.cancel()
        go_on.set()
        await asyncio.gather(answer, return_exceptions=True)

    monkeypatch.setattr(translator, "translate_typed", translate_typed)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, ask(is_left=True)).result()
        asked_for = len(portions)
        pool.submit(asyncio.run, ask(is_left=False)).result()
    assert asked_for == 1 < len(portions) - asked_for
