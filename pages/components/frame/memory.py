"""What the pages remember of a tab, also after a reload."""

from dataclasses import dataclass, field, replace
from uuid import uuid4
from weakref import ref

import pandas as pd

from core.presets import CLASSROOM, PAIRS_NAMES, Preset
from core.records.question import Answer
from core.records.text import Pair
from core.server.ledger import Ledger
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingJob
from core.server.workspace import Workspace
from pages.content.lesson_plan import LessonPlan
from pages.content.lessons import MINE


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
    # What was asked here and answered, by `ME`.
    ledger: Ledger[str] = field(default_factory=lambda: Ledger(keeps_final=False))
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


def has_work(workspace: Workspace) -> bool:
    """Return whether a tab has models, a training run, own pairs or an own lesson, which would be lost."""
    memory = memory_of(workspace)
    has_pairs = memory.pairs not in PAIRS_NAMES or memory.own_pairs is not None
    has_lesson = bool(memory.lesson or memory.linked_lesson or memory.answers)
    models, jobs = workspace.models, workspace.jobs
    has_models = bool(models.kept) or models.language_model is not None
    has_trained = jobs.training is not None or jobs.text_training is not None
    return has_models or has_trained or has_pairs or has_lesson
