"""A table of sentences, page by page, whose texts wrap; on a phone, the cells of a row stand below each other."""

import html
import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

import streamlit as st

from core.language import _, number
from pages.components.browser.files import read_style
from pages.components.widgets.state import has_changed, number_input, set_value

_PAGE_ROWS = 50

Row = TypeVar("Row")


def choose_page(rows: Sequence[Row], key: str, order: object) -> Sequence[Row]:
    """Show a box for the number of the page if there are several, and return the rows of that page.

    Args:
        rows: all rows.
        key: the box's key, also in the address.
        order: what the rows are; when it changes, the first page is shown.
    """
    pages = max(1, math.ceil(len(rows) / _PAGE_ROWS))
    if has_changed(f"{key}_order", order):
        set_value(key, 1)
    if pages == 1:
        return rows
    page = number_input(_("Page of {count}").format(count=number(pages, ",")), 1, pages, 1, key=key)
    return rows[(page - 1) * _PAGE_ROWS : page * _PAGE_ROWS]


def show_sentences(columns: Mapping[str, Sequence[object]], label: str) -> None:
    """Show the cells of columns, sentences or numbers as text, by their titles; `label` is for screen readers."""
    head = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in columns)
    body = "".join(
        "<tr>" + "".join(map(_cell, columns, row)) + "</tr>" for row in zip(*columns.values(), strict=True)
    )
    st.html(
        f"<style>{read_style('sentence_table')}</style>"
        f'<div class="sentences" tabindex="0" role="region" aria-label="{html.escape(label)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(title: str, value: object) -> str:
    return f'<td data-title="{html.escape(title)}">{html.escape(str(value))}</td>'
