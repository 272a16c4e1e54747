"""Switch heads off, and see what is lost."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.figures.model_inside import head_costs_figures
from core.interpretability.heads import (
    Head,
    HeadCosts,
    head_costs,
    translate_without,
    without_heads,
)
from pages.components.inside.head_switches import choose_heads_off, head_name
from pages.components.inside.opened_sentence import OpenedSentence
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figures
from pages.components.widgets.words import plain

_SHOWN = 5  # heads that are named


def heads_view(opened: OpenedSentence) -> View:
    """What the model is without some of its heads."""
    return View(partial(_show, opened), (without_heads, head_costs))


def _show(opened: OpenedSentence) -> None:
    costs = opened.find("head costs", lambda read: head_costs(read.tracer, read.pair))
    off = choose_heads_off(opened.tracer.config, costs)
    before, after = (_greedy(opened, heads) for heads in ((), off))
    left, right = st.columns(2)
    left.markdown(f"All heads on  \n**{plain(before)}**")
    right.markdown(f"{_number(off)} off  \n**{plain(after)}**" if off else "Press heads to switch them off.")
    if off:
        loss = _loss(opened, off)
        right.markdown(
            f"log P of the translation at the top {'falls' if loss >= 0 else 'rises'} by **{abs(loss):.2f} nats**."
        )
    if not opened.greedy:
        st.caption("Both are decoded greedily, so they may differ from the translation at the top.")
    _show_costs(costs, off)


def _show_costs(costs: HeadCosts, off: tuple[Head, ...]) -> None:
    """The map of what each head costs, with its numbers."""
    ranked = costs.ranked()
    show_figures(
        head_costs_figures(costs.costs, set(off)),
        alt=f"What switching off each head costs; most: {head_name(ranked[0][0])}",
        key="head_costs_figure",
        across=3,
    )
    named = ", ".join(f"{head_name(head)} ({cost:z.2f})" for head, cost in ranked[:_SHOWN])
    st.caption(
        "Nats per token by which log P of the translation falls when that head alone is off; blue: it rises. "
        f"Most: {named}. ✕ is off now. The map does not show what several heads do together."
    )


def _number(off: tuple[Head, ...]) -> str:
    return f"{len(off)} head{'s' if len(off) > 1 else ''}"


def _greedy(opened: OpenedSentence, off: tuple[Head, ...]) -> str:
    """What is written with some heads off; the likeliest word each time."""
    source = [int(token) for token in opened.pair.source]
    translator = opened.model.translator
    ids = opened.find("translation without heads", lambda _: translate_without(translator, source, off), off)
    ended = translator.target_tokenizer.vocabulary.end_id in ids
    return (translator.target_tokenizer.decode(ids) or "(nothing)") + ("" if ended else " …")


def _loss(opened: OpenedSentence, off: tuple[Head, ...]) -> float:
    """By how much log P of the translation falls, nats."""

    def find(read: OpenedSentence) -> float:
        pair = read.pair
        ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
        changes = without_heads(read.tracer.config, [(), off])
        before, after = read.tracer.log_probabilities(*ids, changes).sum(axis=1)
        return float(before - after)

    return opened.find("loss without heads", find, off)
