"""What a phone in a room shows and does, and the teacher's remote: as data, for pages/components/browser/phone.js.

A text with marks goes there in its parts, as `parts_of` returns them.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from core.errors import RefusedError
from core.language import N_, _, ngettext
from core.records.question import Moment, Question, sight
from core.records.room import Tally
from core.records.text import Pair
from core.server.queue import compute_gate
from core.server.room import Fate, Room, Seat
from core.server.trained_model import TrainedModel
from pages.components.explaining.exercise import ABOUT_BEFORE, asked_before, said_to
from pages.components.explaining.prediction import SECOND_VOTE, TOO_LATE
from pages.components.frame.visit import lesson_of_class, step_of_class
from pages.content.lesson_plan import closing_questions
from pages.content.markdown import parts_of
from pages.content.pages import ALL_PAGES, HOME, LESSON_END, MY_ANSWERS
from pages.content.reader import PAGE_TEXTS

MAX_CHARACTERS = 200  # of a sentence that is sent
_MAX_SHOWN = 5  # sentences of one person, the newest
_FATES: dict[Fate, str] = {
    "waits": N_("your teacher has not read it yet"),
    "accepted": N_("accepted"),
    "refused": N_("not taken this time"),
}
_KEYS = {
    "next": "PageDown",
    "back": "PageUp",
    "train": "Train",
}  # of the projector, by what the remote presses


def shown_of(question: Question, tally: Tally) -> dict[str, Any]:
    """Return what all phones show of a question now."""
    sees = sight(question.moment, tally.state, "phone")
    options = question.options if question.kind == "choice" else ()  # else one is the right answer
    shown: dict[str, Any] = {
        "key": question.key,
        "kind": question.kind,
        "box": question.box,
        "text": parts_of(question.question),
        "options": list(map(parts_of, options)),
        "is_final": question.is_final,
        "note": "" if question.is_final else _(_NOTES.get(question.moment, "")),
        "before": _(SECOND_VOTE) if tally.state == "again" else "",
        "vote": len(tally.votes),
    }
    if sees.sees_votes:
        shown["votes"] = tally.votes
    if sees.sees_right:
        shown["right"] = question.right_option
        if question.why:
            shown["why"] = parts_of(question.why)
    return shown


# What is said beside an own answer.
_NOTES: Mapping[Moment, str] = {
    "prediction": N_("You can change it until your teacher shows the answers."),
    "before": N_("You can change it until the lesson begins."),
}


def own_of(question: Question, tally: Tally) -> dict[str, Any]:
    """Return what one person has answered to a question, and what is said to that at once; empty for nothing."""
    sees = sight(question.moment, tally.state, "phone")
    votes = [None if each is None else each.option for each in tally.own]
    own: dict[str, Any] = {"votes": votes} if question.moment == "prediction" else {}
    answer = tally.own[-1]
    if answer is None:
        return own
    if not sees.is_told and answer.typed:
        return {"now": 0}  # the option would tell whether it was right
    own["now"] = answer.option
    if sees.is_told:
        own["said"] = parts_of(said_to(answer))
    return own


def is_predicting(room: Room) -> bool:
    """Return whether a class is asked what a figure will show, and does not know yet: the model could tell."""
    return any(each.moment == "prediction" and not room.tally("", each).is_solved for each in asked_at(room))


def asked_at(room: Room) -> list[Question]:
    """Return the questions that a class is asked where it is: those of the lesson's step, or before and after one."""
    place = room.place
    plan = lesson_of_class(room)
    if place is None or plan is None:
        return []
    if place.page == HOME.address:
        return asked_before(plan, room)
    if place.page == LESSON_END.address:
        return [question for page, question in closing_questions(plan)]
    step = step_of_class(room)
    if step is None:
        return []
    asked: list[Question] = []
    if step.prediction is not None:
        asked.append(step.prediction)
        if not room.tally("", step.prediction).is_solved:
            return asked  # the exercise is about the figure, which waits for the answer
    return [*asked, *step.exercises[:1]]  # the screen of a phone is small


def ended_state(has_left: bool = False) -> dict[str, Any]:
    """Return what a phone shows that has no place in a room any more: the room has ended, or the phone has left it."""
    title, task = _("The room has ended."), _("Thank you for taking part.")
    if has_left:
        title, task = _("This phone has left the room"), _("Load this page again to join.")
    return _NOTHING | {"title": title, "task": parts_of(task), "ended": True}


def out_state() -> dict[str, Any]:
    """Return what a phone shows that the teacher has taken out of the room: it may be brought back."""
    title, task = _("Your teacher has taken this phone out of the room"), _("Load this page again to join.")
    return _NOTHING | {"title": title, "task": parts_of(task), "is_out": True}


def titles_of_pair(room: Room) -> tuple[str, str]:
    """Return what the boxes of a sentence and its translation are called: by the languages of the teacher's pairs."""
    source, target = room.languages
    return _(source) or _("Sentence"), _(target) or _("Translation")


_NOTHING: dict[str, Any] = {
    "step": "",
    "model": "",
    "asked": [],
    "languages": ("", ""),
    "is_at_end": False,
    "ended": False,
    "is_out": False,
}


def class_state(room: Room) -> dict[str, Any]:
    """Return what all phones of a room show; the same for each of a language, so that it is encoded once."""
    place = room.place
    if room.has_ended:
        return ended_state()
    if place is None:
        task = parts_of(_("Your teacher begins in a moment."))
        return _NOTHING | {"title": _("Welcome"), "task": task, "languages": titles_of_pair(room)}
    title = next(page.title for page in ALL_PAGES if page.address == place.page)
    asked = asked_at(room)
    shown = _NOTHING | {
        "title": _("Welcome") if place.page == HOME.address else title,
        "task": parts_of(_("Look at the projector.")),
        "model": room.model.name if room.model is not None else "",
        "asked": [shown_of(each, room.tally("", each)) for each in asked],
        "languages": titles_of_pair(room),
        "is_at_end": place.page in (LESSON_END.address, MY_ANSWERS.address),
    }
    step = step_of_class(room)
    plan = lesson_of_class(room)
    if step is not None and plan is not None:
        shown["step"] = _("Step {number} of {steps}").format(number=place.number, steps=len(plan.shown))
        there = _("On the projector: {task}").format(task=step.task)
        shown["task"] = parts_of(step.class_task or (step.task if plan.is_own else there))
        if step.model == "shipped":
            shown["model"] = ""  # the step is about another one
    elif asked:
        about = _(ABOUT_BEFORE) if place.page == HOME.address else PAGE_TEXTS[place.page].idea
        shown["task"] = parts_of(about)
    return shown


def own_state(seat: Seat, written: Mapping[Pair, str]) -> dict[str, Any]:
    """Return what one phone shows beside that: its own answers and sentences, or the remote.

    Args:
        seat: whose phone it is.
        written: what the class's model writes for the class's sentences.
    """
    room = seat.room
    tallies = [room.tally(seat.token, each) for each in asked_at(room)]
    answers = {each.question.key: own for each in tallies if (own := own_of(each.question, each))}
    if seat.is_remote:
        return {"answers": answers, "sentences": [], "remote": _remote(room, tallies)}
    sentences = [
        {
            "source": sent.pair.source,
            "target": sent.pair.target,
            "fate": _(_FATES[sent.fate]),
            "written": written.get(sent.pair, "") if sent.fate == "accepted" else "",
        }
        for sent in room.sent_by(seat.token)[-_MAX_SHOWN:]
    ]
    return {"answers": answers, "sentences": sentences}


def _remote(room: Room, tallies: Sequence[Tally]) -> dict[str, Any]:
    """Return what the teacher's remote shows: the keys, and the counts before the class sees them."""
    acts = _keys_of(room, tallies)
    trouble = ""
    if not acts:
        trouble = _(
            "The screen does not answer. Open the app there again, by the same address: Home has “Back to my room”."
        )
    elif room.leads_to == "":
        trouble = _("Nothing follows here. A lesson is chosen on Home.")
    waiting = len(room.waiting)
    about = [
        ngettext("{count} answered", "{count} answered", tally.answered).format(count=tally.answered)
        for tally in tallies[:1]
    ]
    if waiting:
        about.append(ngettext("{count} new sentence", "{count} new sentences", waiting).format(count=waiting))
    counts = {
        tally.question.key: {
            "votes": tally.votes,
            "options": list(map(parts_of, tally.question.options)),
            "right": tally.question.right_option,
        }
        for tally in tallies
    }
    sentences = [
        {"number": sent.number, "text": f"{sent.pair.source} → {sent.pair.target}"} for sent in room.waiting
    ]
    step = step_of_class(room)
    return {
        "here": room.num_here,
        "task": parts_of(step.task) if step is not None else [],
        "about": " · ".join(about),
        "trouble": trouble,
        "acts": acts,
        "counts": counts,
        "sentences": sentences,
    }


def _keys_of(room: Room, tallies: Iterable[Tally]) -> list[dict[str, Any]]:
    """Return the keys that the projector obeys now; none without a projector."""
    if not room.has_screen:
        return []
    acts = [_act("back", f"← {_('Back')}")]
    if room.leads_to is None:
        acts.append(_act("next", f"{_('Next')} →", is_main=True))
    elif room.leads_to:
        leads_on = _("Next: {title}").format(title=room.leads_to)
        acts.append(_act("next", f"{leads_on} →", is_main=True))
    for tally in tallies:
        if tally.state == "shown":
            acts.append(_act("again", _("Vote again")))
    if room.trains:
        acts.append(_act("train", room.trains))
    return acts


def _act(name: str, label: str, is_main: bool = False) -> dict[str, Any]:
    return {"act": name, "label": label, "is_main": is_main}


def act(seat: Seat, values: Mapping[str, Any]) -> str:
    """Do what a phone asks for; return what to say about it, empty where the phone shows it.

    Args:
        seat: whose phone it is.
        values: "act" and what it needs, as a stranger may have sent it.
    """
    if seat.room.has_ended:
        return _("The room has ended.")
    if seat.is_out:
        return ""
    name = values.get("act")
    if seat.is_remote:
        return _press(seat.room, name, values.get("key"))
    if name == "answer":
        return _answer(seat, values.get("key"), values.get("vote"), values.get("answer"))
    if name == "send":
        return _send(seat, values.get("source"), values.get("target"))
    return _("This page is older than the server. Load it again.")


def _answer(seat: Seat, key: object, vote: object, given: object) -> str:
    asked = next((each for each in asked_at(seat.room) if each.key == key), None)
    if asked is None:
        return _("This question is over.")
    try:
        answer = asked.read(given)
    except ValueError as error:
        return str(error)
    is_asked_again = vote not in (None, len(seat.room.tally("", asked).votes))  # since a phone lost its line
    if not is_asked_again and seat.room.answer(seat.token, answer):
        return ""
    return _(TOO_LATE)


def _send(seat: Seat, *texts: object) -> str:
    source, target = (" ".join(str(text or "")[:MAX_CHARACTERS].split()) for text in texts)
    if not (source and target):
        return _("Type the sentence in both languages.")
    try:
        seat.room.send(seat.token, Pair(source, target))
    except RefusedError as error:
        return str(error)
    return _("Sent. Your teacher decides.")


def _press(room: Room, name: object, key: object) -> str:
    """Do what the remote says: by the projector's own keys, where it has one."""
    if name in _KEYS:
        room.press(_KEYS[str(name)])
        return ""
    if name in ("accept", "refuse"):
        for sent in room.waiting:
            if str(sent.number) == key:
                room.decide(sent.number, name == "accept")
        return ""
    if name == "again":
        for question in asked_at(room):
            room.act(question, "vote again")
    return ""


def translations_for(model: TrainedModel, pairs: Iterable[Pair]) -> dict[Pair, str]:
    """Return what a class's model writes for a class's sentences; it may take a second. None it cannot read."""
    written = {}
    for pair in pairs:
        with compute_gate(), suppress(ValueError):
            written[pair] = model.translator.translate([pair.source], typed=True)[0].text
    return written
