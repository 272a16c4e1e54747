"""The views of the page."""

from __future__ import annotations

from collections.abc import Callable

from core.classroom.translation_job import Answer
from pages.components.inside.contributions import contributions_view
from pages.components.inside.heads_off import heads_view
from pages.components.inside.honesty import honesty_view
from pages.components.inside.layers import lens_view
from pages.components.inside.opened_sentence import OpenedSentence
from pages.components.inside.patching import patching_view
from pages.components.lesson.view import View, show_views

_VIEWS: dict[str, Callable[[OpenedSentence], View]] = {
    "lens": lens_view,
    "heads": heads_view,
    "source": contributions_view,
    "honest": honesty_view,
    "patch": patching_view,
}


def show_inside(answer: Answer) -> None:
    """What the model computed for the sentence of an answer, in one of five views."""
    opened = OpenedSentence.of(answer)
    show_views("inside", {name: view(opened) for name, view in _VIEWS.items()}, "lens")
