"""Markup of figures that are HTML: elements with escaped attributes, and the styles of a figure."""

from html import escape
from pathlib import Path


def element(name: str, *content: str, **attributes: object) -> str:
    """Return an element.

    Args:
        name: its name, like "td".
        content: markup.
        attributes: plain text, escaped here, by names like `class_` and `aria_label`; empty ones are left out.
    """
    named = (
        f' {key.removesuffix("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value
    )
    return f"<{name}{''.join(named)}>{''.join(content)}</{name}>"


def style_of(figure: str, more: str = "") -> str:
    """Return the styles of a figure: the CSS file beside this one, and rules with the colors of the theme."""
    css = (Path(__file__).parent / f"{figure}.css").read_text(encoding="utf-8")
    return element("style", css, more)
