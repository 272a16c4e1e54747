"""The browser's modules, joined into the texts that Streamlit and an exported page run."""

import re

import pytest

from pages.components.browser.files import BROWSER, modules_in_order, page_script, texts_said

MODULES = {path.stem: path.read_text(encoding="utf-8") for path in BROWSER.glob("*.js")}
COMPONENTS = [name for name, text in MODULES.items() if "export function mount(" in text]
SCRIPTS = [name for name, text in MODULES.items() if "export function start(" in text]


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name not in ("page", "phone")])  # ours
def test_streamlit_does_not_drop_a_script(name: str) -> None:
    """`st.html` would, without a word."""
    body = page_script(name).removeprefix("<script>").removesuffix("</script>")
    assert re.findall(r"<[/\w!].*", body) == []


def test_every_module_is_used() -> None:
    used = {each for name in (*COMPONENTS, *SCRIPTS) for each in modules_in_order("streamlit", name)}
    assert used == MODULES.keys() - {"eslint.config"}


def test_every_text_of_a_script_is_found_to_be_translated() -> None:
    for name, text in MODULES.items():
        said = re.findall(r"(?<!function )\bsay\(\s*(.*)", text)
        assert all(re.match(r'"[^"\\]+"[,)]', each) for each in said), name
        assert all(each.split('"')[1] in texts_said(name) for each in said)
    assert {*texts_said("player")} - {*texts_said("stage")}, "each has its own"
