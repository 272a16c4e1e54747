"""What an address holds: short keys, each of one page, that nonsense cannot break."""

from __future__ import annotations

import ast
import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.classroom.models import TrainedModel
from core.records import Pair
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from pages.components.app.menu import (
    ATTENTION_MAPS,
    CHECKPOINTS,
    DATA,
    EVALUATE,
    HOME,
    TRAIN,
    TRANSLATE,
    PageEntry,
)
from pages.components.widgets import memory
from tests.pages.conftest import ROOT, OpenPage, workspace_of
from tests.pages.markdown import addresses_on
from tests.pages.view_links import LINKS, Link

KEY_PLACES = {
    "Memory": 0,
    "edit_numbers": 0,
    "choose_step": 1,
    "edit_sentences": 1,
    "toggle": 2,
    "text_input": 2,
    "choose": 2,
    "choose_several": 2,
    "slider": 4,
    "number_input": 4,
}
"""Our own widgets: the place of the key among their arguments."""

EVIL = "evil.example"
HOSTILE_TEXT = (
    f"![a](http://{EVIL}/1.png) ![b [c] d][r] <img src=http://{EVIL}/2.png> [e](http://{EVIL}) www.{EVIL} "
    f"HTTPS://{EVIL}/3 me@{EVIL} mailto:me@{EVIL} <http://{EVIL}> $\\href{{http://{EVIL}}}{{f}}$ :red[g]\n\n[r]: http://{EVIL}"
)
NONSENSE = ("", "1e309", "-1", "nan", "9" * 3000, "x" * 100_000, "1_0", "\x00", "; , = %", HOSTILE_TEXT)


def keys_in(file: Path) -> Iterator[str]:
    """The keys of the widgets with a memory in a file, as far as they are written out."""
    tree = ast.parse(file.read_text())
    constants = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        of_streamlit = isinstance(function, ast.Attribute) and ast.unparse(function.value) != "remembered"
        key = named.get("key") if "bind" in named or not of_streamlit else None
        if name in KEY_PLACES and not of_streamlit and len(call.args) > KEY_PLACES[name]:
            key = call.args[KEY_PLACES[name]]
        value = constants.get(key.id) if isinstance(key, ast.Name) else getattr(key, "value", None)
        if isinstance(value, str) and (name in KEY_PLACES or "bind" in named):
            yield value


def opened(page: PageEntry, address: Mapping[str, str | list[str]]) -> AppTest:
    """A page as a fresh browser opens it."""
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page(page.file)
    for key, value in address.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def test_each_name_in_an_address_belongs_to_one_file() -> None:
    files = defaultdict(set)
    for file in (ROOT / "pages").rglob("*.py"):
        for key in keys_in(file):
            files[key].add(file.relative_to(ROOT).as_posix())
    assert len(files) > 50
    assert {"position", "triangle", "masked_sentence", "curves", "channels", "x", "count"} <= files.keys()
    assert {key: found for key, found in files.items() if len(found) > 1} == {}


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that pages look for in the address, collected while they run."""
    names: set[str] = set()
    original = memory.read_address

    def collect(name: str) -> str | None:
        names.add(name)
        return original(name)

    monkeypatch.setattr(memory, "read_address", collect)
    return names


def check_nonsense(app: AppTest, names: set[str], values: Sequence[str] = NONSENSE) -> None:
    """No value under any of the names stops the page, or becomes a picture or a link."""
    for nonsense in values:
        for name in sorted(names):
            app.query_params[name] = nonsense
        app.run()
        assert not app.exception, (nonsense[:80], names, app.exception)
        assert [address for address in addresses_on(app) if EVIL in address] == []


@pytest.mark.slow
@pytest.mark.parametrize("link", LINKS, ids=lambda link: "-".join((link[0].title, *link[1])))
def test_nonsense_breaks_no_page(with_shipped: None, link: Link, asked_for: set[str]) -> None:
    page, address = link
    app = opened(page, address)
    assert address.keys() <= asked_for
    left = dict(app.query_params.items())
    assert left.keys() <= address.keys()  # what is as it is at first is left out
    assert all(address[key] in (value, *value) for key, value in left.items())
    check_nonsense(app, asked_for - {next(iter(address))})  # all but the first, which is the view
    check_nonsense(app, {next(iter(address))}, NONSENSE[-1:])


def hostile(checkpoint: Checkpoint) -> TrainedModel:
    """A model whose words, examples, name and card all are addresses, as somebody might have made it."""
    words = (f"http://{EVIL}/{n}" if n % 2 else f"www.{EVIL}" * n for n in range(100))
    source, target = checkpoint.source_tokenizer.vocabulary, checkpoint.target_tokenizer.vocabulary
    bad = Vocabulary((*target.tokens[:4], *list(words)[2 : len(target) - 2]))
    return TrainedModel(
        f"![n](http://{EVIL}) www.{EVIL}",
        dataclasses.replace(
            checkpoint,
            source_tokenizer=WordTokenizer(source),
            target_tokenizer=WordTokenizer(bad),
            examples=(Pair(HOSTILE_TEXT, HOSTILE_TEXT), checkpoint.examples[0]),
            card=HOSTILE_TEXT,
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "address"),
    [
        (TRANSLATE, {"sentence": "bonne nuit", "search": "beam"}),
        (TRANSLATE, {"mode": "lines", "lines": "bonne nuit"}),
        (ATTENTION_MAPS, {}),
        (TRAIN, {}),
        (EVALUATE, {}),
        (DATA, {"corpus": "toy"}),
        (CHECKPOINTS, {}),
    ],
    ids=lambda value: value.title if isinstance(value, PageEntry) else "-".join(value),
)
def test_nonsense_and_a_hostile_model_break_no_working_page(
    page: PageEntry, address: dict[str, str], checkpoint: Checkpoint, asked_for: set[str]
) -> None:
    app = opened(HOME, {})
    asked_for.clear()
    workspace_of(app).open_model(hostile(checkpoint))
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(page.file).run()
    for button in app.button:
        if button.label in ("Translate", "Translate all lines"):
            button.click()
    app.run()
    assert not app.exception
    check_nonsense(app, asked_for - address.keys())
    check_nonsense(app, set(address), NONSENSE[-1:])


def test_a_long_encoding_leaves_the_masks_alone(open_page: OpenPage) -> None:
    app = open_page("pages/positional_encoding.py")
    app.segmented_control(key="positions").set_value("dots").run()
    app.slider(key="length").set_value(3000).run()
    app.switch_page("pages/masks.py").run()
    app.segmented_control(key="masks").set_value("causal").run()
    assert not app.exception
    assert app.slider(key="triangle").value == 7
