"""Who has answered what: the questions that are asked of a class, or of a visitor alone, in each state of their life."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from core.records.question import Act, Answer, Question, State, state_after, takes_answers
from core.records.room import Tally

Who = TypeVar("Who", bound=Hashable)

_MAX_FIRSTS = 300  # answers that one person takes home


@dataclass
class _Poll(Generic[Who]):
    """One question, while it is asked."""

    question: Question
    votes: list[dict[Who, Answer]] = field(default_factory=lambda: [{}])  # vote by vote
    state: State = "asked"


class Ledger(Generic[Who]):
    """Questions and their answers. Only one thread at a time may use it.

    Args:
        is_counted: whether somebody's answers are in the counts.
        keeps_final: whether a final answer stands, as in a class; alone, people try until they are right.
    """

    def __init__(
        self, is_counted: Callable[[Who], bool] = lambda who: True, *, keeps_final: bool = True
    ) -> None:
        self._is_counted = is_counted
        self._keeps_final = keeps_final
        self._polls: dict[str, _Poll[Who]] = {}  # by the questions' keys
        self._past: list[_Poll[Who]] = []  # of lessons before this one
        self._firsts: dict[Who, dict[str, Answer]] = {}  # by the questions' keys

    def answer(self, who: Who, answer: Answer, takes_home: bool = True) -> bool:
        """Count an answer, instead of the one before unless that was final.

        Return False if the vote has ended without an answer of theirs that stands.

        Args:
            who: who answers.
            answer: what.
            takes_home: whether it is noted for what they take home.
        """
        poll = self._poll(answer.question)
        if self._keeps_final and answer.question.is_final and who in poll.votes[-1]:
            return True
        if not takes_answers(poll.state):
            return False
        poll.votes[-1][who] = answer
        if takes_home:
            self.note_first(who, answer)
        return True

    def note_first(self, who: Who, answer: Answer) -> None:
        """Note what somebody takes home: the first answer to a question, or the last one where it `takes_last`."""
        firsts = self._firsts.setdefault(who, {})
        key = answer.question.key
        if answer.question.takes_last or (key not in firsts and len(firsts) < _MAX_FIRSTS):
            firsts[key] = answer

    def firsts(self, who: Who) -> dict[str, Answer]:
        """Return what somebody takes home, by the questions' keys, in the order in which they were answered."""
        return dict(self._firsts.get(who, {}))

    def act(self, question: Question, act: Act) -> None:
        """Bring a question into the state after an act."""
        poll = self._poll(question)
        poll.state = state_after(poll.state, act)
        if poll.state == "again" and len(poll.votes) == 1:
            poll.votes.append({})

    def ask_anew(self, questions: Iterable[Question]) -> None:
        """Ask questions as if they had never been asked; how they were answered stays in the counts."""
        for question in questions:
            if poll := self._polls.pop(question.key, None):
                self._past.append(poll)

    def forget(self, is_over: Callable[[Question], bool]) -> None:
        """Forget the votes on some questions; what somebody takes home stays."""
        self._past = []
        self._polls = {key: poll for key, poll in self._polls.items() if not is_over(poll.question)}

    def tally(self, question: Question, who: Who | None = None, is_teacher: bool = False) -> Tally:
        """Return how a question was answered, and by somebody.

        It is worded as whoever asks reads it; at the end, all questions are as the teacher has read them.
        """
        poll = self._polls.get(question.key) or _Poll(question)
        has_same_options = len(question.options) == len(poll.question.options)
        if has_same_options and is_teacher:
            poll.question = question
        return self._tally_of(poll, question if has_same_options else poll.question, who)

    def _tally_of(self, poll: _Poll[Who], question: Question, who: Who | None = None) -> Tally:
        own = tuple(None if who is None else votes.get(who) for votes in poll.votes)
        num_options = len(question.options)
        return Tally(
            question, poll.state, tuple(self._counts(votes, num_options) for votes in poll.votes), own
        )

    def _counts(self, votes: dict[Who, Answer], num_options: int) -> tuple[int, ...]:
        found = Counter(answer.option for who, answer in votes.items() if self._is_counted(who))
        return tuple(found[option] for option in range(num_options))

    def tallies(self) -> tuple[Tally, ...]:
        """Return all questions that were answered, in the order in which they were, lesson by lesson."""
        return tuple(self._tally_of(poll, poll.question) for poll in self._all() if any(poll.votes))

    def voters(self) -> set[Who]:
        """Return all who have answered something."""
        return {who for poll in self._all() for votes in poll.votes for who in votes}

    def leave(self, who: Who) -> None:
        """Forget what somebody takes home; the votes stay counted."""
        self._firsts.pop(who, None)

    def take_back(self, who: Who) -> None:
        """Take somebody's votes from the counts."""
        self.leave(who)
        for votes in (votes for poll in self._all() for votes in poll.votes):
            votes.pop(who, None)

    def _all(self) -> list[_Poll[Who]]:
        return [*self._past, *self._polls.values()]

    def _poll(self, question: Question) -> _Poll[Who]:
        return self._polls.setdefault(question.key, _Poll(question))
