"""Predictions: a question about what a figure will show. In a lesson, the figure waits for the answer."""

from collections.abc import Callable
from string import ascii_uppercase
from weakref import ref

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.figures.html.tally import VOTES, tally_html, tally_line_html
from core.language import N_, _, titled
from core.records.question import ChoiceQuestion, Eyes, Sight, sight
from core.records.room import Tally
from core.server.room import Room
from core.server.settings import server_settings
from core.server.training_job import TrainingJob
from pages.components.frame.device import is_phone
from pages.components.frame.presenting import LEADS_ON, is_presenting
from pages.components.frame.visit import Visit, step_of_class
from pages.components.widgets.telling import tell
from pages.content.lesson_plan import LessonStep
from pages.content.markdown import html_of
from pages.content.reader import PAGE_TEXTS

SECOND_VOTE = N_("Second vote: talk it over, then answer again.")
TOO_LATE = N_("This vote had ended before your answer came, so it is not counted.")


def question_of(step: LessonStep | None) -> ChoiceQuestion | None:
    """Return the question with which a step of a lesson begins."""
    return step.prediction if step else None


def question_of_class(visit: Visit) -> ChoiceQuestion | None:
    """Return the question with which the step begins where the class of this tab is."""
    return question_of(step_of_class(visit.seat.room)) if visit.seat else None


def prediction_of_step(visit: Visit, view: str) -> ChoiceQuestion | None:
    """Return the prediction that a view's figure waits for: that of the lesson's step, here or in class.

    In a class, the page's other views wait for it too; who leads it, or is alone, may look at them.

    Args:
        visit: on the view's page.
        view: the view's name in the page's texts.
    """
    texts = PAGE_TEXTS[visit.page.address]
    asked = [each for each in texts.predictions if _begins_step(visit, each)]
    if texts.views[view].prediction in asked:
        return texts.views[view].prediction
    return next((each for each in asked if Asking(visit, each).keeps_other_views), None)


def own_question_of_page(visit: Visit) -> ChoiceQuestion | None:
    """Return the teacher's own question that a page waits for, here or in class."""
    rooms = [*visit.rooms_left, *([] if visit.seat is None else [visit.seat.room])]
    steps = (visit.step, *(step_of_class(room) for room in rooms if _asked_now(room)))
    here = (step.own_prediction for step in steps if step is not None and step.page == visit.page)
    return next(filter(None, here), None)


def _asked_now(room: Room) -> ChoiceQuestion | None:
    """Return the prediction that a room's class is asked now."""
    asked = question_of(step_of_class(room))
    return None if asked is None or room.tally("", asked).is_solved else asked


def _begins_step(visit: Visit, prediction: ChoiceQuestion) -> bool:
    is_asked = prediction in (question_of(visit.step), question_of_class(visit))
    return is_asked or _room_left_at(visit, prediction) is not None


def _room_left_at(visit: Visit, prediction: ChoiceQuestion) -> Room | None:
    """Return a room that this tab has left while its class is asked a prediction."""
    return next((room for room in visit.rooms_left if _asked_now(room) == prediction), None)


class Asking:
    """A prediction as one tab is asked it now: by its class, or alone.

    Args:
        visit: on the page that asks.
        question: the question.
        is_offered: whether it is offered beside a figure, which does not wait for it.
    """

    def __init__(self, visit: Visit, question: ChoiceQuestion, is_offered: bool = False) -> None:
        self.visit = visit
        self.question = question
        self.in_class = not is_offered and _is_for_class(visit, question)
        self.room_left = None if is_offered or self.in_class else _room_left_at(visit, question)
        self.eyes: Eyes = "alone"
        if self.room_left is not None:
            self.eyes = "left"
        elif self.in_class:
            self.eyes = "screen" if visit.leads else "member"
        self._vote = len(self.tally.votes)

    @property
    def tally(self) -> Tally:
        """How it was answered: by the class that is asked it, or here alone."""
        if self.room_left is not None:
            return self.room_left.tally("", self.question)
        of_class = self.visit.tally(self.question) if self.in_class else None
        return of_class or self.visit.own_tally(self.question)

    @property
    def sight(self) -> Sight:
        """What this tab may do with it now, and see."""
        return sight(self.question.moment, self.tally.state, self.eyes)

    @property
    def keeps_other_views(self) -> bool:
        """Whether its answer could be looked up beside it, and is not to be known yet."""
        return self.eyes in ("member", "left") and not self.sight.sees_figure

    def answer(self, option: int) -> None:
        """Answer; who is alone waits for nobody, and is told what is right."""
        self.answer_only(option)
        if self.eyes == "alone":
            self.solve()
            if is_phone():
                self.show_figure()

    def answer_only(self, option: int) -> None:
        """Answer a question whose training shows what is right; say so where the vote is over that was answered."""
        is_in_time = len(self.tally.votes) == self._vote
        if not is_in_time or not self.visit.answer(self.question.read(option), self.in_class):
            tell(_(TOO_LATE))

    def solve(self) -> None:
        """Mark what is right."""
        self.visit.act(self.question, "solve", self.in_class)

    def show_figure(self) -> None:
        """Show the figure, with what is right."""
        self.solve()
        self.visit.act(self.question, "show figure", self.in_class)

    def follow(self, training: TrainingJob | None) -> None:
        """Let a training show what is right: nobody answers while it runs, and its end marks the answer."""
        memory = self.visit.memory
        if self.eyes not in ("alone", "screen"):
            return
        if training is not None and training.active:
            self.visit.act(self.question, "show answers", self.in_class)
            memory.answering = ref(training)
        elif memory.answering is not None or (self.eyes == "alone" and training is not None):
            memory.answering = None
            self.solve()


def is_shown_by_training(visit: Visit) -> bool:
    """Return whether a training of this tab is showing what is right."""
    training = visit.memory.answering() if visit.memory.answering is not None else None
    return training is not None and training.active


def is_predicted(
    visit: Visit, prediction: ChoiceQuestion, begin: Callable[[], object] = lambda: None
) -> bool:
    """Ask a prediction until the figure may be shown; then say what came of it. Return whether it may.

    Args:
        visit: on the page that waits for the answer.
        prediction: the question.
        begin: draws what stands above the question.
    """
    asking = Asking(visit, prediction)
    if asking.eyes == "alone" and asking.tally.own_last is not None and not visit.is_kept_back(prediction):
        asking.solve()  # it was answered in a room that has been left
    if asking.sight.sees_figure:
        show_outcome(asking)
        return True
    begin()
    with _box():
        _show_asked(asking, asking.answer)
        if asking.room_left is not None:
            waits = _("Room **{code}** is asked this now. You see what is right when its teacher reveals it.")
            st.caption(waits.format(code=asking.room_left.code))
        elif asking.sight.sees_right:
            _show_reason(asking)
            _show_way_on(_("Show the figure"), asking)
        elif asking.eyes == "alone":
            _show_way_on(_("Show me"), asking)
    return False


def sees_figure(visit: Visit, prediction: ChoiceQuestion | None) -> bool:
    """Return whether the figure that a prediction is about may be shown."""
    return prediction is None or Asking(visit, prediction).sight.sees_figure


def ask_until_trained(asking: Asking) -> None:
    """Ask a prediction whose answer a training shows."""
    with _box():
        _show_asked(asking, asking.answer_only)


def offer_prediction(visit: Visit, prediction: ChoiceQuestion | None) -> None:
    """Offer a prediction, folded, above its figure, where no lesson step begins with it.

    A presenter's screen belongs to the figure.
    """
    if prediction is None or not server_settings().exercises or is_presenting():
        return
    if _begins_step(visit, prediction):
        return
    with st.popover(_("What do you expect?"), icon=":material/psychology_alt:", width="content"):
        _ask_and_explain(visit, prediction)


@st.fragment  # an answer redraws only this part
def _ask_and_explain(visit: Visit, prediction: ChoiceQuestion) -> None:
    asking = Asking(visit, prediction, is_offered=True)
    _show_asked(asking, asking.answer)
    if asking.sight.sees_right:
        _show_reason(asking)


def _is_for_class(visit: Visit, prediction: ChoiceQuestion) -> bool:
    """Return whether the teacher of this tab's class marks the right answer, which the figure waits for.

    A tab that explores on its own waits too where the class is asked: else it could look the answer up.
    """
    return visit.seat is not None and (visit.leads or question_of_class(visit) == prediction)


def is_open_in_class(visit: Visit, prediction: ChoiceQuestion) -> bool:
    """Return whether the class is asked a prediction now, and its teacher has not marked the right answer."""
    tally = visit.tally(prediction)
    return tally is not None and not tally.is_solved and question_of_class(visit) == prediction


def _box() -> DeltaGenerator:
    return st.container(border=True, key="prediction")


def _show_way_on(label: str, asking: Asking) -> None:
    """Show the button that leads to the figure; the remote's Page Down presses it."""
    icon = ":material/visibility:"
    st.button(label, icon=icon, key=LEADS_ON, type="tertiary", on_click=asking.show_figure)


def _show_asked(asking: Asking, answer: Callable[[int], None]) -> None:
    """Show a question with its answers, or how the class has answered; the right one is green where it is marked."""
    question = asking.question
    sees = asking.sight
    if asking.tally.state == "again":
        st.markdown(f":blue[**{_(SECOND_VOTE)}**]")
    st.markdown(_("**What do you expect?** {question}").format(question=question.question))
    if sees.sees_votes:
        show_votes(asking.tally)
        return
    own = asking.tally.own[-1]
    for option, (letter, text) in enumerate(zip(ascii_uppercase, question.options, strict=False)):
        label = f"**{letter}**\u2002{text}"
        if not sees.may_answer:
            is_right = sees.sees_right and option == question.right_option
            st.markdown(f":green-background[**✓** {label}]" if is_right else label)
            continue
        st.button(
            label,
            key=f"{question.key}_{letter}",
            type="primary" if own is not None and own.option == option else "secondary",
            width="stretch",
            disabled=asking.in_class and question.is_final and own is not None,
            on_click=answer,
            args=(option,),
        )


def show_votes(tally: Tally, names: tuple[str, str] = VOTES, is_lettered: bool = True) -> None:
    """Show how a class has answered; see `tally_html`."""
    options = [html_of(option) for option in tally.question.options]
    st.html(tally_html(tally, options, names, is_lettered))


def show_outcome(asking: Asking) -> None:
    """Show the answer with its reason above the figure, and in a class how all have answered."""
    with st.container(key="predicted"):
        _show_reason(asking)
        if asking.in_class and asking.tally.answered:
            st.html(tally_line_html(asking.tally))


def _show_reason(asking: Asking) -> None:
    """Show the chosen option, marked as right or wrong, beside the right one and the reason."""
    question = asking.question
    answer = asking.tally.own_last
    right = _lettered(question, question.right_option)
    expected = _("You expected {answer}")
    if answer is None:
        st.info(_joined(right, question.why), icon=":material/lightbulb:")
    elif answer.is_right:
        said = _("**Right.** {why}").format(why=question.why)
        st.success(_joined(expected.format(answer=right), said), icon=":material/check:")
    else:
        given = expected.format(answer=_lettered(question, answer.option))
        said = _joined(given, _("It is {answer}").format(answer=right), question.why)
        st.warning(said, icon=":material/lightbulb:")


def _joined(*parts: str) -> str:
    """Return what is said of an answer; a teacher's own question may have no reason."""
    return " · ".join(filter(None, parts))


def _lettered(question: ChoiceQuestion, option: int) -> str:
    """Return an option with the letter of its button."""
    return f"**{titled(ascii_uppercase[option], question.options[option])}**"
