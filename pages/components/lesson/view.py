from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from pages.components.lesson.explanation import Lesson, show_lesson
from pages.components.widgets import remembered


@dataclass(frozen=True)
class View:
    """One of the views of an explaining page."""

    title: str
    show: Callable[[], None]
    lesson: Lesson
    is_long: bool = False  # longer than a phone's screen: what changes it stays above


def show_views(views: Mapping[str, View], first: str, key: str) -> None:
    """A choice of views, the one chosen, and its lesson.

    Args:
        views: by their names in the address.
        first: the one that is shown first.
        key: of the choice, in the address.
    """
    titles = {name: view.title for name, view in views.items()}
    view = views[remembered.choose("View", titles, key, default=first, hide_label=True)]
    # A phone shows the figure before what changes it, where that is near enough.
    with st.container(key="long_view" if view.is_long else "view"):
        view.show()
    show_lesson(view.lesson)
