"""Predictions: a question about what a figure will show. In a lesson, the figure waits for the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from string import ascii_uppercase
from weakref import ref

import streamlit as st

from core.figures.html.tally import tally_html
from core.records.room import Question
from core.server.settings import server_settings
from core.server.training_job import TrainingJob
from pages.components.frame.menu import end_page
from pages.components.frame.presenting import LEADS_ON, is_presenting
from pages.components.frame.seat import answer_in_room, current_seat, tally_of
from pages.components.frame.session import page_memory
from pages.content.reader import PAGE_TEXTS, Prediction, ViewTexts

# What is recorded where the figure was shown without an answer.
SKIPPED = ""
# Key of st.session_state: the key of the prediction with which the current lesson step begins.
_ASKED_FIRST = "prediction_of_step"


def record_answer(key: str, answer: str) -> None:
    """Record the answer to a prediction, by its key; `SKIPPED` where there is none. In a room, it counts as a vote."""
    page_memory().predictions[key] = answer
    question = _questions()[key]
    if answer != SKIPPED:
        answer_in_room(question, answer)


def answer_to(key: str) -> str | None:
    """Return the answer to a prediction: None before one is given, `SKIPPED` after "Show me"."""
    return page_memory().predictions.get(key)


@cache
def _questions() -> dict[str, Question]:
    """Return all predictions as questions that a room counts, by their keys."""
    return {
        each.key: Question(each.key, each.question, each.options, each.answer, texts.title)
        for texts in PAGE_TEXTS.values()
        for view in texts.views.values()
        if (each := view.prediction) is not None
    }


def asked_question() -> Question | None:
    """Return the question with which the current step of a lesson begins, for a room to count."""
    key = st.session_state.get(_ASKED_FIRST)
    return _questions().get(str(key)) if server_settings().exercises else None


def question_of_class() -> Question | None:
    """Return the question with which the step begins where the class of this tab is."""
    seat = current_seat()
    place = seat.room.place if seat is not None else None
    return _questions().get(place.asks) if place is not None else None


def forget_answers() -> None:
    """Forget all answers: a lesson that is started again asks again, as another class would like."""
    page_memory().predictions.clear()


def begin_step(texts: ViewTexts | None) -> None:
    """Note with which prediction the page begins. Call it in every run, before the page.

    Args:
        texts: the texts of the lesson step's view; None without a lesson.
    """
    asked = texts.prediction if texts is not None else None
    st.session_state[_ASKED_FIRST] = asked.key if asked is not None else None


def prediction_of_step(page: str, view: str) -> Prediction | None:
    """Return a view's prediction if the lesson step begins with it, here or in class, and this server asks predictions.

    Args:
        page: the page's address.
        view: the view's name in the page's texts.
    """
    prediction = PAGE_TEXTS[page].views[view].prediction
    return prediction if prediction is not None and _begins_step(prediction) else None


def _begins_step(prediction: Prediction) -> bool:
    is_asked = prediction.key == st.session_state.get(_ASKED_FIRST) or _is_asked_in_class(prediction)
    return is_asked and server_settings().exercises


def _is_asked_in_class(prediction: Prediction) -> bool:
    asked = question_of_class()
    return asked is not None and asked.key == prediction.key


def predict_or_end(page: str, view: str) -> None:
    """Ask a view's prediction where a lesson step begins with it: call it after the controls, before the figure.

    The page's run ends here until there is an answer, or "Show me". Then the answer stands above the figure.

    Args:
        page: the page's address.
        view: the view's name in the page's texts.
    """
    prediction = prediction_of_step(page, view)
    if prediction is None:
        return
    if is_for_class(prediction):
        answer = ask_class(prediction)
    else:
        answer = answer_to(prediction.key)
        if answer is None:
            with st.container(border=True, key="prediction"):
                ask_prediction(prediction, prediction.key)
                _show_way_on(partial(record_answer, prediction.key, SKIPPED))
    if answer is None:
        end_page()
    with st.container(key="predicted"):
        show_reason(prediction, answer)


def is_for_class(prediction: Prediction) -> bool:
    """Return whether the teacher of this tab's class marks the right answer, which the figure waits for.

    A tab that explores on its own waits too where the class is asked: else it could look the answer up.
    """
    seat = current_seat()
    return seat is not None and (seat.is_teacher or seat.follows or _is_asked_in_class(prediction))


def is_open_in_class(prediction: Prediction) -> bool:
    """Return whether the class is asked a prediction now, and its teacher has not marked the right answer."""
    tally = tally_of(_questions()[prediction.key])
    return tally is not None and not tally.is_solved and _is_asked_in_class(prediction)


def ask_class(prediction: Prediction) -> str | None:
    """Ask a prediction of the class of this tab, until its teacher has marked the right answer.

    Returns:
        What this tab has answered, `SKIPPED` for nothing; None while the class is asked.
    """
    seat = current_seat()
    assert seat is not None
    question = _questions()[prediction.key]
    tally = seat.room.tally(seat.token, question)
    given = [question.options[vote] for vote in tally.own if vote is not None]
    if tally.is_solved:
        return given[-1] if given else SKIPPED
    with st.container(border=True, key="prediction"):
        st.markdown(f"**What do you expect?** {prediction.question}")
        if seat.is_teacher:
            _list_options(prediction)
        else:
            now = tally.own[-1]
            _show_options(prediction, prediction.key, None if now is None else question.options[now])
    return None


def answer_by_training(prediction: Prediction, training: TrainingJob) -> None:
    """End the vote of the class, if this tab leads one: a training that has just begun shows what is right."""
    seat = current_seat()
    if seat is not None and seat.is_teacher:
        seat.room.show_answers(_questions()[prediction.key])
        seat.answering = ref(training)


def is_answering(prediction: Prediction) -> bool:
    """Return whether a training is showing the class what is right; its end marks the right answer."""
    seat = current_seat()
    if seat is None or seat.answering is None:
        return False
    training = seat.answering()
    if training is not None and training.active:
        return True
    seat.answering = None
    seat.room.solve(_questions()[prediction.key])
    return False


def _show_way_on(show: Callable[[], None]) -> None:
    """Show the button that leads to the figure without an own answer; the remote's Page Down presses it."""
    st.button("Show me", icon=":material/visibility:", key=LEADS_ON, type="tertiary", on_click=show)


def offer_prediction(prediction: Prediction | None) -> None:
    """Offer a prediction, folded, above its figure, where no lesson step begins with it.

    A presenter's screen belongs to the figure.
    """
    if prediction is None or not server_settings().exercises or _begins_step(prediction) or is_presenting():
        return
    with st.popover("What do you expect?", icon=":material/psychology_alt:", width="content"):
        _ask_and_explain(prediction)


@st.fragment  # an answer redraws only this part
def _ask_and_explain(prediction: Prediction) -> None:
    answer = ask_prediction(prediction, prediction.key)
    if answer is not None:
        show_reason(prediction, answer)


def ask_prediction(prediction: Prediction, key: str) -> str | None:
    """Show a prediction with a button for each answer; return the answer, None while there is none.

    Args:
        prediction: the question.
        key: under which the answer is recorded; begins the buttons' keys.
    """
    st.markdown(f"**What do you expect?** {prediction.question}")
    given = answer_to(key)
    _show_options(prediction, key, given)
    return given or None


def _show_options(prediction: Prediction, key: str, given: str | None) -> None:
    """Show a button for each answer, the given one marked, or how the class has answered, once its teacher shows that."""
    if _show_class_answers(key):
        return
    for letter, option in zip(ascii_uppercase, prediction.options, strict=False):
        st.button(
            f"**{letter}**\u2002{option}",
            key=f"{key}_{letter}",
            type="primary" if option == given else "secondary",
            width="stretch",
            on_click=record_answer,
            args=(key, option),
        )


def _list_options(prediction: Prediction) -> None:
    """Show the answers where nobody chooses one, as on a teacher's projector, or how the class has answered."""
    if not _show_class_answers(prediction.key):
        for letter, option in zip(ascii_uppercase, prediction.options, strict=False):
            st.markdown(f"**{letter}**\u2002{option}")


def _show_class_answers(key: str) -> bool:
    """Show how a class has answered a prediction; return whether its teacher shows that."""
    tally = tally_of(_questions()[key])
    is_shown = tally is not None and tally.are_shown
    if tally is not None and is_shown:
        st.html(tally_html(tally))
    return is_shown


def show_reason(prediction: Prediction, answer: str) -> None:
    """Show the given answer, marked as right or wrong, beside the right one and the reason."""
    right = _lettered(prediction, prediction.answer)
    if answer == prediction.answer:
        st.success(f"You expected {right} · **Right.** {prediction.why}", icon=":material/check:")
    elif answer == SKIPPED:
        st.info(f"{right} · {prediction.why}", icon=":material/lightbulb:")
    else:
        given = _lettered(prediction, answer)
        st.warning(f"You expected {given} · It is {right} · {prediction.why}", icon=":material/lightbulb:")


def _lettered(prediction: Prediction, answer: str) -> str:
    """Return an answer with the letter of its button."""
    return f"**{ascii_uppercase[prediction.options.index(answer)]}: {answer}**"
