"""What a class in one room exchanges: questions, how they were answered, and where the class is."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Question:
    """A question that a class answers."""

    key: str
    text: str
    options: tuple[str, ...]
    right: str  # the right option
    page: str  # the address of the page that asks it

    @property
    def right_option(self) -> int:
        """The index of the right option."""
        return self.options.index(self.right)


@dataclass(frozen=True)
class OwnAnswer:
    """What somebody has answered first to a question."""

    question: Question
    option: int  # its number, as a room counts it
    typed: str = ""  # the number, where one was typed

    @property
    def is_right(self) -> bool:
        """Whether it was right at the first try."""
        return self.option == self.question.right_option


@dataclass(frozen=True)
class Place:
    """Where a class is: a page, or a step of a lesson."""

    page: str  # its address
    lesson: str = ""  # its name; empty for none
    number: int = 0  # of the step; 0 on Home, and on a page that the lesson leaves out


@dataclass(frozen=True)
class Tally:
    """How a class has answered a question."""

    question: Question
    # How many chose each option, in the first vote and perhaps in a second one.
    votes: tuple[tuple[int, ...], ...]
    own: tuple[int | None, ...]  # the option that the asking person chose in each
    are_shown: bool  # the answers of the class; the vote has ended
    is_solved: bool  # the right answer is marked, and the figure shows why

    @property
    def answered(self) -> int:
        """How many have answered in the last vote."""
        return sum(self.votes[-1])

    @property
    def is_second_vote(self) -> bool:
        """Whether the class is asked once more."""
        return len(self.votes) > 1 and not self.are_shown

    def solved_after(self, before: Tally) -> Tally:
        """Return these votes beside those on the same question before, with the right answer marked."""
        return replace(self, votes=(*before.votes, *self.votes), own=(*before.own, *self.own), is_solved=True)
