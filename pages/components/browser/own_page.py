"""A page of our own, beside the app: one HTML text with its style, its script and its data, which loads nothing."""

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

from core.language import language
from pages.components.browser.files import page_script, read_style


class OwnPage(NamedTuple):
    """What a page is made of."""

    title: str
    script: str  # in ASCII: a page in a page without an encoding of its own has the same digest
    style: str
    texts: Mapping[str, str]  # data for the script, by id; in base64 or JSON without "<"

    def html(self, policy: str = "") -> str:
        """Return the page; the policy is in it where no server sends it."""
        meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
        held = "".join(
            f'<script type="text/plain" id="{name}">{text}</script>' for name, text in self.texts.items()
        )
        return (
            f'<!doctype html><html lang="{language().code}"><head><meta charset="utf-8">{meta}'
            f"<title>{_in_ascii(escape(self.title))}</title>"
            '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
            f"<style>{self.style}</style></head><body><main></main>{held}<script>{self.script}</script></body></html>"
        )

    def policy(self, images: str = "data:") -> str:
        """Return what the page may do: run its own style and script, and show pictures that it has itself."""
        return (
            f"default-src 'none'; style-src '{_digest(self.style)}'; script-src '{_digest(self.script)}'; "
            f"img-src {images}; base-uri 'none'; form-action 'none'"
        )


def own_page(name: str, title: str, styles: tuple[str, ...], texts: Mapping[str, str]) -> OwnPage:
    """Return a page that a module for the whole page draws, with styles of this folder."""
    script = page_script(name).removeprefix("<script>").removesuffix("</script>")
    ascii_script = script.encode("ascii", "backslashreplace").decode()
    return OwnPage(title, ascii_script, "".join(map(read_style, styles)), texts)


def held_as_json(values: Mapping[str, Any]) -> str:
    """Return values as JSON in ASCII that ends no element."""
    return json.dumps(values, separators=(",", ":")).replace("<", "\\u003c")


def _in_ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
