"""A question: what is asked, how it is answered, its life, and who may see what in each state of it.

A visitor alone, one of a class, the teacher's screen, a phone and the remote draw what `sight` says, and decide nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar, Literal, TypeVar
from zlib import crc32

from core.described import Wording, described
from core.language import N_, _, language, read_number

Moment = Literal["prediction", "exercise", "before", "closing"]
"""When it is asked: before a figure, after it, before the lesson, at its end."""

# The beginning of a question's key. It is asked at several moments, and counted apart.
_BEGINNINGS: Mapping[Moment, str] = {
    "prediction": "predict_",
    "exercise": "ask_",
    "before": "before_ask_",
    "closing": "closing_ask_",
}

AnyQuestion = TypeVar("AnyQuestion", bound="Question")


class Question(ABC):
    """A question with one right answer. Texts are Markdown.

    Each kind is a class of its own: it says which answers are counted apart and reads what somebody has answered.
    """

    name: str  # unique in the app
    page: str  # the address of the page that asks it
    question: str
    why: str  # the right answer is right
    closing: int  # rank among the page's questions for the end of a lesson; 0: never asked there
    moment: Moment
    # How it is answered: pages, paper and phones have a box for each kind, as "choice" and "typed".
    kind: ClassVar[str]
    asks_for: ClassVar[str] = ""  # in the empty box of what is typed

    @property
    def key(self) -> str:
        """The key of its widgets and of its counts."""
        return f"{_BEGINNINGS[self.moment]}{self.name}"

    @property
    def is_final(self) -> bool:
        """Whether one of a class answers it once in a vote: at the end of a lesson, a hint follows a wrong answer."""
        return self.moment == "closing"

    @property
    def takes_last(self) -> bool:
        """Whether people take home their last answer, not the first: before a lesson, they may think again."""
        return self.moment == "before"

    def at(self: AnyQuestion, moment: Moment) -> AnyQuestion:
        """Return the same question, asked at another moment."""
        return replace(self, moment=moment)  # type: ignore[type-var]

    @property
    def box(self) -> Mapping[str, object]:
        """What its box on a phone needs to know, by name."""
        return {}

    @property
    @abstractmethod
    def options(self) -> tuple[str, ...]:
        """The answers that are counted apart."""

    @property
    @abstractmethod
    def right_option(self) -> int:
        """The number of the right one, from 0."""

    @property
    def right(self) -> str:
        """The right answer, as people read it."""
        return self.options[self.right_option]

    @abstractmethod
    def read(self, given: object) -> Answer:
        """Return what somebody has answered, perhaps a stranger.

        Raises:
            ValueError: It is no answer; the message is for people.
        """

    @abstractmethod
    def hint_for(self, answer: Answer) -> str:
        """Return what helps after a wrong answer."""

    def written(self, answer: Answer) -> str:
        """Return what somebody has answered, as the reader writes it."""
        return self.options[answer.option]

    def in_box(self, answer: Answer | None) -> int | str | None:
        """Return what its box shows of an answer, and `read` reads again; before any answer, of none."""
        return None if answer is None else answer.option


@described
class ChoiceQuestion(Question):
    """A question with a choice of answers."""

    name: str
    page: str
    question: Wording
    answer: Wording  # a test compares a prediction's with what the code computes
    why: Wording
    wrong: Mapping[
        Wording, Wording
    ]  # each wrong answer with its hint; a prediction has none: the figure shows why
    closing: int = 0
    moment: Moment = "exercise"
    kind = "choice"

    @property
    def options(self) -> tuple[str, ...]:
        """All answers: the wrong ones in their order, the right one at a place that depends on the name alone."""
        wrong = tuple(self.wrong)
        begins = "predict_" if self.moment == "prediction" else "ask_"
        place = crc32(f"{begins}{self.name}".encode()) % (len(wrong) + 1)
        return (*wrong[:place], self.answer, *wrong[place:])

    @property
    def right_option(self) -> int:
        return self.options.index(self.answer)

    def read(self, given: object) -> Answer:
        """Return the answer whose number was chosen."""
        if not isinstance(given, int) or not 0 <= given < len(self.options):
            raise ValueError(_("This question is over."))
        return Answer(self, int(given))

    def hint_for(self, answer: Answer) -> str:
        return self.wrong.get(self.options[answer.option], "")


_OTHER = N_("another number")
MAX_TYPED = 40  # characters of an answer that somebody types


@described
class NumberQuestion(Question):
    """A question that is answered with a number."""

    name: str
    page: str
    question: Wording
    answer: float  # a test compares it with what the code computes
    why: Wording
    hint: Wording  # for every wrong number
    tolerance: float = 0.0  # on either side of the answer
    closing: int = 0
    moment: Moment = "exercise"
    kind = "typed"
    asks_for = N_("A number")

    @property
    def box(self) -> Mapping[str, object]:
        return {"keyboard": "decimal"}

    @property
    def options(self) -> tuple[str, str]:
        """The right number, and any other one."""
        return language().number(f"{self.answer:,.2f}".rstrip("0").rstrip(".")), _(_OTHER)

    @property
    def right_option(self) -> int:
        return 0

    def read(self, given: object) -> Answer:
        """Return the answer that was typed, in the reader's language."""
        try:
            number = read_number(str(given)[:MAX_TYPED])
        except ValueError as error:
            raise ValueError(_("Type a number, like 12 or 0.5.")) from error
        is_right = abs(number - self.answer) <= self.tolerance
        return Answer(self, 0 if is_right else 1, f"{number:.10g}")

    def hint_for(self, answer: Answer) -> str:
        return self.hint

    def written(self, answer: Answer) -> str:
        return language().number(answer.typed)

    def in_box(self, answer: Answer | None) -> str:
        return "" if answer is None else self.written(answer)


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody has answered."""

    question: Question
    option: int  # its number, as it is counted
    typed: str = ""  # what was typed, where it was: a number with a decimal point

    @property
    def is_right(self) -> bool:
        """Whether it is right."""
        return self.option == self.question.right_option


Kind = ChoiceQuestion | NumberQuestion
"""Every kind of question; in a file, its fields say which it is."""

# Its life

State = Literal["asked", "shown", "again", "shown again", "solved", "figure"]
"""Asked; answers shown, asked again, their answers shown: of a class; solved: what is right is marked; figure shown."""

Act = Literal["show answers", "vote again", "solve", "show figure"]

# The state after an act, by the state before. Elsewhere, nothing happens: somebody has pressed twice.
_MOVES: Mapping[Act, Mapping[State, State]] = {
    "show answers": {"asked": "shown", "again": "shown again"},
    "vote again": {"shown": "again"},
    "solve": dict.fromkeys(("asked", "shown", "again", "shown again"), "solved"),
    "show figure": {"solved": "figure"},
}


def state_after(state: State, act: Act) -> State:
    """Return the state of a question after an act."""
    return _MOVES[act].get(state, state)


def takes_answers(state: State) -> bool:
    """Return whether answers count in a state."""
    return state in ("asked", "again")


# Who may see what

Eyes = Literal["alone", "member", "screen", "phone", "remote", "left"]
"""Who looks: a visitor alone, one of a class, its teacher's screen, a phone, the remote, one who has left the class."""


@dataclass(frozen=True)
class Sight:
    """What somebody may do with a question now, and see of it."""

    may_answer: bool = False
    is_told: bool = False  # at once whether the own answer is right
    sees_votes: bool = False  # how the class has answered
    sees_right: bool = False  # the right answer, and why it is right
    sees_figure: bool = False


def _sight(marks: str) -> Sight:
    return Sight(*(mark in marks for mark in "atvrf"))


_EYES: tuple[Eyes, ...] = ("alone", "member", "screen", "phone", "remote", "left")
# a: may answer, t: is told at once, v: sees the votes, r: sees what is right, f: sees the figure
_TABLE: Mapping[tuple[Moment, State], tuple[str, ...]] = {
    #                             alone  member screen phone  remote left
    ("prediction", "asked"): ("a", "a", "", "a", "vr", ""),
    ("prediction", "shown"): ("", "v", "v", "v", "vr", ""),
    ("prediction", "again"): ("", "a", "", "a", "vr", ""),
    ("prediction", "shown again"): ("", "v", "v", "v", "vr", ""),
    ("prediction", "solved"): ("r", "vrf", "vr", "vr", "vr", ""),
    ("prediction", "figure"): ("rf", "vrf", "vrf", "vr", "vr", ""),
    ("exercise", "asked"): ("at", "at", "at", "at", "vr", "at"),
    ("before", "asked"): ("", "a", "", "a", "vr", ""),
    ("before", "shown"): ("", "", "", "", "vr", ""),
    ("closing", "asked"): ("at", "at", "at", "at", "vr", "at"),
    ("closing", "solved"): ("t", "t", "vr", "t", "vr", "t"),
}
_SIGHTS = {
    (*asked, eyes): _sight(marks)
    for asked, row in _TABLE.items()
    for eyes, marks in zip(_EYES, row, strict=True)
}


def sight(moment: Moment, state: State, eyes: Eyes) -> Sight:
    """Return what somebody may do with a question, and see of it; nothing in a state that it never has."""
    return _SIGHTS.get((moment, state, eyes), Sight())


def all_sights() -> dict[tuple[Moment, State, Eyes], Sight]:
    """Return every moment, state and pair of eyes with what they see."""
    states: tuple[State, ...] = ("asked", "shown", "again", "shown again", "solved", "figure")
    return {each: sight(*each) for each in product(_BEGINNINGS, states, _EYES)}
