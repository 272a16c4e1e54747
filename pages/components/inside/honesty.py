"""How honest is attention: whose ranking of the source words is right."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.figures.model_inside import erasure_figure
from core.figures.number_tables import with_true_minus
from core.interpretability.faithfulness import (
    CHANCE,
    CHANCE_ORDERS,
    ErasureCurves,
    erasure_curves,
    source_scores,
)
from pages.components.inside.opened_sentence import OpenedSentence
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.words import plain

_NAMES = {
    "raw": "Raw attention",
    "norm": "Norm-weighted attention",
    "rollout": "Attention rollout",
    "alti": "ALTI+",
    "occlusion": "Erasing one word",
    CHANCE: "By chance",
}
_FIRST = 4  # words of each order that are named


def honesty_view(opened: OpenedSentence) -> View:
    """Whose order breaks the translation first."""
    return View(partial(_show, opened), (source_scores, erasure_curves))


def _show(opened: OpenedSentence) -> None:
    found = opened.find("erasure curves", _curves_of)
    curves = {_NAMES[name]: curve.tolist() for name, curve in found.curves.items()}
    ranked = found.ranked()
    show_figure(
        erasure_figure(found.erased, curves, _NAMES[CHANCE]),
        alt=f"log P of the translation while source words are erased; {_NAMES[ranked[0]]} breaks it first",
        key="erasure_figure",
    )
    st.markdown("\n".join(_line(found, place, name) for place, name in enumerate(ranked, start=1)))
    st.caption(
        "Each measure ranks the source words; they are erased in that order, the most important first. The lower a "
        "line, the sooner the translation breaks, and the better the measure found what mattered. The list shows the "
        f"mean of each line. By chance: the mean of {CHANCE_ORDERS} orders. One sentence proves nothing: try others. "
        "Erasing one word has an advantage, since it asks the same question as the test."
    )


def _curves_of(opened: OpenedSentence) -> ErasureCurves:
    weights = opened.model.checkpoint.weights
    return erasure_curves(opened.tracer, weights, opened.pair, opened.source_words)


def _line(found: ErasureCurves, place: int, name: str) -> str:
    area = with_true_minus(f"{found.area(name):z.2f}")
    if name == CHANCE:
        return f"{place}. **{_NAMES[name]}** {area}"
    order = found.order(name)
    words = ", ".join(f"“{plain(found.words[word])}”" for word in order[:_FIRST])
    return f"{place}. **{_NAMES[name]}** {area}: {words}{' …' if len(order) > _FIRST else ''}"
