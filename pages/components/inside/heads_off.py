"""Switch heads off, and see what is lost."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.interpretability.heads.gated_translation import MAX_WRITTEN, translate_without
from core.interpretability.heads.gates import Head, without_heads
from core.interpretability.heads.importance import HeadRanking, head_costs
from core.interpretability.teacher_forcing import ForcedPair, log_probabilities_of
from pages.components.inside.head_switches import choose_heads_off
from pages.components.inside.opened_sentence import OpenedSentence
from pages.components.inside.ranking import choose_ranking, show_ranking
from pages.components.lesson.exercises import inside as exercises
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.widgets.text_box import reference_for
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import plain

_MAX_CHARACTERS = 500


def heads_view(opened: OpenedSentence) -> View:
    """What the model is without some of its heads."""
    return View("Switch heads off", partial(_show, opened), _LESSON)


def _show(opened: OpenedSentence) -> None:
    choice = choose_ranking(opened)
    off = choose_heads_off(opened.tracer.config, choice.costs)
    before, after = (_greedy(opened, heads) for heads in ((), off))
    left, right = st.columns(2)
    left.markdown(f"All heads on  \n**{plain(before)}**")
    right.markdown(f"{_number(off)} off  \n**{plain(after)}**" if off else "Press heads to switch them off.")
    said = right.empty()
    if not opened.greedy:
        st.caption("Both are decoded greedily, so they may differ from the translation at the top.")
    show_ranking(choice, off)
    if off:
        _show_losses(opened, off, said)


def _number(off: tuple[Head, ...]) -> str:
    return f"{len(off)} head{'s' if len(off) > 1 else ''}"


def _greedy(opened: OpenedSentence, off: tuple[Head, ...]) -> str:
    """What is written with some heads off; the likeliest word each time."""
    source = [int(token) for token in opened.pair.source]
    translator = opened.model.translator
    draft = opened.translation.best.ids
    ids = opened.find(
        "translation without heads", lambda _: translate_without(translator, source, off, draft), off
    )
    ended = translator.target_tokenizer.vocabulary.end_id in ids
    return (translator.target_tokenizer.decode(ids) or "(nothing)") + ("" if ended else " …")


def _show_losses(opened: OpenedSentence, off: tuple[Head, ...], said: DeltaGenerator) -> None:
    """How much less likely the translation and a reference are now; the reference is asked for below the figure."""
    reference = text_input(
        "A reference, if you have one",
        reference_for(opened.model, opened.translation.source),
        key="reference",
        max_chars=_MAX_CHARACTERS,
    )
    losses = {"the translation at the top": _loss(opened, opened.pair, off)}
    if reference.strip():
        try:
            pair = ForcedPair.of_texts(opened.model.translator, opened.translation.read, reference)
        except ValueError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            losses["the reference"] = _loss(opened, pair, off)
    changes = "; ".join(
        f"of {name} {'falls' if loss >= 0 else 'rises'} by **{abs(loss):.2f} nats**"
        for name, loss in losses.items()
    )
    said.markdown(f"log P {changes}.")


def _loss(opened: OpenedSentence, pair: ForcedPair, off: tuple[Head, ...]) -> float:
    """By how much log P of a translation falls, nats."""

    def find(read: OpenedSentence) -> float:
        ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
        changes = without_heads(read.tracer.config, [(), off])
        before, after = log_probabilities_of(read.tracer, *ids, changes).sum(axis=1)
        return float(before - after)

    return opened.find("loss without heads", find, off, pair.predicted.tobytes())


_LESSON = Lesson(
    notice="Most heads can be switched off one at a time without changing the translation: other heads do the same "
    "work. A few cannot. Several that cost nothing alone may cost much together. Translations here are greedy and end "
    f"after {MAX_WRITTEN} tokens.",
    formulas=(
        Formula(
            r"\mathrm{MHA}(x) = \sum_h \xi_h\, \alpha_h V_h W^O_h,\quad \xi_h \in \{0, 1\}",
            "Michel et al. 2019, section 2.3: a gate for each head",
        ),
        Formula(
            r"\mathrm{cost}_h = \frac{1}{N}\sum_n \big(\log P(y_n) - \log P(y_n \mid \xi_h = 0)\big)",
            "Here: the mean over all tokens of the sentences",
        ),
    ),
    code=(without_heads, head_costs, HeadRanking.steps, HeadRanking.result),
    exercise=exercises.HEADS,
)
