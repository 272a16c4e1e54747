"""The app driven without a browser. Each test is a session of its own; the caches are one server's."""

import html
import re
import sys
import time
from collections.abc import Callable, Generator
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.manifest_scanner import scan_component_manifests
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.local_script_runner import require_widgets_deltas

from core.checkpoints import shipped
from core.checkpoints.checkpoint import Checkpoint
from core.corpora.catalogue import find_corpus
from core.corpora.corpus import Split
from core.language_model.model import LanguageModel
from core.language_model.training import prepare_texts
from core.presets import CLASSROOM
from core.records.text import Pair
from core.server import corpora
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingJob
from core.server.translation_job import TranslationJob
from core.server.workspace import Workspace
from core.weights import initial_weights
from pages.components.frame.memory import PageMemory, memory_of
from pages.components.model import sentence
from pages.content.pages import PageEntry
from tests.conftest import numbers

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "pages" / "components" / "shell" / "app.py"
PATIENCE = 300  # seconds a run of a page may take; machines that run tests are slow
# What some messages are about, by their icons.
EARLIER = ":material/history:"  # the results with earlier pairs or settings
IGNORED_LINK = ":material/link_off:"  # a value of an address that was ignored
OpenPage = Callable[..., AppTest]  # as `open_page`


def open_page(file: str = "pages/home.py", *, own: TrainedModel | None = None, **values: Any) -> AppTest:
    """Open a page in a session of its own.

    Args:
        file: of the page.
        own: a model that this tab has made or opened, and chosen.
        values: what has been chosen in it, by the widgets' keys.
    """
    app = AppTest.from_file(SCRIPT, default_timeout=PATIENCE)
    if own is not None:
        app.session_state["workspace"] = Workspace()
        workspace_of(app).models.open(own)
    return go_to(app, file, **values)


def linked(file: str, **address: str | list[str]) -> AppTest:
    """Return the page as a browser opens it by a link."""
    app = AppTest.from_file(SCRIPT, default_timeout=PATIENCE)
    app.query_params.update(address)
    return go_to(app, file)


def go_to(app: AppTest, file: str, **values: Any) -> AppTest:
    """Another page of the same tab."""
    return change(app.switch_page(str(ROOT / file)), **values)


def by_step(app: AppTest, page: PageEntry, **choices: Any) -> AppTest:
    """Show a page in the same tab, as a lesson's step that asks for these values does."""
    app.session_state["opened_choices"], app.session_state["opened_page"] = choices, page.address
    return go_to(app, page.file)


def change(app: AppTest, **values: Any) -> AppTest:
    """Choose something else, by the widgets' keys."""
    for key, value in values.items():
        app.query_params.pop(key, None)  # a browser changes it; AppTest (1.67) keeps it, and it would win
        menu = next((each for each in app.selectbox if each.key == key), None)
        if menu is None:
            app.session_state[key] = value
        else:
            menu.set_value(value)  # so that what listens to the menu hears of it
    app.run()
    app._page_hash = ""  # where the app goes is where it stays; else AppTest would go back
    assert not app.exception
    return app


def workspace_of(app: AppTest) -> Workspace:
    workspace: Workspace = app.session_state["workspace"]
    return workspace


def training_of(app: AppTest) -> TrainingJob:
    job = workspace_of(app).jobs.training
    assert job is not None
    return job


def translation_of(app: AppTest) -> TranslationJob:
    """Return the job of the text that the page shows."""
    job = workspace_of(app).jobs.translation
    assert job is not None
    return job


def remembered(app: AppTest) -> PageMemory:
    """Return what the pages remember of a tab."""
    return memory_of(workspace_of(app))


def texts(app: AppTest) -> str:
    """Everything the page says in words."""
    boxes = (*app.info, *app.success, *app.warning, *app.error)
    elements = (*app.title, *app.subheader, *app.markdown, *app.caption, *boxes)
    return "\n".join(element.value for element in elements)


def numbers_said(app: AppTest) -> list[list[str]]:
    """Return the numbers of each text of a page, whatever stands between them."""
    elements = (
        *app.title,
        *app.subheader,
        *app.markdown,
        *app.caption,
        *app.info,
        *app.success,
        *app.warning,
    )
    return [numbers(element.value) for element in elements]


def score(app: AppTest) -> list[str]:
    """Return the numbers in large letters: how many answers are right, and of how many."""
    return [number for each in app.markdown if each.value.startswith("# ") for number in numbers(each.value)]


def column(app: AppTest, number: int) -> list[str]:
    """Return the cells of a column of a table of sentences, the first of which has the number 0."""
    (table,) = (body for each in app.get("html") if 'class="sentences"' in (body := each.proto.body))
    rows = (re.findall("<td.*?>(.*?)</td>", row, re.DOTALL) for row in table.split("<tr>")[2:])
    return [html.unescape(row[number]) for row in rows]


def warned(app: AppTest) -> list[str]:
    """Return the icons of the warnings, each of which stands for one kind."""
    return [warning.icon for warning in app.warning]


def error_of(app: AppTest) -> str:
    """Return the first error without the backslashes that escape Markdown."""
    return str(app.error[0].value).replace("\\", "")


def targets(app: AppTest) -> list[str]:
    """Return the addresses of the pages to which there are links; Home's is empty."""
    return [link.page for link in app.page_link]


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click()
    return change(app)


def keys_of(app: AppTest) -> set[str]:
    """Return the keys of the buttons."""
    return {str(button.key) for button in app.button}


def upload(app: AppTest, key: str, name: str, data: bytes) -> AppTest:
    uploader = next(uploader for uploader in app.file_uploader if uploader.key == key)
    uploader.set_value((name, data, "application/octet-stream"))
    return change(app)


def wait_for_training(app: AppTest) -> AppTest:
    """However long it takes: pytest's own limit ends a test that hangs."""
    job = training_of(app)
    while job.state().active:
        time.sleep(0.1)
    return change(app)


@pytest.fixture
def downloaded(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], bytes]:
    """Return a function that returns what the button of the last run saves in a file with this ending."""
    button = Mock(wraps=st.download_button)
    monkeypatch.setattr(st, "download_button", button)

    def file(ending: str) -> bytes:
        files = (call.args[1] for call in reversed(button.call_args_list) if call.args[2].endswith(ending))
        content = next(files)()
        return content.encode() if isinstance(content, str) else content

    return file


@pytest.fixture(scope="session", autouse=True)
def as_on_a_server() -> Generator[None]:
    """AppTest (1.67) begins each run as a server its first.

    It looks for components in every installed package and compiles the scripts, and meanwhile asks a thousand times a
    second whether the run is over.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(scan_component_manifests))
        patch.setattr(local_script_runner, "ScriptCache", cache(local_script_runner.ScriptCache))
        patch.setattr(local_script_runner, "require_widgets_deltas", wait_for_run)
        yield


def wait_for_run(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    thread = runner._script_thread
    assert thread is not None
    thread.join(timeout)
    require_widgets_deltas(runner, timeout=1.0)  # raises where the run is not over


@pytest.fixture(autouse=True)
def pages_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """For texts, however long: nothing runs a page again after a while, as a browser does."""
    monkeypatch.setattr(sentence, "_WAIT_SECONDS", PATIENCE)


@cache
def beginning_of(name: str, split: Split) -> tuple[Pair, ...]:
    """Pairs enough for any page: the validation split of TED's is whole."""
    return tuple(islice(find_corpus(name).read(split), 1_200))


@pytest.fixture(autouse=True)
def without_tensorflow_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as on Windows."""
    monkeypatch.setitem(sys.modules, "tensorflow_text", None)


@pytest.fixture(autouse=True)
def short_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading and counting 100,000 pairs takes each process seconds; the browser's server does."""
    monkeypatch.setattr(corpora, "_read", beginning_of)


@pytest.fixture(autouse=True)
def nothing_shipped(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the shipped models, unless a test asks for `with_shipped`."""
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path_factory.mktemp("pretrained"))


@pytest.fixture
def with_shipped(nothing_shipped: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the shipped models."""
    monkeypatch.setattr(shipped, "PRETRAINED", ROOT / "core" / "pretrained")


@pytest.fixture
def open_trained(checkpoint: Checkpoint) -> OpenPage:
    """Return a function that opens a page with the trained classroom model as the current one."""
    return partial(open_page, own=TrainedModel("Classroom", checkpoint))


@cache
def untrained_decoder() -> LanguageModel:
    """Return a decoder alone for the classroom's pairs, before its training."""
    prepared = prepare_texts(CLASSROOM.pairs, CLASSROOM.model, CLASSROOM.training)
    return prepared.language_model(initial_weights(prepared.model, 1))
