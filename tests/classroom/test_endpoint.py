"""The app's side of an endpoint, against a small HTTP server of the standard library. Needs no Ray."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.classroom.endpoint.client import Endpoint, EndpointError, EndpointTranslator
from core.classroom.endpoint.requests import TranslateRequest
from core.classroom.settings import server_settings
from core.classroom.trained_model import TrainedModel
from core.config import SAMPLING, DecodingConfig
from core.decoding.text.translation_error import TranslationError
from tests.cluster.service import service_of
from tests.conftest import ChangeSetting, subword_checkpoint
from tests.pages.conftest import ROOT

if TYPE_CHECKING:
    from core.cluster.translation_service import TranslationService
    from core.decoding.translator import Translator
    from core.storage.checkpoint import Checkpoint

BEAM = DecodingConfig(beam_size=3)
Answers = Callable[[str, str, bytes], tuple[int, bytes]]


class Server(ThreadingHTTPServer):
    """Answers as a test says; counts the requests."""

    def __init__(self, answers: Answers) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(self.path)
        status, data = self.server.answers("POST", self.path, body)
        with suppress(ConnectionError):  # a client that has stopped waiting
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def answers_of(service: TranslationService) -> Answers:
    def answers(method: str, path: str, body: bytes) -> tuple[int, bytes]:
        status, values = asyncio.run(service.answer(method, path, body))
        return status, json.dumps(values).encode()

    return answers


@pytest.fixture
def serve() -> Iterator[Callable[[Answers], Server]]:
    servers: list[Server] = []

    def start(answers: Answers) -> Server:
        server = Server(answers)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def served(serve: Callable[[Answers], Server], translator: Translator) -> Server:
    """An endpoint with the classroom model, without Ray around it."""
    return serve(answers_of(service_of(translator)))


def remote(server: Server, checkpoint: Checkpoint, seconds: float = 30.0) -> EndpointTranslator:
    return EndpointTranslator(Endpoint(server.address, seconds), "classroom", checkpoint)


@pytest.mark.slow
def test_it_translates_as_the_model_in_this_process_does(
    served: Server, checkpoint: Checkpoint, translator: Translator
) -> None:
    sentences = [pair.source for pair in checkpoint.examples[:3]]
    found = remote(served, checkpoint).translate_typed(sentences, BEAM)
    expected = translator.translate_typed(sentences, BEAM)
    assert [each.source for each in found] == sentences
    for ours, theirs in zip(found, expected, strict=True):
        assert len(ours.hypotheses) > 1
        assert [h.ids for h in ours.hypotheses] == [h.ids for h in theirs.hypotheses]
        assert ours.text == theirs.text and ours.source_tokens == theirs.source_tokens
        assert ours.best.score == pytest.approx(theirs.best.score, abs=1e-4)
    assert len(served.asked) == len(sentences)


@pytest.mark.parametrize("name", sorted(DecodingConfig().to_dict().keys() - set(SAMPLING)))
def test_no_option_of_a_search_is_lost_on_the_way(name: str) -> None:
    """Samples are drawn in the app."""
    changed = {"beam_size": 3, "length_penalty": 1.4}  # a new option: another value than its default
    request = TranslateRequest("classroom", "merci", DecodingConfig(**{name: changed[name]}))  # type: ignore[arg-type]
    assert TranslateRequest.from_json(request.to_json(), server_settings()) == request


def test_it_explains_the_translation_it_is_given(
    served: Server, checkpoint: Checkpoint, translator: Translator
) -> None:
    translation = translator.translate_typed([checkpoint.examples[0].source])[0]
    found, expected = remote(served, checkpoint).explain(translation), translator.explain(translation)
    assert found.attention is not None and expected.attention is not None
    np.testing.assert_allclose(found.attention.cross, expected.attention.cross, atol=1e-5)
    assert found.attention.predicted_tokens == expected.attention.predicted_tokens
    assert [[each.token for each in step] for step in found.candidates] == [
        [each.token for each in step] for step in expected.candidates
    ]
    assert found.hypotheses == translation.hypotheses


def test_what_cannot_be_read_is_refused_without_a_request(served: Server, checkpoint: Checkpoint) -> None:
    with pytest.raises(TranslationError, match="There are no words") as caught:
        remote(served, checkpoint).check([checkpoint.examples[0].source, "…"])
    assert caught.value.row == 1
    with pytest.raises(TranslationError, match="There are no words"):
        remote(served, subword_checkpoint()).check(["??"])  # which its tokenizer knows
    assert served.asked == []


def test_a_refusal_is_said_in_the_endpoints_words(
    serve: Callable[[Answers], Server], checkpoint: Checkpoint
) -> None:
    server = serve(lambda *_: (404, b'{"error": "There is no such model."}'))
    with pytest.raises(EndpointError, match=r"^There is no such model\.$"):
        remote(server, checkpoint).translate_typed(["un livre"])
    assert len(server.asked) == 1


def test_a_request_is_repeated_where_its_replica_died(
    served: Server, serve: Callable[[Answers], Server], checkpoint: Checkpoint
) -> None:
    tries = iter(range(10))

    def answers(method: str, path: str, body: bytes) -> tuple[int, bytes]:
        return served.answers(method, path, body) if next(tries) == 2 else (500, b"Internal Server Error")

    server = serve(answers)
    source = checkpoint.examples[0].source
    assert remote(server, checkpoint).translate_typed([source])[0].source == source
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    "answer",
    [b"", b"[]", b"{}", b'{"sentences": []}', b'{"sentences": [{"source": "a"}]}', b"\xff", b"[" * 10**5],
)
def test_an_answer_of_something_else_is_a_sentence(
    serve: Callable[[Answers], Server], checkpoint: Checkpoint, answer: bytes
) -> None:
    model = remote(serve(lambda *_: (200, answer)), checkpoint)
    with pytest.raises(EndpointError, match="does not understand"):
        model.translate_typed(["un livre"])


def test_nobody_there_is_a_sentence(checkpoint: Checkpoint) -> None:
    model = EndpointTranslator(Endpoint("http://127.0.0.1:9", 0.3), "classroom", checkpoint)
    with pytest.raises(EndpointError, match=r"cannot be reached at the moment\. Try again"):
        model.translate_typed(["un livre"])


def test_an_answer_that_never_comes_is_a_sentence(
    serve: Callable[[Answers], Server], checkpoint: Checkpoint
) -> None:
    over = threading.Event()

    def answers(*_: Any) -> tuple[int, bytes]:
        over.wait(30)
        return 200, b"{}"

    model = remote(serve(answers), checkpoint, seconds=0.3)
    try:
        with pytest.raises(EndpointError, match="cannot be reached"):
            model.translate_typed(["un livre"])
    finally:
        over.set()


def test_own_models_never_leave_this_process(checkpoint: Checkpoint, change_setting: ChangeSetting) -> None:
    change_setting("endpoint", "http://127.0.0.1:9")
    own, shipped = TrainedModel("a", checkpoint), TrainedModel("b", checkpoint, shipped_as="b")
    assert own.translator is own.local_translator
    assert isinstance(shipped.translator, EndpointTranslator)


_WALK = """
import sys
from pathlib import Path
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

original = PagesManager.__init__
def begin(self, *arguments, **options):  # as tests/pages/conftest.py
    original(self, *arguments, **options)
    PagesManager.uses_pages_directory = False
PagesManager.__init__ = begin
app = AppTest.from_file("streamlit_app.py", default_timeout=300)
app.run()
for page in ("pages/translate.py", "pages/attention_maps.py"):
    app.switch_page(page).run()
    assert not app.exception, app.exception
    print(page, [each.value for each in app.error], [each.value for each in app.subheader])
print("tensorflow", "tensorflow" in sys.modules)
"""


def walk(address: str, seconds: int) -> str:
    """Open Translate and Attention maps in a process of its own whose app has an endpoint."""
    environment = {
        **os.environ,
        "TRANSFORMER_CLASSROOM_ENDPOINT": address,
        "TRANSFORMER_CLASSROOM_MAX_ENDPOINT_SECONDS": str(seconds),
    }
    done = subprocess.run(
        [sys.executable, "-c", _WALK], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_pages_with_an_endpoint_leave_tensorflow_unloaded(serve: Callable[[Answers], Server]) -> None:
    from core.storage.checkpoint import Checkpoint
    from core.storage.shipped import FIRST, find_checkpoint

    translator = Checkpoint.load(find_checkpoint(FIRST)).translator()
    server = serve(answers_of(service_of(translator, name=FIRST)))
    said = walk(server.address, 300)
    assert "tensorflow False" in said
    assert "translate.py [] [" in said and "attention_maps.py [] [" in said
    assert {"/translate", "/explain"} == set(server.asked)


@pytest.mark.slow
def test_pages_without_their_endpoint_say_so() -> None:
    said = walk("http://127.0.0.1:9", 1)
    assert said.count("cannot be reached at the moment") == 2
    assert "tensorflow False" in said
