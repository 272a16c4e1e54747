"""Predictions: a question about what a figure will show. In a lesson, the figure waits for the answer."""

from collections.abc import Callable
from functools import partial
from string import ascii_uppercase
from weakref import ref

import streamlit as st

from core.figures.html.tally import tally_html, tally_line_html
from core.language import N_, _, titled
from core.records.room import Question
from core.server.room import Room
from core.server.settings import server_settings
from core.server.training_job import TrainingJob
from pages.components.explaining.figure import is_phone
from pages.components.frame.menu import end_page
from pages.components.frame.presenting import LEADS_ON, is_presenting
from pages.components.frame.visit import Visit
from pages.content.lesson_plan import LessonPlan, LessonStep
from pages.content.lessons import OF_CLASS, known_lessons
from pages.content.reader import PAGE_TEXTS, ChoiceQuestion

# What is recorded where the figure was shown without an answer.
SKIPPED = -1
SECOND_VOTE = N_("Second vote: talk it over, then answer again.")


def record_answer(visit: Visit, prediction: ChoiceQuestion, answer: int) -> None:
    """Record which option somebody chose, `SKIPPED` where there is none. In a room, it counts as a vote."""
    visit.memory.predictions[prediction.key] = answer
    if answer != SKIPPED:
        visit.answer(prediction.counted(), answer)


def answer_to(visit: Visit, prediction: ChoiceQuestion) -> int | None:
    """Return which option somebody chose: None before, `SKIPPED` after "Show me"."""
    return visit.memory.predictions.get(prediction.key)


def question_of(step: LessonStep | None) -> Question | None:
    """Return the question with which a step of a lesson begins, for a room to count."""
    asked = step.prediction if step else None
    return asked.counted() if asked else None


def lesson_of_class(room: Room) -> LessonPlan | None:
    """Return the lesson that a class is at."""
    name = room.place.lesson if room.place is not None else ""
    plan: LessonPlan | None = room.lesson if name == OF_CLASS else known_lessons().get(name)
    return plan


def step_of_class(room: Room) -> LessonStep | None:
    """Return the step of a lesson where a class is; None elsewhere."""
    plan = lesson_of_class(room)
    return plan.step(room.place.number) if plan and room.place else None


def question_of_class(visit: Visit) -> Question | None:
    """Return the question with which the step begins where the class of this tab is."""
    return question_of(step_of_class(visit.seat.room)) if visit.seat else None


def prediction_of_step(visit: Visit, view: str) -> ChoiceQuestion | None:
    """Return a view's prediction if the lesson step begins with it, here or in class, and this server asks predictions.

    Args:
        visit: on the view's page.
        view: the view's name in the page's texts.
    """
    prediction = PAGE_TEXTS[visit.page.address].views[view].prediction
    return prediction if prediction is not None and _begins_step(visit, prediction) else None


def _begins_step(visit: Visit, prediction: ChoiceQuestion) -> bool:
    is_asked = prediction.counted() in (question_of(visit.step), question_of_class(visit))
    return is_asked or _room_left_at(visit, prediction) is not None


def _room_left_at(visit: Visit, prediction: ChoiceQuestion) -> Room | None:
    """Return a room that this tab has left while its class is asked a prediction."""
    question = prediction.counted()
    return next(
        (
            room
            for room in visit.rooms_left
            if question_of(step_of_class(room)) == question and not room.tally("", question).is_solved
        ),
        None,
    )


def predict_or_end(visit: Visit, view: str) -> None:
    """Ask a view's prediction where a lesson step begins with it: after the controls, before the figure.

    The page's run ends here until there is an answer, or "Show me". Then the answer stands above the figure.

    Args:
        visit: on the view's page.
        view: the view's name in the page's texts.
    """
    prediction = prediction_of_step(visit, view)
    if prediction is not None and not is_predicted(visit, prediction):
        end_page()


def is_predicted(
    visit: Visit, prediction: ChoiceQuestion, begin: Callable[[], object] = lambda: None
) -> bool:
    """Ask a prediction until the figure may be shown; then say what came of it. Return whether it may.

    Args:
        visit: on the page that waits for the answer.
        prediction: the question.
        begin: draws what stands above the question.
    """
    place = st.container()
    if (room := _room_left_at(visit, prediction)) is not None:
        answer = None
        _wait_for(visit, room, prediction)
    elif is_for_class(visit, prediction):
        answer = ask_class(visit, prediction, waits=visit.leads)
    else:
        answer = _ask_alone(visit, prediction)
    if answer is None:
        with place:
            begin()
        return False
    with st.container(key="predicted"):
        show_outcome(visit, prediction, answer)
    return True


def _wait_for(visit: Visit, room: Room, prediction: ChoiceQuestion) -> None:
    """Show a question whose answer somebody who has left a room could take back into it."""
    with st.container(border=True, key="prediction"):
        _show_question(prediction)
        _list_options(visit, prediction)
        st.caption(
            _("Room **{code}** is asked this now. You see what is right when its teacher reveals it.").format(
                code=room.code
            )
        )


def _ask_alone(visit: Visit, prediction: ChoiceQuestion) -> int | None:
    """Ask somebody who is in no class; return the answer once the figure may be shown, at once on a phone."""
    answer = answer_to(visit, prediction)
    if answer is not None and (answer == SKIPPED or is_phone() or _has_asked_for_figure(visit, prediction)):
        return answer
    with st.container(border=True, key="prediction"):
        ask_prediction(visit, prediction, reveals=answer is not None)
        if answer is None:
            _show_way_on(_("Show me"), partial(record_answer, visit, prediction, SKIPPED))
        else:
            _reveal(visit, prediction, answer)
    return None


def _reveal(visit: Visit, prediction: ChoiceQuestion, answer: int) -> None:
    """Show the reason below the answers, and the button that brings the figure in their place."""
    show_reason(prediction, answer)
    _show_way_on(_("Show the figure"), partial(visit.memory.figures.add, _figure_key(visit, prediction)))


def _has_asked_for_figure(visit: Visit, prediction: ChoiceQuestion) -> bool:
    return _figure_key(visit, prediction) in visit.memory.figures


def _figure_key(visit: Visit, prediction: ChoiceQuestion) -> str:
    """Return what is remembered where the figure was asked for: another class is asked again."""
    return f"{visit.seat.room.code if visit.seat else ''} {prediction.key}"


def is_for_class(visit: Visit, prediction: ChoiceQuestion) -> bool:
    """Return whether the teacher of this tab's class marks the right answer, which the figure waits for.

    A tab that explores on its own waits too where the class is asked: else it could look the answer up.
    """
    seat = visit.seat
    is_asked = question_of_class(visit) == prediction.counted()
    return seat is not None and (seat.is_teacher or seat.follows or is_asked)


def is_open_in_class(visit: Visit, prediction: ChoiceQuestion) -> bool:
    """Return whether the class is asked a prediction now, and its teacher has not marked the right answer."""
    question = prediction.counted()
    tally = visit.tally(question)
    return tally is not None and not tally.is_solved and question_of_class(visit) == question


def ask_class(visit: Visit, prediction: ChoiceQuestion, waits: bool = False) -> int | None:
    """Ask a prediction of the class of this tab, until its teacher has marked the right answer.

    Args:
        visit: on the view's page.
        prediction: the question.
        waits: whether the votes with the right answer stay until the figure is asked for.

    Returns:
        Which option this tab has chosen, `SKIPPED` for none; None while the class is asked.
    """
    question = prediction.counted()
    tally = visit.tally(question)
    assert tally is not None
    given = [vote for vote in tally.own if vote is not None]
    answer = given[-1] if given else SKIPPED
    if tally.is_solved and not (waits and not _has_asked_for_figure(visit, prediction)):
        return answer
    with st.container(border=True, key="prediction"):
        if tally.is_second_vote:
            st.markdown(f":blue[**{_(SECOND_VOTE)}**]")
        _show_question(prediction)
        if visit.leads:
            _list_options(visit, prediction)
        else:
            _show_options(visit, prediction, tally.own[-1])
        if tally.is_solved:
            _reveal(visit, prediction, answer)
    return None


def answer_by_training(visit: Visit, prediction: ChoiceQuestion, training: TrainingJob) -> None:
    """End the vote of the class, if this tab leads one: a training that runs shows what is right."""
    if visit.seat is not None and visit.leads:
        visit.seat.room.show_answers(prediction.counted())
        visit.seat.answering = ref(training)


def mark_answer_of_training(visit: Visit, prediction: ChoiceQuestion) -> None:
    """Mark the right answer for the class when the training that shows it has ended."""
    seat = visit.seat
    if seat is not None and seat.answering is not None and not is_answering(visit):
        seat.answering = None
        seat.room.solve(prediction.counted())


def is_answering(visit: Visit) -> bool:
    """Return whether a training is showing the class what is right."""
    answering = visit.seat.answering if visit.seat is not None else None
    training = answering() if answering is not None else None
    return training is not None and training.active


def _show_way_on(label: str, show: Callable[[], None]) -> None:
    """Show the button that leads to the figure; the remote's Page Down presses it."""
    st.button(label, icon=":material/visibility:", key=LEADS_ON, type="tertiary", on_click=show)


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
    answer = answer_to(visit, prediction)
    is_answered = answer not in (None, SKIPPED)
    ask_prediction(visit, prediction, reveals=is_answered)
    if answer is not None and is_answered:
        show_reason(prediction, answer)


def ask_prediction(visit: Visit, prediction: ChoiceQuestion, reveals: bool = False) -> None:
    """Show a prediction with a button for each answer; the right one is green where it is revealed."""
    _show_question(prediction)
    _show_options(visit, prediction, answer_to(visit, prediction), reveals)


def _show_question(prediction: ChoiceQuestion) -> None:
    st.markdown(_("**What do you expect?** {question}").format(question=prediction.question))


def _show_options(visit: Visit, prediction: ChoiceQuestion, given: int | None, reveals: bool = False) -> None:
    """Show a button for each answer, the given one marked, or how the class has answered, once its teacher shows that."""
    if _show_class_answers(visit, prediction):
        return
    for number, (letter, option) in enumerate(zip(ascii_uppercase, prediction.options, strict=False)):
        is_right = reveals and prediction.is_right(number)
        label = f"**{letter}**\u2002{option}"
        st.button(
            f":green-background[**✓** {label}]" if is_right else label,
            key=f"{prediction.key}_{letter}",
            type="primary" if number == given and not is_right else "secondary",
            width="stretch",
            on_click=record_answer,
            args=(visit, prediction, number),
        )


def _list_options(visit: Visit, prediction: ChoiceQuestion) -> None:
    """Show the answers where nobody chooses one, as on a teacher's projector, or how the class has answered."""
    if not _show_class_answers(visit, prediction):
        for letter, option in zip(ascii_uppercase, prediction.options, strict=False):
            st.markdown(f"**{letter}**\u2002{option}")


def _show_class_answers(visit: Visit, prediction: ChoiceQuestion) -> bool:
    """Show how a class has answered a prediction, once its teacher shows that; return whether it does."""
    tally = visit.tally(prediction.counted())
    if tally is None or not tally.are_shown:
        return False
    st.html(tally_html(tally))
    return True


def show_outcome(visit: Visit, prediction: ChoiceQuestion, answer: int) -> None:
    """Show the answer with its reason above the figure, and in a class how all have answered."""
    show_reason(prediction, answer)
    tally = visit.tally(prediction.counted())
    if tally is not None and tally.answered:
        st.html(tally_line_html(tally))


def show_reason(prediction: ChoiceQuestion, answer: int) -> None:
    """Show the chosen option, marked as right or wrong, beside the right one and the reason."""
    right = _lettered(prediction, prediction.right_option)
    expected = _("You expected {answer}")
    if prediction.is_right(answer):
        said = _("**Right.** {why}").format(why=prediction.why)
        st.success(_joined(expected.format(answer=right), said), icon=":material/check:")
    elif answer == SKIPPED:
        st.info(_joined(right, prediction.why), icon=":material/lightbulb:")
    else:
        given = expected.format(answer=_lettered(prediction, answer))
        said = _joined(given, _("It is {answer}").format(answer=right), prediction.why)
        st.warning(said, icon=":material/lightbulb:")


def _joined(*parts: str) -> str:
    """Return what is said of an answer; a teacher's own question may have no reason."""
    return " · ".join(filter(None, parts))


def _lettered(prediction: ChoiceQuestion, option: int) -> str:
    """Return an option with the letter of its button."""
    return f"**{titled(ascii_uppercase[option], prediction.options[option])}**"
