"""The service without Ray around it."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.cluster.translation_service import TranslationService, max_request_bytes
from core.inference.translator import Translator
from core.server.settings import Settings

LIMITS = Settings(max_text=20_000)


@pytest.fixture(scope="module")
def service(checkpoint: Checkpoint) -> TranslationService:
    return TranslationService({"classroom": checkpoint.translator()}, LIMITS, cpus=1)


def post(service: TranslationService, path: str, values: Any) -> tuple[int, Any]:
    body = values if isinstance(values, bytes) else json.dumps(values).encode()
    with ThreadPoolExecutor(1) as pool:  # in this thread a browser's event loop may run
        return pool.submit(asyncio.run, service.answer("POST", path, body)).result()


def test_a_text_of_several_sentences_is_answered(service: TranslationService) -> None:
    text = "un livre\nun chat"
    status, values = post(service, "/translate", {"model": "classroom", "text": text, "beam_size": 3})
    assert status == 200 and values["model"] == "classroom"
    assert [each["source"] for each in values["sentences"]] == ["un livre", "un chat"]
    assert values["translation"] == " ".join(each["hypotheses"][0]["text"] for each in values["sentences"])
    assert [len(each["hypotheses"]) for each in values["sentences"]] == [3, 3]


@pytest.mark.parametrize(
    ("path", "changes", "status", "named"),
    [
        ("/translate", {"model": "other"}, 404, "classroom"),
        ("/other", {}, 404, "/translate"),
        ("/translate", {"beam_size": 99}, 400, "beam_size"),
        ("/translate", {"text": 5}, 400, "text"),
        ("/translate", {"text": "…"}, 400, ""),
        ("/translate", {"text": "\ud800"}, 400, ""),
        ("/translate", {"text": "a" * 20_001}, 413, "20,000"),
        ("/translate", {"text": "a" * 10_001, "beam_size": 4}, 413, "10,000"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_has_a_status_and_a_sentence(
    service: TranslationService, path: str, changes: dict[str, Any], status: int, named: str
) -> None:
    found, answer = post(service, path, {"model": "classroom", "text": "un livre", **changes})
    assert found == status and answer["error"] and named in answer["error"]


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b"5", b"[" * 10**5, b'{"text": NaN}'])
def test_a_body_that_is_no_request_is_refused(service: TranslationService, body: bytes) -> None:
    assert post(service, "/translate", body)[0] == 400


def test_every_text_within_the_limit_fits_into_a_request() -> None:
    settings = Settings(max_text=100)
    assert len(json.dumps({"text": "😀" * settings.max_text})) <= max_request_bytes(settings)


def test_a_closed_connection_stops_the_rest_of_a_text(
    service: TranslationService, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, go_on = threading.Event(), threading.Event()
    translate = Translator.translate
    batches: list[int] = []

    def watched(self: Translator, texts: list[str], *others: Any, **options: Any) -> Any:
        batches.append(len(texts))
        under_way.set()
        assert go_on.wait(60)
        return translate(self, texts, *others, **options)

    async def ask(is_left: bool) -> None:
        text = " ".join(f"merci {number}." for number in range(100))
        body = json.dumps({"model": "classroom", "text": text}).encode()
        answer = asyncio.create_task(service.answer("POST", "/translate", body))
        await asyncio.to_thread(under_way.wait, 60)
        if is_left:
            answer.cancel()
        go_on.set()
        await asyncio.gather(answer, return_exceptions=True)

    monkeypatch.setattr(Translator, "translate", watched)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, ask(is_left=True)).result()
        asked_for = len(batches)
        pool.submit(asyncio.run, ask(is_left=False)).result()
    assert asked_for == 1 < len(batches) - asked_for
