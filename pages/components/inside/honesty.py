"""How honest is attention: whose ranking of the source words is right."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.figures.lines import erasure_figure
from core.figures.number_tables import with_true_minus
from core.interpretability.faithfulness import (
    CHANCE,
    CHANCE_ORDERS,
    ErasureCurves,
    erasure_curves,
    source_scores,
)
from pages.components.inside.opened_sentence import OpenedSentence
from pages.components.lesson.exercises import inside as exercises
from pages.components.lesson.explanation import Formula, Lesson
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
    return View("How faithful is attention?", partial(_show, opened), _LESSON)


def _show(opened: OpenedSentence) -> None:
    found = opened.find("erasure curves", _curves_of, many=True)
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


_LESSON = Lesson(
    notice="Raw attention is better than chance and worse than most others: much of it goes to tokens whose vectors "
    "add little. Weighted by the norms of these vectors, it does better, and measures that go through all layers do "
    "better still. So an attention map is a trace of what the model attended to, not an explanation. Means over 30 TED "
    "sentences, the lowest the best: erasing one word −4.11, rollout −4.08, ALTI+ −4.07, norm-weighted −4.00, raw −3.95, "
    "chance −3.21.",
    formulas=(
        Formula(
            r"\mathrm{area} = \frac{1}{S}\int_0^S \frac{1}{T}\log P(y \mid x \setminus \{1 \dots k\})\,dk",
            "After Samek et al. 2017; of attention: Jain & Wallace 2019, Serrano & Smith 2019",
        ),
    ),
    code=(source_scores, erasure_curves),
    exercise=exercises.HONEST,
)
