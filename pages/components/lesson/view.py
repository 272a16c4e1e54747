from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.components.app.content import PAGE_TEXTS
from pages.components.lesson.explanation import show_lesson
from pages.components.widgets import remembered


@dataclass(frozen=True)
class View:
    """One of the views of an explaining page; its texts stand in the page's file of pages/content."""

    show: Callable[[], None]
    code: tuple[Callable[..., Any], ...]  # the functions that it shows below
    is_long: bool = False  # longer than a phone's screen: what changes it stays above


def show_views(page: str, views: Mapping[str, View], first: str) -> None:
    """Show a choice of views, the one chosen, and what it teaches.

    Args:
        page: its address, the name of its file of texts.
        views: by their names in the address and in the file.
        first: the one that is shown first.
    """
    texts = PAGE_TEXTS[page]
    titles = {name: texts.views[name].title for name in views}
    chosen = remembered.choose("View", titles, texts.parameter, default=first, hide_label=True)
    view = views[chosen]
    # A phone shows the figure before what changes it, where that is near enough.
    with st.container(key="long_view" if view.is_long else "view"):
        view.show()
    show_lesson(texts.views[chosen], view.code)
