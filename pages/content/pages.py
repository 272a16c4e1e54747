"""The pages in their order, and which of them this server shows."""

from dataclasses import dataclass

from core.language import N_
from core.server.settings import server_settings
from pages.content.reader import PAGE_TEXTS


@dataclass(frozen=True)
class PageEntry:
    """One page of the app."""

    address: str  # its name in addresses
    icon: str

    @property
    def file(self) -> str:
        """Return its file, relative to the project's root."""
        return f"pages/{self.address}.py"

    @property
    def title(self) -> str:
        return PAGE_TEXTS[self.address].title

    @property
    def line(self) -> str:
        """Return what to do there; shown on Home."""
        return PAGE_TEXTS[self.address].line


HOME = PageEntry("home", ":material/home:")
TEXT_AS_NUMBERS = PageEntry("text_as_numbers", ":material/pin:")
POSITIONAL_ENCODING = PageEntry("positional_encoding", ":material/waves:")
ATTENTION_BY_HAND = PageEntry("attention_by_hand", ":material/calculate:")
MASKS = PageEntry("masks", ":material/visibility_off:")
LEARNING_RATE = PageEntry("learning_rate", ":material/trending_up:")
ARCHITECTURE = PageEntry("architecture", ":material/account_tree:")
TRANSLATE = PageEntry("translate", ":material/translate:")
ATTENTION_MAPS = PageEntry("attention_maps", ":material/grid_on:")
DECODING = PageEntry("decoding", ":material/stairs:")
INSIDE = PageEntry("inside", ":material/biotech:")
GPT = PageEntry("gpt", ":material/smart_toy:")
TRAIN = PageEntry("train", ":material/model_training:")
EVALUATE = PageEntry("evaluate", ":material/analytics:")
CHECKPOINTS = PageEntry("checkpoints", ":material/inventory_2:")
DATA = PageEntry("data", ":material/dataset:")
LESSON_END = PageEntry("lesson_end", ":material/flag:")  # the last step of every lesson
MY_LESSON = PageEntry("my_lesson", ":material/playlist_add_check:")
MY_ANSWERS = PageEntry("my_answers", ":material/fact_check:")

# The menu: its headings with their pages.
SECTIONS: dict[str, tuple[PageEntry, ...]] = {
    "": (HOME,),
    N_("Understand"): (
        TEXT_AS_NUMBERS,
        POSITIONAL_ENCODING,
        ATTENTION_BY_HAND,
        MASKS,
        LEARNING_RATE,
        ARCHITECTURE,
    ),
    N_("Use a model"): (TRANSLATE,),
    N_("Look inside"): (ATTENTION_MAPS, DECODING, INSIDE, GPT),
    N_("Make a model"): (DATA, TRAIN, EVALUATE, CHECKPOINTS),
}

PAGES = tuple(page for pages in SECTIONS.values() for page in pages)
# With those that are not in the menu, or only at times. Every server shows them.
ALL_PAGES = (*PAGES, LESSON_END, MY_LESSON, MY_ANSWERS)


def is_shown(page: PageEntry) -> bool:
    """Return whether this server shows a page."""
    shown = server_settings().pages
    return not shown or page == HOME or page not in PAGES or page.address in shown
