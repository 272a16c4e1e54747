"""What a browser makes of Markdown: the pictures that it would fetch, and the links."""

import re
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt
from streamlit.testing.v1 import AppTest

_COMMONMARK = MarkdownIt("commonmark").enable(["table", "strikethrough"])

# What Streamlit's mdast-util-gfm-autolink-literal looks for in text that has been read already.
_LITERAL = re.compile(
    r"(?:https?://|www(?=\.))[-.\w]+[^ \t\r\n]*|[-.\w+]+@[-\w]+(?:\.[-\w]+)+", re.IGNORECASE
)

# Fields of Streamlit's messages that are Markdown, and elements that have none.
_MARKDOWN = {"body", "label", "help", "text", "content", "caption", "toggle_label"}
_OTHER = {"html", "code", "arrow_data_frame", "plotly_chart", "component_instance", "iframe", "text"}


def addresses_in(markdown: str) -> list[str]:
    """Return the addresses of all pictures and links, plain addresses in the text included."""
    found: list[str] = []
    for block in _COMMONMARK.parse(markdown):
        text = ""
        for token in block.children or []:
            found += [str(token.attrs[name]) for name in ("src", "href") if name in token.attrs]
            text += token.content if token.type in ("text", "text_special") else "\n"
        found += _LITERAL.findall(text)
    return found


def addresses_on(app: AppTest) -> list[str]:
    """Return the same for all Markdown of a page, labels included."""
    protos = [element.proto for element in _elements(app._tree)]
    return [address for proto in protos for text in _texts(proto) for address in addresses_in(text)]


def _elements(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        if child.proto is not None and child.type not in _OTHER:
            yield child
        yield from _elements(child)


def _texts(proto: Any) -> Iterator[str]:
    for field, value in proto.ListFields():  # of protobuf, which has no types
        values = value if field.is_repeated else [value]
        for each in values:
            if hasattr(each, "ListFields"):
                yield from _texts(each)
            elif isinstance(each, str) and field.name in _MARKDOWN:
                yield each
