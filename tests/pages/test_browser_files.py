"""The browser's modules, joined into the texts that Streamlit and an exported page run."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from pages.components.browser.files import BROWSER, component_script, modules_in_order, page_script

MODULES = {path.stem: path.read_text(encoding="utf-8") for path in BROWSER.glob("*.js")}
COMPONENTS = [name for name, text in MODULES.items() if "export function mount(" in text]
SCRIPTS = [name for name, text in MODULES.items() if "export function start(" in text]
JOINED = [*map(component_script, COMPONENTS), *map(page_script, SCRIPTS)]


@pytest.mark.parametrize("text", JOINED, ids=[*COMPONENTS, *SCRIPTS])
def test_names_of_joined_modules_differ(text: str) -> None:
    """A name that is declared twice would keep the whole text from running."""
    declared = re.findall(r"^(?:async )?(?:function|class|const|let) ([\w$]+|\[[^\]]+\])", text, re.MULTILINE)
    names = Counter(name for each in declared for name in re.findall(r"[\w$]+", each))
    assert len(names) > 1
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("text", JOINED, ids=[*COMPONENTS, *SCRIPTS])
def test_nothing_is_left_to_import(text: str) -> None:
    """A form of import or export that the joining does not know would stay."""
    assert re.findall(r"^(?:import|export (?!default asComponent)).*", text, re.MULTILINE) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_streamlit_does_not_drop_a_script(name: str) -> None:
    """`st.html` would, without a word."""
    body = page_script(name).removeprefix("<script>").removesuffix("</script>")
    assert re.findall(r"<[/\w!].*", body) == []


def test_a_module_comes_once_and_after_what_it_imports() -> None:
    found = modules_in_order("streamlit", "stage")
    assert len(found) == len(set(found)) > 3
    for place, name in enumerate(found):
        assert set(re.findall(r'from "\./(\w+)\.js"', MODULES[name])) <= set(found[:place])


def test_every_module_is_used() -> None:
    used = {each for name in (*COMPONENTS, *SCRIPTS) for each in modules_in_order("streamlit", name)}
    assert used == MODULES.keys() - {"eslint.config"}
