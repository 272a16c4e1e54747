"""Beam search as a tree: who was kept, who was pruned and when, and why the winner won."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.classroom.translation_job import Answer
from core.figures.decoding import beam_tree_figure
from core.records import BeamEnd, BeamTree, Fate
from core.tokens.base import Tokenizer
from pages.components.lesson.stepper import show_steps
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.drawing.tables import for_display
from pages.components.widgets.words import plain

_BEAM_STEP = "beam_step"
_NUMBERS = {name: st.column_config.NumberColumn(format="%.3f") for name in ("log P", "Penalty", "Score")}


def show_tree(answer: Answer, tree: BeamTree) -> None:
    """The tree with a slider over its steps, and what decided."""
    tokenizer = answer.model.checkpoint.target_tokenizer
    if tree.steps:
        show_steps(len(tree.steps), _BEAM_STEP, partial(_show_step, tree, tokenizer))
    st.markdown(f"**Why the winner won.** {why_it_won(tree, tokenizer)}")
    st.dataframe(
        _best_frame(tree, tokenizer),
        hide_index=True,
        column_config=_NUMBERS,
        alt="The best hypotheses at the end",
    )


def why_it_won(tree: BeamTree, tokenizer: Tokenizer) -> str:
    """The winner beside the likeliest of the others, in a sentence or two."""
    winner, *others = tree.best
    if not others:
        return "It is the only hypothesis."
    if not winner.finished:
        return (
            "No hypothesis was complete within the limit of tokens: the best of the truncated ones is taken."
        )
    complete = [end for end in others if end.finished]
    if not complete:
        return "It is the only complete hypothesis; the others were truncated at the limit of tokens."
    likeliest = max(complete, key=lambda end: end.log_probability)
    quotient = f"{winner.log_probability:z.3f} / {winner.penalty:z.3f} = {winner.score:z.3f}"
    if likeliest.log_probability <= winner.log_probability:
        return f"No complete hypothesis is likelier, and its score is the best: {quotient}."
    other = f"{likeliest.log_probability:z.3f} / {likeliest.penalty:z.3f} = {likeliest.score:z.3f}"
    return (
        f"“{plain(tokenizer.decode(likeliest.ids))}” is likelier (log P {likeliest.log_probability:z.3f}), but shorter: "
        f"its score is {other}, the winner's {quotient}. The length penalty made the difference."
    )


def _show_step(tree: BeamTree, tokenizer: Tokenizer, number: int) -> None:
    show_figure(
        beam_tree_figure(tree, number, tokenizer.decode),
        alt=f"The tree of the beam search after step {number}",
        key="beam_tree",
    )
    children = tree.steps[number - 1]
    kept = sum(child.fate is Fate.KEPT for child in children)
    ended = sum(child.fate is Fate.ENDED for child in children)
    st.caption(
        f"Step {number}: of {len(children)} hypotheses, {kept} are kept, {ended} complete, "
        f"{len(children) - kept - ended} pruned. Each beam offers its likeliest tokens; the rank is that of log P so "
        "far. Other continuations are not in the tree."
    )


def _best_frame(tree: BeamTree, tokenizer: Tokenizer) -> pd.DataFrame:
    def column(value: str) -> list[float]:
        return [getattr(end, value) for end in tree.best]

    return for_display(
        pd.DataFrame(
            {
                "Hypothesis": [tokenizer.decode(end.ids) for end in tree.best],
                "log P": column("log_probability"),
                "Tokens": [len(end.ids) for end in tree.best],
                "Penalty": column("penalty"),
                "Score": column("score"),
                "": [_became_of(end) for end in tree.best],
            }
        )
    )


def _became_of(end: BeamEnd) -> str:
    if not end.finished:
        return "truncated"
    return f"complete at step {end.step + 1}"
