"""The scripts and styles of this folder, as Streamlit and an exported page take them: as text.

Streamlit serves a component's files only for an installed distribution, and this app is run from its folder. So a module
and what it imports are joined into one text.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from core.language import language

BROWSER = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_SAID = re.compile(r'\bsay\(\s*"([^"\\]+)"')
_EXPORT = re.compile(r"^export (?=async function|function|class|const)", re.MULTILINE)


@cache
def read_style(name: str) -> str:
    """Return a style of this folder."""
    return (BROWSER / f"{name}.css").read_text(encoding="utf-8")


def apply_style(name: str) -> None:
    """Apply a style to the whole page. A figure should fit on the first screen of a projector, 1280 × 720."""
    st.html(f"<style>{read_style(name)}</style>")


@cache
def joined_modules(*names: str) -> str:
    """Return modules, after all that they import, as one text without imports and exports.

    Names at the top of a module must differ from those of the modules beside it.
    """
    return "".join(_EXPORT.sub("", _IMPORT.sub("", _read(name))) for name in modules_in_order(*names))


def modules_in_order(*names: str) -> list[str]:
    """Return the names of modules and of all that they import, each after what it imports."""
    found: dict[str, None] = {}
    for name in names:
        found |= dict.fromkeys([*modules_in_order(*_IMPORT.findall(_read(name))), name])
    return list(found)


def component_script(name: str) -> str:
    """Return the script of a component: its module, in the form that Streamlit calls."""
    return f'{joined_modules("streamlit", name)}export default asComponent(mount, ".{name}");\n'


def page_script(name: str) -> str:
    """Return a module that works on the whole page, as an element of HTML; it starts once in a tab.

    `st.html` (Streamlit 1.67) drops a script in which a letter follows a "<", also in a comment.
    """
    return f"<script>(() => {{\n{joined_modules(name)}start();\n}})();</script>"


@cache
def texts_said(name: str) -> tuple[str, ...]:
    """Return the English texts that a module and all that it imports show: what they `say`."""
    return tuple(dict.fromkeys(_SAID.findall(joined_modules(name))))


def reader_data(name: str) -> dict[str, Any]:
    """Return what a module must know of its reader's language, for `speakTo` of dom.js."""
    reader = language()
    words = {text: reader.texts[text] for text in texts_said(name) if text in reader.texts}
    return {
        "language": reader.code,
        "words": words,
        "decimal": reader.decimal,
        "percent": reader.percent,
    }


def _read(name: str) -> str:
    return (BROWSER / f"{name}.js").read_text(encoding="utf-8")
