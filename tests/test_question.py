"""The life of a question, and who may see what in each state of it: no state tells what is right before its time."""

from itertools import product

import pytest

from core.records.question import (
    Act,
    ChoiceQuestion,
    Eyes,
    Moment,
    NumberQuestion,
    Sight,
    State,
    all_sights,
    sight,
    state_after,
    takes_answers,
)
from core.server.ledger import Ledger

ACTS: tuple[Act, ...] = ("show answers", "vote again", "solve", "show figure")
MOMENTS: tuple[Moment, ...] = ("prediction", "exercise", "before", "closing")
SIGHTS = all_sights()
QUESTION = ChoiceQuestion("masks", "masks", "?", "below", "", {"all": ""}, moment="prediction")


def reached() -> set[State]:
    """Return the states that acts lead to, from the first one."""
    found: set[State] = {"asked"}
    while (more := {state_after(*each) for each in product(found, ACTS)}) - found:
        found |= more
    return found


def test_every_state_is_reached_and_none_leads_back_but_to_a_second_vote() -> None:
    assert reached() == {state for moment, state, eyes in SIGHTS}
    order: tuple[State, ...] = ("asked", "shown", "again", "shown again", "solved", "figure")
    for state, act in product(order, ACTS):
        assert order.index(state_after(state, act)) >= order.index(state)


@pytest.mark.parametrize(("asked", "sees"), SIGHTS.items(), ids=map(str, SIGHTS))
def test_nobody_but_the_remote_sees_what_is_right_before_it_is_marked(
    asked: tuple[Moment, State, Eyes], sees: Sight
) -> None:
    moment, state, eyes = asked
    is_marked = state in ("solved", "figure")
    if eyes != "remote":
        assert is_marked or not (sees.sees_right or sees.sees_figure)
        assert moment != "before" or sees in (Sight(), Sight(may_answer=True)), "the end asks it again"
    assert not (sees.may_answer and not takes_answers(state)), "an answer that does not count"
    assert not (sees.may_answer and moment in ("prediction", "before") and sees.is_told)
    assert not sees.sees_figure or sees.sees_right
    if sees.sees_votes and eyes not in ("remote",):
        assert not takes_answers(state), "who sees the votes follows the others"
    if eyes in ("screen", "remote", "left") and moment in ("prediction", "before"):
        assert not sees.may_answer
    if eyes == "left" and moment == "prediction":
        assert sees == Sight(), "who has left a room could take the answer back into it"


def test_whoever_waits_for_a_figure_gets_it() -> None:
    for eyes in ("alone", "member", "screen"):
        assert sight("prediction", "figure", eyes).sees_figure
    assert not sight("prediction", "figure", "phone").sees_figure, "it has none"


def test_a_vote_counts_only_while_it_is_open_and_a_second_one_stands_beside_it() -> None:
    ledger: Ledger[str] = Ledger()
    for acts, counts in (
        ((), True),
        (("show answers",), False),
        (("vote again",), True),
        (("vote again", "show answers", "vote again"), False),  # there is no third one
        (("solve",), False),
        (("show figure", "vote again", "solve"), False),
    ):
        for act in acts:
            ledger.act(QUESTION, act)  # type: ignore[arg-type]
        assert ledger.answer("somebody", QUESTION.read(len(ledger.tally(QUESTION).votes) - 1)) is counts
    tally = ledger.tally(QUESTION, "somebody")
    assert tally.votes == ((1, 0), (0, 1)) and tally.is_solved
    assert tally.own_last == QUESTION.read(1)
    assert [answer.option for answer in ledger.firsts("somebody").values()] == [0]


def test_a_question_at_another_moment_is_counted_apart() -> None:
    ledger: Ledger[str] = Ledger()
    for question in (QUESTION, NumberQuestion("sum", "masks", "?", 1.5, "", "", tolerance=0.1)):
        for number, moment in enumerate(MOMENTS, start=1):
            ledger.answer("somebody", question.at(moment).read(1))
            assert len({each.question.key for each in ledger.tallies()}) % len(MOMENTS) == number % len(
                MOMENTS
            )
        assert question.at("closing").at(question.moment) == question
