"""The bar of a room above every page: the teacher leads from it, and the class sees its answers in it."""

import time
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from weakref import ref

import pandas as pd
import streamlit as st

from core.corpora.languages import language_name
from core.corpora.toy import languages_of
from core.errors import InputError, RefusedError
from core.language import N_, _, ngettext
from core.presets import CLASSROOM, PRESETS
from core.records.question import Question
from core.records.room import Place, Tally
from core.records.text import Pair
from core.server.room import Room, Screen, Seat, SentPair
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingPlan
from core.server.workspace import Workspace, check_number_of_pairs, why_no_training
from core.training.recipe import prepare_training
from pages.components.browser.files import page_script
from pages.components.explaining.exercise import asked_before
from pages.components.explaining.prediction import question_of, question_of_class
from pages.components.frame.menu import go_to
from pages.components.frame.presenting import are_few, few_answered, has_hurried, is_presenting, note_hurry
from pages.components.frame.seat import (
    SEAT_COOKIE,
    answer_invitation,
    close_room,
    leave_room,
    room_to_visit,
)
from pages.components.frame.serving import has_app
from pages.components.frame.session import server_rooms
from pages.components.frame.share import phone_address, room_address
from pages.components.frame.visit import Visit, lessons_of, open_lesson
from pages.components.lesson.answers import cells_of, in_language
from pages.components.lesson.lessons import open_place
from pages.components.model.choice import current_model
from pages.components.model.progress import try_to_start
from pages.components.pairs.table import replace_pairs
from pages.components.room.phone import MAX_CHARACTERS, titles_of_pair
from pages.components.room.remote import obey_remote
from pages.components.room.screen import take_remote_away
from pages.components.widgets.download import csv_of_table, show_download
from pages.components.widgets.state import set_value
from pages.components.widgets.telling import tell
from pages.content.lessons import OF_CLASS, OWN_NAMES
from pages.content.markdown import plain, text_of
from pages.content.pages import ALL_PAGES, HOME, LESSON_END, MY_ANSWERS, MY_LESSON, TRAIN

_TEACHER_SECONDS = 0.4  # between two looks at the room: a remote's press waits as long
_STUDENT_SECONDS = 1.5
_CLASS = "room_class"  # key of the popover of what the teacher can do with the room
_SOURCE, _TARGET = "room_source", "room_target"  # keys of the boxes of a sentence
_LED = "room_led"  # key of st.session_state: the code of the room that this tab has led since it was loaded
_RETURNS_UNTIL = (
    "room_returns_until"  # key of st.session_state: until when it is brought back, by time.monotonic
)
_RETURN_SECONDS = 4.0
_CLASS_MODEL = N_("Our sentences")
_COUNTS = (
    N_("step"),
    N_("when"),
    N_("question"),
    N_("vote"),
    N_("answer"),
    N_("right"),
    N_("count"),
)  # columns


def follow_class(visit: Visit) -> None:
    """Go where the class goes, unless this tab explores on its own, before anything of the page is drawn.

    A teacher's tab goes there when it comes back. A tab that opens another page by itself stops following.
    """
    seat = visit.seat
    if seat is None:
        return
    if seat.is_teacher:
        _return_to_class(visit, seat.room)
        return
    seat.room.note_here(seat.token)
    model = seat.room.model
    if seat.follows and model is not None and model is not visit.memory.class_model:
        visit.memory.class_model = model
        visit.workspace.models.select(model)
        st.toast(
            _("Your class has a model: {model}").format(model=plain(model.name)), icon=":material/share:"
        )
    place = seat.room.place
    if place is None or not seat.follows:
        return
    has_moved = place != seat.place
    seat.place = place
    if has_moved and visit.page != MY_ANSWERS:  # which phones open in a room, to stay there
        open_place(visit, place)
    elif place.page != visit.page.address:
        seat.follows = False


def _return_to_class(visit: Visit, room: Room) -> None:
    """Bring a tab that leads again to the lesson of its class: it may have come by an address that names none.

    For some seconds more than once: the browser may run the page that it leaves again, with what that page has shown.
    """
    place = room.place
    now = time.monotonic()
    if st.session_state.get(_LED) != room.code:
        st.session_state[_LED] = room.code
        st.session_state[_RETURNS_UNTIL] = now + _RETURN_SECONDS if visit.lesson is None else now
    if place is None or place.lesson not in lessons_of(visit.memory, visit.seat):
        return
    if now >= st.session_state[_RETURNS_UNTIL]:
        return
    if visit.page == HOME and place.page != HOME.address:
        open_place(visit, place)
    if visit.lesson is None:
        open_lesson(place.lesson)
        st.rerun()


@dataclass(frozen=True)
class _Shown:
    """What the last run of the page has shown of a room."""

    workspace: Workspace
    seat: Seat
    question: Question | None  # with which the lesson's step on this page begins
    watched: tuple[Question, ...]  # this one, and that of the class
    state: Hashable

    def look(self) -> None:
        """Note that this tab is here; run the page again if the room is no longer as it was shown."""
        if server_rooms().seat_of(self.workspace.id) is not self.seat:  # another tab may have it
            st.rerun()
        self.seat.room.note_here(self.seat.token)
        if self.seat.state(self.watched) != self.state:
            st.rerun()


def show_room(visit: Visit) -> None:
    """Show the bar of the room that this tab is in, if any; a teacher's tab tells the room where it is."""
    seat = visit.seat
    if seat is None:
        return
    question = question_of(visit.step)
    if seat.is_teacher:
        seat.room.note_here(seat.token)
        _tell_place(visit, seat.room)
        _tell_pairs(visit, seat.room)
        _ask_to_visit(visit.workspace, seat)
    watched = tuple(each for each in (question, question_of_class(visit)) if each is not None)
    shown = _Shown(visit.workspace, seat, question, watched, seat.state(watched))
    with st.container(border=True, horizontal=True, gap="small", key="room_bar"):
        if seat.is_teacher:
            with st.container(width="stretch"):
                _lead(visit, shown, _name_of(seat.room))
            if not is_presenting():
                with st.container(width="content"):
                    _show_class(visit, seat)
        else:
            st.html(page_script("typed_text"), unsafe_allow_javascript=True)
            with st.container(width="content"):
                _show_seat(visit, shown)
            with st.container(width="stretch"):
                _attend(visit, shown)


def _tell_place(visit: Visit, room: Room) -> None:
    """Tell the room where its class is, with the lesson where only the teacher's tab has it."""
    if visit.page == MY_LESSON:
        return  # for the teacher's eyes
    if visit.lesson is None:
        room.go_to(Place(visit.page.address))
        return
    lesson = visit.lesson
    if lesson.name in OWN_NAMES:
        room.lesson = lesson = replace(lesson, name=OF_CLASS)
    room.go_to(Place(visit.page.address, lesson.name, visit.number))


def _tell_pairs(visit: Visit, room: Room) -> None:
    """Tell the room what its teacher trains on."""
    source, target = languages_of(visit.memory.pairs) or ("", "")
    room.note_pairs(visit.classroom.name, (language_name(source), language_name(target)))


def _ask_to_visit(workspace: Workspace, seat: Seat) -> None:
    """Ask a teacher who has opened the link of another room whether to go there."""
    room = room_to_visit()
    if room is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="room_invitation"):
        st.markdown(
            _(
                "You lead room **{own}**. Join room **{other}** as a student? Your room stays open, and you lead it "
                "again when you leave the other one."
            ).format(own=seat.room.code, other=room.code),
            width="stretch",
        )
        join = _("Join room {code}").format(code=room.code)
        for label, key, is_accepted in ((_("Stay"), "stay", False), (join, "visit", True)):
            st.button(
                label, on_click=answer_invitation, args=(workspace, room, is_accepted), key=f"room_{key}"
            )


def _name_of(room: Room) -> str:
    """Return what the bar calls a room, in Markdown: for who comes late, a projector shows its address."""
    if not is_presenting():
        return _("Room **{code}**").format(code=room.code)
    address = room_address(room.code).partition("//")[2].removesuffix(room.code)
    return f"{plain(address)}**{room.code}**"


@st.fragment(run_every=_TEACHER_SECONDS)
def _lead(visit: Visit, shown: _Shown, name: str) -> None:
    """Show how many are here and have answered, and the buttons of the vote."""
    shown.look()
    seat = shown.seat
    room = seat.room
    _hand_over_trained(visit.workspace, seat)
    obey_remote(room)
    tally = visit.tally(shown.question) if shown.question else None
    about = [
        name,
        ngettext("**{count}** here", "**{count}** here", room.num_here).format(count=room.num_here),
    ]
    if tally is not None:
        answered = ngettext("**{count}** answered", "**{count}** answered", tally.answered)
        is_told = _is_hurried(room, tally) and has_hurried(_asked(room, tally))
        about.append(
            few_answered(tally.answered, room.num_here) if is_told else answered.format(count=tally.answered)
        )
    about.append(_about_exercise(visit))
    if num_new := len(room.waiting):
        new = ngettext("**{count}** new sentence", "**{count}** new sentences", num_new)
        about.append(new.format(count=num_new))
    about += _about_out(room)
    if room.has_remote:
        about.append(_("**a phone** leads"))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(" · ".join(filter(None, about)), width="stretch")
        if tally is not None:
            _show_vote_buttons(room, tally)
        is_trained = {*room.accepted} <= {*visit.memory.complete_pairs}
        if not is_trained and not visit.workspace.jobs.is_training and not why_no_training():
            _offer_class_training(visit, seat)
        _show_out_buttons(room)


def _about_out(room: Room) -> list[str]:
    """Return how many have come all at once, and how many are out."""
    at_once = ngettext(
        "**{count}** came within a second", "**{count}** came within a second", room.num_at_once
    )
    out = ngettext("**{count}** is out", "**{count}** are out", room.num_out)
    found = (at_once, room.num_at_once), (out, room.num_out)
    return [text.format(count=count) for text, count in found if count]


def _show_out_buttons(room: Room) -> None:
    """Show what the teacher can do about many who have come all at once."""
    if room.num_at_once:
        st.button(
            _("Take them out"),
            icon=":material/group_remove:",
            key="room_take_out",
            help=_(
                "A class comes one after another. So many within a second may be one computer that votes for all of "
                "them. Their votes and sentences go with them, and come back with them."
            ),
            on_click=room.take_out,
        )
    if room.num_out:
        st.button(
            _("Bring them back"), icon=":material/group_add:", key="room_bring_back", on_click=room.bring_back
        )


def _about_exercise(visit: Visit) -> str:
    """Return how many have done the exercise of the step, or on Home the questions before a lesson."""
    if visit.page == HOME and visit.lesson is not None and visit.seat is not None:
        questions = asked_before(visit.lesson, visit.seat.room)
        before = visit.tally(questions[0]) if questions else None
        if before is None:
            return ""
        begun = ngettext(
            "**{count}** have begun the questions", "**{count}** have begun the questions", before.answered
        )
        return begun.format(count=before.answered)
    exercises = visit.step.exercises if visit.step else ()
    tally = visit.tally(exercises[0]) if exercises else None
    if tally is None or not tally.answered:
        return ""
    return _("exercise: **{right}** of {count} right").format(right=tally.right, count=tally.answered)


def _asked(room: Room, tally: Tally) -> Hashable:
    """Return which vote on which question it is."""
    return room.code, room.num_lessons, tally.question.key, len(tally.votes)


def _is_hurried(room: Room, tally: Tally) -> bool:
    """Return whether a vote would end now before most have answered."""
    return not tally.are_shown and are_few(tally.answered, room.num_here)


def _show_vote_buttons(room: Room, tally: Tally) -> None:
    """Show what the teacher can do next with a question: nothing is left to do once it is solved."""
    if tally.is_solved:
        return
    question = tally.question
    is_hurried = _is_hurried(room, tally)
    show = _("Show answers anyway") if is_hurried else _("Show answers")
    reveal = _("Reveal the answer anyway") if is_hurried else _("Reveal the answer")
    actions = []
    if is_hurried and not has_hurried(_asked(room, tally)):
        actions.append(
            (_("Show answers"), "bar_chart", partial(note_hurry, _asked(room, tally)), "room_show")
        )
    elif tally.answered and not tally.are_shown:
        actions.append((show, "bar_chart", partial(room.act, question, "show answers"), "room_show"))
    else:
        if tally.state == "shown":
            again = partial(room.act, question, "vote again")
            actions.append((_("Vote again"), "refresh", again, "room_again"))
        actions.append((reveal, "check", partial(room.act, question, "solve"), "room_solve"))
    for label, icon, act, key in actions:
        st.button(label, icon=f":material/{icon}:", on_click=act, key=key)


@st.fragment(run_every=_STUDENT_SECONDS)
def _attend(visit: Visit, shown: _Shown) -> None:
    """Show where the class is, if this tab is elsewhere, or what it has answered."""
    shown.look()
    seat = shown.seat
    place = seat.room.place
    if place is not None and place.page != visit.page.address:
        st.button(
            _where_class_is(place),
            icon=":material/arrow_forward:",
            type="tertiary",
            on_click=seat.follow,
            key="room_go",
        )


def _change_following(seat: Seat, key: str) -> None:
    if st.session_state[key]:
        seat.follow()
    else:
        seat.follows = False


def _where_class_is(place: Place) -> str:
    if place.page == LESSON_END.address:
        return _("The class is at **the end of the lesson**: go there")
    title = next(page.title for page in ALL_PAGES if page.address == place.page)
    return _("The class is at **{title}**: go there").format(title=title)


@st.fragment
def _show_seat(visit: Visit, shown: _Shown) -> None:
    """Show what a student can do in the room. Its own fragment: a look at the room must not disturb the typing."""
    shown.look()
    seat = shown.seat
    with st.popover(_("Room **{code}**").format(code=seat.room.code), icon=":material/groups:"):
        # A switch for each state: the browser would send its old value where a tab has stopped following by itself.
        key = f"room_follow_{seat.follows}"
        st.toggle(
            _("Follow the class"),
            value=seat.follows,
            key=key,
            on_change=_change_following,
            args=(seat, key),
            help=_("This tab goes where the class goes. Open another page to explore on your own."),
        )
        _offer_sentence(seat)
        if server_rooms().seat_of(st.context.cookies.get(SEAT_COOKIE, "")) is seat:  # a phone's, too
            # Streamlit's own links open another tab.
            back = escape(_("Back to the question"))
            st.html(f'<a href="{phone_address(seat.room.code)}" style="color: inherit">← {back}</a>')
        st.button(
            _("Leave the room"),
            type="tertiary",
            on_click=leave_room,
            args=(visit.workspace,),
            key="room_leave",
        )


# Sentences of the class, and its model


def _offer_sentence(seat: Seat) -> None:
    """Let somebody send a sentence to train on."""
    st.caption(
        _("Send a sentence. Your teacher reads it first. Then the class trains a model that learns it.")
    )
    with st.form("room_sentence", border=False, enter_to_submit=False):
        source, target = titles_of_pair(seat.room)
        st.text_input(source, max_chars=MAX_CHARACTERS, key=_SOURCE)
        st.text_input(target, max_chars=MAX_CHARACTERS, key=_TARGET)
        st.form_submit_button(
            _("Send"), type="primary", key="room_send", on_click=_send_sentence, args=(seat,)
        )


def _send_sentence(seat: Seat) -> None:
    """Send what was typed; keep it in its boxes if it cannot be sent."""
    pair = Pair(*(" ".join(st.session_state[key].split()) for key in (_SOURCE, _TARGET)))
    if not (pair.source and pair.target):
        tell(_("Type the sentence in both languages."))
        return
    try:
        seat.room.send(seat.token, pair)
    except RefusedError as error:
        tell(error)
        return
    st.session_state[_SOURCE] = st.session_state[_TARGET] = ""
    tell(_("Sent. Your teacher decides."), icon=":material/check:")


@st.fragment(run_every=_STUDENT_SECONDS)
def _show_class(visit: Visit, seat: Seat) -> None:
    """Show what the teacher can do with the room: its sentences, model, code and counts, and its end.

    The class may see it, so it has no sentence that nobody has read, and no code that leads.
    """
    room = seat.room
    # With another label, Streamlit (1.67) takes it for another popover, and closes it.
    with st.popover(_("Class"), icon=":material/groups:", key=_CLASS, on_change="rerun"):
        _show_sentences(seat)
        model = current_model(visit.workspace)
        if model is not None and not model.shipped:
            _offer_model(room, model)
        _offer_screen(seat, "code", _("Show the code to the class"), "qr_code")
        if has_app() and room.has_remote:
            take_remote_away(room, "take_remote")
        elif has_app():
            _offer_screen(seat, "remote", _("Lead from your phone"), "smartphone")
        if tallies := room.tallies():
            show_download(
                _("Download the counts"),
                lambda: csv_of_table(_table_of(tallies)),
                f"room-{room.code}.csv",
                key="room_counts",
            )
        with st.expander(_("End the room")):
            st.caption(_("It ends for everyone, and the counts go with it."))
            st.button(
                _("Close the room"),
                icon=":material/close:",
                on_click=close_room,
                args=(visit.workspace, room),
                key="room_close",
            )


def _offer_screen(seat: Seat, shows: Screen, label: str, icon: str) -> None:
    """Show the button that shows something in place of the page."""

    def show() -> None:
        seat.shows = shows
        set_value(_CLASS, False)  # the popover would stand over it

    st.button(label, icon=f":material/{icon}:", on_click=show, key=f"room_{shows}")


def _show_sentences(seat: Seat) -> None:
    """Show the sentences that wait, to be accepted or refused: those that the teacher has shown to the class."""
    room = seat.room
    waiting = room.waiting
    for sent in waiting:
        if sent.number > seat.last_read:
            continue
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{plain(sent.pair.source)} → {plain(sent.pair.target)}", width="stretch")
            st.button(
                _("Accept"), on_click=room.decide, args=(sent.number, True), key=f"accept_{sent.number}"
            )
            st.button(
                _("Refuse"), on_click=room.decide, args=(sent.number, False), key=f"refuse_{sent.number}"
            )
    if waiting and waiting[-1].number > seat.last_read:
        st.button(
            _("Read new sentences here: the class sees them"),
            icon=":material/visibility:",
            help=_("Your remote shows them to you alone."),
            on_click=setattr,
            args=(seat, "last_read", waiting[-1].number),
            key="read_sentences",
        )
    if len(waiting) > 1:
        st.button(_("Refuse all"), on_click=_refuse, args=(room, waiting), key="refuse_all")


def _refuse(room: Room, pairs: tuple[SentPair, ...]) -> None:
    """Refuse the pairs that were there when the button was shown, and none that has come since."""
    for sent in pairs:
        room.decide(sent.number, False)


def _offer_model(room: Room, model: TrainedModel) -> None:
    is_given = room.model is not None and room.model.id == model.id
    give = _("Give the class my model: {model}").format(model=plain(model.name))
    st.button(
        _("The class has this model") if is_given else give,
        icon=":material/share:",
        disabled=is_given,
        on_click=room.hand_over,
        args=(model,),
        key="room_give",
    )


def _offer_class_training(visit: Visit, seat: Seat) -> None:
    """Show the button that adds the accepted sentences to the teacher's pairs, and trains."""
    jobs = visit.workspace.jobs
    if not st.button(
        _("Train with our sentences"),
        icon=":material/model_training:",
        key="room_train",
    ):
        return
    memory = visit.memory
    accepted = seat.room.accepted
    preset = next((each for each in PRESETS.values() if each.pairs == memory.pairs), CLASSROOM)
    kept = [each for each in memory.complete_pairs if each not in memory.class_pairs]  # of another class
    pairs = tuple(dict.fromkeys((*kept, *accepted)))
    try:
        check_number_of_pairs(pairs)
        prepared = prepare_training(pairs, preset.model, preset.training, held_out=memory.held_out)
    except InputError as error:
        tell(error)
        return
    replace_pairs(memory, pairs, memory.held_out)
    memory.class_pairs = tuple(each for each in accepted if each not in kept)
    memory.watched = accepted
    before = jobs.training
    try_to_start(jobs.start_training, TrainingPlan(_(_CLASS_MODEL), prepared, wanted=accepted))
    if jobs.training is not None and jobs.training is not before:
        seat.class_training = ref(jobs.training)
    go_to(TRAIN)


def _hand_over_trained(workspace: Workspace, seat: Seat) -> None:
    """Hand the class the first model trained in the room, and the one trained with its sentences, when they are ready."""
    trained, training = workspace.models.trained, workspace.jobs.training
    if trained is None or training is None or training.active or ref(training) == seat.training_before:
        return
    is_asked_for = ref(training) == seat.class_training
    # The steps of a lesson are about the model that the teacher has trained in the first one.
    if is_asked_for or seat.room.model is None:
        seat.class_training = None
        seat.room.hand_over(trained)


def _table_of(tallies: tuple[Tally, ...]) -> pd.DataFrame:
    """Return the counts of every answer, with no names or times."""
    rows = []
    for tally in tallies:
        question = in_language(tally.question)
        for vote, votes in enumerate(tally.votes, start=1):
            options = map(text_of, question.options)
            for number, (option, count) in enumerate(zip(options, votes, strict=True)):
                is_right = _("yes") if number == question.right_option else _("no")
                rows.append((*cells_of(question), vote, option, is_right, count))
    return pd.DataFrame(rows, columns=list(map(_, _COUNTS)))
