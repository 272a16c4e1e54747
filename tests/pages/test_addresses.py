"""What an address holds belongs to one page: Streamlit keeps it for every page that has a widget of that name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.pages.conftest import ROOT, OpenPage

NAMING = {"bounded_slider": 4, "choose_step": 1, "edit_sentences": 1}  # our own widgets: place of the key


def keys_in(file: Path) -> Iterator[str]:
    """Of the widgets in a file that are bound to the address, as far as they are written out."""
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
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if "bind" in named:
            key: ast.expr | None = named["key"]
        elif name in NAMING and len(call.args) > NAMING[name]:
            key = call.args[NAMING[name]]
        else:
            continue
        value = constants.get(key.id) if isinstance(key, ast.Name) else getattr(key, "value", None)
        if isinstance(value, str):
            yield value


def test_each_name_in_an_address_belongs_to_one_file() -> None:
    files = defaultdict(set)
    for file in (ROOT / "pages").rglob("*.py"):
        for key in keys_in(file):
            files[key].add(file.relative_to(ROOT).as_posix())
    assert len(files) > 50
    assert {"position", "triangle", "masked_sentence"} <= files.keys()
    assert {key: found for key, found in files.items() if len(found) > 1} == {}


def test_a_long_encoding_leaves_the_masks_alone(open_page: OpenPage) -> None:
    app = open_page("pages/positional_encoding.py")
    app.segmented_control(key="positions").set_value("dots").run()
    app.slider(key="length").set_value(3000).run()
    app.switch_page("pages/masks.py").run()
    app.segmented_control(key="masks").set_value("ahead").run()
    assert not app.exception
    assert app.slider(key="triangle").value == 7
