"""The class code, the stores that all sessions of a server share, and the workspace of the current session.

Where the server has a class code, nothing else of the app runs before it is given. A link may contain the code
(`?code=…`), so that thirty people need not type it. The app removes it from the address at once, because people share
addresses. Browser history and proxy logs still keep it, so a QR code contains it only on request.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NoReturn
from uuid import uuid4
from weakref import ref

import pandas as pd
import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.language import N_, _
from core.presets import CLASSROOM, PAIRS_NAMES, Preset
from core.records.question import Answer
from core.records.text import Pair
from core.server.access import CodeLock, TooManyCodesError
from core.server.ledger import Ledger
from core.server.memory import when_short
from core.server.room import Room
from core.server.rooms import Rooms
from core.server.settings import MAX_CODE, server_settings
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingJob
from core.server.workspace import Workspace, WorkspaceStore, come_back
from pages.components.widgets.component import draw_component
from pages.content.lesson_plan import LessonPlan
from pages.content.lessons import MINE


@st.cache_resource(show_spinner=False)
def _workspace_store() -> WorkspaceStore:
    """Return the server's store of workspaces."""
    store = WorkspaceStore(server_settings().max_workspaces, is_live, has_work)
    when_short(store.forget_gone)
    return store


@st.cache_resource(show_spinner=False)
def server_rooms() -> Rooms:
    """Return the rooms of this server."""
    return Rooms()


def is_live(session_id: str) -> bool:
    """Return whether a Streamlit session still has a browser tab."""
    return get_instance().is_active_session(session_id)


# Keys of st.session_state.
_WORKSPACE = "workspace"
_SESSION = "session"


@dataclass
class _Session:
    """What a session notes about itself; a reloaded tab begins another one."""

    is_settled: bool = False  # the browser has said which workspace the tab had before a reload
    has_come_back: bool = False  # as the tab that it was before the reload; a link is then followed again
    lost: tuple[str, ...] = ()  # what the tab had before the reload and has no more, in words
    leads: str = ""  # the workspace of another tab of this browser that leads a room, or has led one
    is_signed_in: bool = False  # with the class code
    has_asked: bool = False  # the browser for the ticket of an earlier sign-in
    linked_values: dict[str, str] = field(default_factory=dict)  # by parameter; see `value_of_link`


def _session() -> _Session:
    found: _Session = st.session_state.setdefault(_SESSION, _Session())
    return found


def _own_workspace() -> Workspace:
    """Return the workspace of the current session, which it gets with its first run."""
    if _WORKSPACE not in st.session_state:
        st.session_state[_WORKSPACE] = _workspace_store().create(session_id())
    found: Workspace = st.session_state[_WORKSPACE]
    found.last_used = time.monotonic()
    _workspace_store().keep(found)
    return found


@dataclass(frozen=True)
class OwnPairs:
    """A visitor's pairs to evaluate on: from a file, or a model's examples."""

    name: str  # of the file, or of the examples
    pairs: tuple[Pair, ...]


@dataclass
class PairsTable:
    """The table of pairs on Train. What Streamlit keeps of its edits is under its key, which no other table has."""

    key: str = field(default_factory=lambda: f"pairs_{uuid4()}")
    rows: pd.DataFrame | None = None  # to which the edits are applied
    drawn: tuple[int, int] | None = None  # percent and seed of the last draw of held-out pairs


ME = ""  # whoever answers here, in a ledger of one


@dataclass
class PageMemory:
    """What the pages remember of a tab, also after a reload."""

    classroom: Preset | None = None  # whose pairs the tab has where nothing else is asked for
    pairs: tuple[Pair, ...] = CLASSROOM.pairs  # to train on
    held_out: tuple[Pair, ...] = ()  # those that the next training run does not see
    watched: tuple[Pair, ...] = ()  # those that the visitor wants to watch in it
    class_pairs: tuple[Pair, ...] = ()  # those that a class of the visitor's has added
    table: PairsTable = field(default_factory=PairsTable)  # which shows them
    # A training run, and what Train's form held then.
    form_of_run: tuple[TrainingJob | None, tuple[object, ...]] = (None, ())
    own_pairs: OwnPairs | None = None  # to evaluate on
    is_in_room: bool = False  # as the page has shown it last
    host: str = ""  # this computer's address in the network, where it was chosen among several, or typed
    class_model: TrainedModel | None = None  # that this tab has taken over from its class
    ledger: Ledger[str] = field(default_factory=Ledger)  # what was asked here and answered, by `ME`
    answering: ref[TrainingJob] | None = None  # the training that shows what is right of what Train asks
    lesson_begun: tuple[str, float] | None = None  # its name, and when by time.monotonic
    lesson_step: tuple[str, int] | None = None  # name of the lesson and number of the step that is shown
    lesson_last: tuple[str, int] | None = None  # the same, of the step that was shown last
    lesson_moved: bool = False  # to another step on the same page, and not shown yet
    lesson: LessonPlan | None = None  # of the visitor's own
    lesson_before: LessonPlan | None = None  # as it was before the last change
    linked_lesson: LessonPlan | None = None  # of the link that opened this tab

    @property
    def complete_pairs(self) -> tuple[Pair, ...]:
        """The pairs to train on, without those that are still being typed."""
        return tuple(pair for pair in self.pairs if pair.source and pair.target)

    def take_pairs(self, pairs: tuple[Pair, ...], held_out: tuple[Pair, ...] = ()) -> None:
        """Replace the pairs to train on, in a new table."""
        self.pairs = pairs
        self.held_out = held_out
        self.table = PairsTable()

    def change_lesson(self, plan: LessonPlan) -> None:
        """Change the visitor's own lesson, so that the change can be undone."""
        self.lesson_before = self.lesson
        self.lesson = replace(plan, name=MINE)

    @property
    def answers(self) -> dict[str, Answer]:
        """The first answers of this tab, by the questions' keys."""
        return self.ledger.firsts(ME)


def memory_of(workspace: Workspace) -> PageMemory:
    """Return what the pages remember of a workspace's tab."""
    if workspace.page_memory is None:
        workspace.page_memory = PageMemory()
    memory: PageMemory = workspace.page_memory
    return memory


def known_memory() -> PageMemory:
    """Return what the pages remember of this tab, nothing while its workspace is not restored."""
    workspace: Workspace | None = st.session_state.get(_WORKSPACE)
    return PageMemory() if workspace is None else memory_of(workspace)


def has_work(workspace: Workspace) -> bool:
    """Return whether a tab has models, a training run, own pairs or an own lesson, which would be lost."""
    memory = memory_of(workspace)
    has_pairs = memory.pairs not in PAIRS_NAMES or memory.own_pairs is not None
    has_lesson = bool(memory.lesson or memory.linked_lesson or memory.answers)
    models, jobs = workspace.models, workspace.jobs
    has_models = bool(models.kept) or models.language_model is not None
    has_trained = jobs.training is not None or jobs.text_training is not None
    return has_models or has_trained or has_pairs or has_lesson


def restore_workspace() -> Workspace:
    """Return the tab's workspace: after a reload, the one that it had before."""
    workspace = _own_workspace()
    session = _session()
    told = _ask_browser(workspace, session)
    session.leads = str(told.get("leads") or "")
    remembered = told.get("remembered")
    if not session.is_settled and isinstance(remembered, Mapping):
        session.is_settled = True
        session.has_come_back = True
        if not _claim_workspace(str(remembered.get("workspace")), workspace):
            has_lost_seat = (
                remembered.get("has_seat") is True and server_rooms().seat_of(workspace.id) is None
            )
            found = (
                (N_("models, pairs and lesson"), remembered.get("has_work") is True),
                (N_("place in a room"), has_lost_seat),
            )
            session.lost = tuple(what for what, is_lost in found if is_lost)
        st.rerun()
    if session.lost:
        st.toast(
            _("The server no longer has this tab's work: {what}.").format(
                what=", ".join(map(_, session.lost))
            ),
            icon=":material/restart_alt:",
            duration="infinite",
        )
        session.lost = ()
    return workspace


def _ask_browser(workspace: Workspace, session: _Session) -> Mapping[str, object]:
    """Tell the browser which workspace its tab has; return what it remembers: from before a reload, of other tabs."""
    return draw_component(
        "tab_memory",
        data={
            "workspace": workspace.id,
            "has_work": has_work(workspace),
            "has_seat": server_rooms().seat_of(workspace.id) is not None,
            "leads": server_rooms().led_by(workspace.id) is not None,
            "settled": session.is_settled,
        },
        on_remembered_change=lambda: None,
        on_leads_change=lambda: None,
        on_themed_change=lambda: None,  # the run draws the figures anew
    )


def room_led_elsewhere(workspace: Workspace) -> Room | None:
    """Return the room that another tab of this browser leads, or led before it was closed."""
    leads = _session().leads
    return server_rooms().led_by(leads) if leads != workspace.id else None


def lead_from_here(workspace: Workspace) -> None:
    """Let this tab lead the room that another one of this browser has led.

    If that tab is closed, this one has its work too, unless it has some of its own.
    """
    leads = _session().leads
    if not has_work(workspace):
        _claim_workspace(leads, workspace)
    tab = _own_workspace().id
    server_rooms().unite(leads, tab, tab)


def take_return() -> bool:
    """Return once, after a reload, whether this tab is the one again that it was before."""
    session = _session()
    has_come_back = session.has_come_back
    session.has_come_back = False
    return has_come_back


def _claim_workspace(workspace_id: str, fresh: Workspace) -> bool:
    """Take the remembered workspace and its seats unless another live tab has them; return whether it still exists."""
    found = come_back(_workspace_store(), server_rooms(), workspace_id, fresh)
    if found is None:
        return False
    if found is not fresh:
        st.session_state[_WORKSPACE] = found
    return True


def session_id() -> str:
    """Return the id of the current Streamlit session: one tab until it is reloaded."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def address() -> str:
    """Return the network address of the current session's browser; empty for one on this machine."""
    return st.context.ip_address or ""


@contextmanager
def value_of_link(parameter: str) -> Iterator[str]:
    """Take a code, or a whole lesson, out of the address; it is empty if there is none.

    Streamlit may end this run for another one before it is used. Then the next run has it again.
    """
    values = _session().linked_values
    if parameter in st.query_params:
        values[parameter] = st.query_params[parameter]
        del st.query_params[parameter]
    yield values.get(parameter, "")
    values.pop(parameter, None)  # not reached where the run ends before


SEAT_COOKIE = "transformer_classroom_seat"  # the key to a seat in a room, of a phone that has joined
CODE_IN_ADDRESS = "code"
MODEL = "model"  # key of the menu of models, also in the address
PRESET = "setting_preset"  # key of the menu of presets on Train, also in the address


@st.cache_resource(show_spinner=False)
def code_lock(code: str) -> CodeLock:
    """Return the server's check of the class code, which counts wrong codes."""
    return CodeLock(code)


def is_signed_in() -> bool:
    """Return whether this session has entered the class code, or needs none."""
    return not server_settings().class_code or _session().is_signed_in


def require_class_code() -> None:
    """Ask for the class code, where the server has one; the run ends here until it is right."""
    with value_of_link(CODE_IN_ADDRESS) as by_link:
        code = server_settings().class_code
        if not code:
            return
        lock = code_lock(code)
        _restore_sign_in(lock)
        if server_rooms().seat_of(st.context.cookies.get(SEAT_COOKIE, "")) is not None:
            _session().is_signed_in = True  # it was asked on the phone's page
        if not is_signed_in():
            _ask(lock, by_link)
    if not is_signed_in():
        st.stop()


def _ask(lock: CodeLock, by_link: str) -> None:
    message = _try(lock, by_link) if by_link else ""
    st.title("Transformer Classroom")
    with st.form("sign_in", width=420):
        typed = st.text_input(_("Class code"), max_chars=MAX_CODE, type="password", autocomplete="off")
        if st.form_submit_button(_("Enter"), type="primary", icon=":material/login:", key="enter"):
            message = _try(lock, typed or "")
    if message:
        st.error(message, icon=":material/lock:", width=420)


def _try(lock: CodeLock, code: str) -> str:
    """Sign in and rerun the page, or return an error message."""
    try:
        right = lock.check_code(code, address())
    except TooManyCodesError as error:
        return str(error)
    if right:
        _sign_in()
    return _("Wrong class code. Try again.")


def _sign_in() -> NoReturn:
    _session().is_signed_in = True
    st.rerun()


def _restore_sign_in(lock: CodeLock) -> None:
    """Sign a reloaded tab in again by its ticket, and leave a ticket for the next reload."""
    signed_in = is_signed_in()
    data = {"ticket": lock.token if signed_in else "", "asked": _session().has_asked}
    kept = draw_component("ticket", data=data, on_kept_change=lambda: None).get("kept")
    if kept:
        _session().has_asked = True
        if not signed_in and lock.is_valid_token(str(kept)):
            _sign_in()
