"""What each head's loss costs: in this sentence, or over many; with a guess first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.classroom.jobs.job import Progress
from core.classroom.jobs.ranking_job import RankingJob, plan_ranking
from core.classroom.settings import server_settings
from core.figures.head_costs import head_costs_figures, head_costs_info
from core.interpretability.heads.gates import HEAD_KINDS, Head, HeadKind, all_heads
from core.interpretability.heads.importance import HeadCosts, head_costs
from pages.components.app.queues import evaluation_queue
from pages.components.app.session import current_workspace
from pages.components.inside.head_switches import head_name
from pages.components.inside.opened_sentence import OpenedSentence
from pages.components.widgets.drawing.figure import show_figures
from pages.components.widgets.live_job import JobText, show_continue, show_live_job, show_stop, try_to_start
from pages.components.widgets.remembered import choose

_OVER = {"here": "In this sentence", "many": "Over many sentences"}
_SIZES = (10, 20, 50, 100, 200)
_USUAL_SIZE = 50
_NOBODY = "none"
_SHOWN = 5  # heads that are named
_TEXT = JobText[Progress](
    noun="ranking",
    progress=lambda view: f"{view.done:,} of {view.total:,} sentences",
    compiling="compiling the model",
)


@dataclass(frozen=True)
class RankingChoice:
    """Which costs are shown, and what was guessed before."""

    over: str  # "here", this sentence, or "many"
    costs: HeadCosts | None  # None while they are unknown, or hidden until there is a guess
    guess: Head | None


def choose_ranking(opened: OpenedSentence) -> RankingChoice:
    """Over which sentences, and a guess first."""
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        over = choose("What switching off each head costs", _OVER, key="costs", look="menu")
    with middle:
        guess = _choose_guess(opened)
    with right:
        costs = _of_sentence(opened) if over == "here" else _of_many(opened)
    if guess == _NOBODY:
        st.info("Which head matters most? Guess in the menu above, then see.")
        return RankingChoice(over, None, None)
    return RankingChoice(over, costs, _head_of(guess))


def show_ranking(choice: RankingChoice, off: tuple[Head, ...]) -> None:
    """The map of what each head costs, with its numbers."""
    costs, guess = choice.costs, choice.guess
    if costs is None:
        return
    if guess is not None:
        rank = costs.rank(guess)
        st.markdown(
            f"Your guess, {head_name(guess)}, is **number {rank}** of {costs.costs.size}."
            + (" You have found it." if rank == 1 else "")
        )
    ranked = costs.ranked()
    show_figures(
        head_costs_figures(head_costs_info(costs.costs, set(off), guess)),
        alt=f"What switching off each head costs; most: {head_name(ranked[0][0])}",
        key="head_costs_figure",
        across=3,
    )
    named = ", ".join(f"{head_name(head)} ({cost:z.2f})" for head, cost in ranked[:_SHOWN])
    st.caption(
        f"Nats per token by which log P of the {'translation' if choice.over == 'here' else 'references'} falls when "
        f"that head alone is off; blue: it rises. Over {costs.sentences:,} sentence{'s' if costs.sentences > 1 else ''}. "
        f"Most: {named}. ✕ is off now, ★ is your guess. The map does not show what several heads do together."
    )


def _choose_guess(opened: OpenedSentence) -> str:
    heads = {_key_of(head): head_name(head) for head in all_heads(opened.tracer.config)}
    options = {"show": "Show the answer", _NOBODY: "Guess first …", **heads}
    return choose("Which head matters most?", options, key="guess", look="menu")


def _key_of(head: Head) -> str:
    return f"{head.kind}.{head.layer + 1}.{head.head + 1}"


def _head_of(key: str) -> Head | None:
    kinds: dict[str, HeadKind] = {kind: kind for kind in HEAD_KINDS}
    kind, *numbers = key.split(".")
    if kind not in kinds:
        return None
    layer, head = map(int, numbers)
    return Head(kinds[kind], layer - 1, head - 1)


def _of_sentence(opened: OpenedSentence) -> HeadCosts | None:
    return opened.find_if_ready("head costs", lambda read: head_costs(read.tracer, read.pair), many=True)


def _of_many(opened: OpenedSentence) -> HeadCosts | None:
    """What a job has found for this model; the buttons to start and to stop one."""
    workspace = current_workspace()
    most = server_settings().max_ranked_sentences
    job = workspace.ranking
    mine = job is not None and job.work.plan.model is opened.model
    if job is not None and job.active:
        show_stop(job, "ranking", help="What is done by then is kept.")
    else:
        size = choose(
            "Sentences",
            [size for size in _SIZES if size <= most] or [most],
            key="ranked_sentences",
            default=_USUAL_SIZE,
            look="slider",
        )
        plan = plan_ranking(opened.model, size)
        st.button(
            "Rank all heads",
            type="primary",
            icon=":material/play_arrow:",
            on_click=try_to_start,
            args=(partial(workspace.start_ranking, plan, evaluation_queue()),),
            help=f"On {plan.data}. It runs in the background.",
        )
    if job is None or not mine:
        return None
    _show_job(job)
    return job.work.costs


def _show_job(job: RankingJob) -> None:
    show_live_job(job, _TEXT)
    view = job.view()
    if not view.active and 0 < view.done < view.total:
        show_continue(job, "ranking")
