"""What an address holds: short keys, each of one page, that older links and nonsense cannot break."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.app.menu import PageEntry
from tests.pages.conftest import ROOT, OpenPage
from tests.pages.old_links import OLD_LINKS, Address, Link

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

NONSENSE = ("", "1e309", "-1", "nan", "<b>", "9" * 3000)


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


def address_of(app: AppTest) -> dict[str, str]:
    return {key: value if isinstance(value, str) else value[-1] for key, value in app.query_params.items()}


def test_each_name_in_an_address_belongs_to_one_file() -> None:
    files = defaultdict(set)
    for file in (ROOT / "pages").rglob("*.py"):
        for key in keys_in(file):
            files[key].add(file.relative_to(ROOT).as_posix())
    assert len(files) > 50
    assert {"position", "triangle", "masked_sentence", "curves", "channels", "x", "count"} <= files.keys()
    assert {key: found for key, found in files.items() if len(found) > 1} == {}


@pytest.mark.parametrize("link", OLD_LINKS, ids=lambda link: "-".join((link[0].title, *link[2])))
def test_old_links_open_and_new_ones_are_short(with_shipped: None, link: Link) -> None:
    page, old, values = link
    app = opened(page, old)
    assert {key: app.session_state[key] for key in values} == values
    new: Address = {**address_of(app)}
    texts = {text for text in values.values() if isinstance(text, str)}
    assert all(" " not in text and "→" not in text for text in new.values() if text not in texts)
    assert new.keys() <= values.keys()  # what is as it is at first is left out
    app = opened(page, new)
    assert {key: app.session_state[key] for key in values} == values


@pytest.mark.parametrize("link", OLD_LINKS, ids=lambda link: "-".join((link[0].title, *link[2])))
def test_nonsense_breaks_no_page(link: Link) -> None:
    page, old, _ = link
    app = opened(page, old)
    for nonsense in NONSENSE:
        for key in list(old)[1:] or old:  # the first is the view
            app.query_params[key] = nonsense
        app.run()
        assert not app.exception, (nonsense, app.exception)


def test_a_long_encoding_leaves_the_masks_alone(open_page: OpenPage) -> None:
    app = open_page("pages/positional_encoding.py")
    app.segmented_control(key="positions").set_value("dots").run()
    app.slider(key="length").set_value(3000).run()
    app.switch_page("pages/masks.py").run()
    app.segmented_control(key="masks").set_value("causal").run()
    assert not app.exception
    assert app.slider(key="triangle").value == 7
