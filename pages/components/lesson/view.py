from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from pages.components.lesson.explanation import Lesson, show_lesson


@dataclass(frozen=True)
class View:
    """One way to look at what an explaining page is about."""

    title: str
    show: Callable[[], None]
    lesson: Lesson


def show_views(views: Mapping[str, View], first: str, key: str) -> None:
    """A choice of views, the one chosen, and its lesson.

    Args:
        views: by their names in the address.
        first: the one that is shown first.
        key: of the choice, in the address.
    """
    chosen = st.segmented_control(
        "Look at",
        list(views),
        default=first,
        required=True,
        format_func=lambda name: views[name].title,
        key=key,
        bind="query-params",
        wrap=True,
    )
    view = views[chosen or first]
    view.show()
    show_lesson(view.lesson)
