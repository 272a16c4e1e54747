"""What a class in one room exchanges: how questions were answered, and where the class is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.records.question import Answer, Question, State


@dataclass(frozen=True)
class Place:
    """Where a class is: a page, or a step of a lesson."""

    page: str  # its address
    lesson: str = ""  # its name; empty for none
    number: int = 0  # of the step; 0 on Home, and on a page that the lesson leaves out


@dataclass(frozen=True)
class Tally:
    """How a question was answered: by a class, or by a visitor alone."""

    question: Question
    state: State
    # How many chose each option, in the first vote and perhaps in a second one.
    votes: tuple[tuple[int, ...], ...]
    own: tuple[Answer | None, ...]  # what the asking person answered in each

    @property
    def answered(self) -> int:
        """How many have answered in the last vote."""
        return sum(self.votes[-1])

    @property
    def right(self) -> int:
        """How many of them are right."""
        return self.votes[-1][self.question.right_option]

    @property
    def own_last(self) -> Answer | None:
        """What the asking person has answered last, perhaps in the first vote."""
        return next((answer for answer in reversed(self.own) if answer is not None), None)

    @property
    def is_solved(self) -> bool:
        """Whether the right answer is marked."""
        return self.state in ("solved", "figure")

    @property
    def are_shown(self) -> bool:
        """Whether the vote has ended."""
        return self.is_solved or self.state in ("shown", "shown again")

    def solved_after(self, before: Tally) -> Tally:
        """Return these votes beside those on the same question before, with the right answer marked."""
        votes, own = (*before.votes, *self.votes), (*before.own, *self.own)
        return replace(self, votes=votes, own=own, state="solved")
