"""The pages in their order, and which of them this server shows."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from core.server.settings import server_settings
from pages.content.reader import PAGE_TEXTS


@dataclass(frozen=True)
class PageEntry:
    """One page of the app."""

    file: str  # relative to the project's root
    title: str
    icon: str
    line: str  # what to do there; shown on Home

    @property
    def address(self) -> str:
        """Return the page's name in addresses."""
        return PurePosixPath(self.file).stem


def _entry(address: str, icon: str) -> PageEntry:
    texts = PAGE_TEXTS[address]
    return PageEntry(f"pages/{address}.py", texts.title, icon, texts.line)


HOME = _entry("home", ":material/home:")
TEXT_AS_NUMBERS = _entry("text_as_numbers", ":material/pin:")
POSITIONAL_ENCODING = _entry("positional_encoding", ":material/waves:")
ATTENTION_BY_HAND = _entry("attention_by_hand", ":material/calculate:")
MASKS = _entry("masks", ":material/visibility_off:")
LEARNING_RATE = _entry("learning_rate", ":material/trending_up:")
ARCHITECTURE = _entry("architecture", ":material/account_tree:")
TRANSLATE = _entry("translate", ":material/translate:")
ATTENTION_MAPS = _entry("attention_maps", ":material/grid_on:")
DECODING = _entry("decoding", ":material/stairs:")
INSIDE = _entry("inside", ":material/biotech:")
TRAIN = _entry("train", ":material/model_training:")
EVALUATE = _entry("evaluate", ":material/analytics:")
CHECKPOINTS = _entry("checkpoints", ":material/inventory_2:")
DATA = _entry("data", ":material/dataset:")
LESSON_END = _entry("lesson_end", ":material/flag:")  # the last step of every lesson
MY_LESSON = _entry("my_lesson", ":material/playlist_add_check:")
MY_ANSWERS = _entry("my_answers", ":material/fact_check:")

# The menu: its headings with their pages.
SECTIONS: dict[str, tuple[PageEntry, ...]] = {
    "": (HOME,),
    "Understand": (
        TEXT_AS_NUMBERS,
        POSITIONAL_ENCODING,
        ATTENTION_BY_HAND,
        MASKS,
        LEARNING_RATE,
        ARCHITECTURE,
    ),
    "Use a model": (TRANSLATE,),
    "Look inside": (ATTENTION_MAPS, DECODING, INSIDE),
    "Make a model": (DATA, TRAIN, EVALUATE, CHECKPOINTS),
}

PAGES = tuple(page for pages in SECTIONS.values() for page in pages)
# With those that are not in the menu, or only at times. Every server shows them.
ALL_PAGES = (*PAGES, LESSON_END, MY_LESSON, MY_ANSWERS)


def is_shown(page: PageEntry) -> bool:
    """Return whether this server shows a page."""
    shown = server_settings().pages
    return not shown or page == HOME or page not in PAGES or page.address in shown
