"""All pages in their order: what the menu shows, and Home with a line each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from core.classroom.settings import server_settings


@dataclass(frozen=True)
class PageEntry:
    """One page of the app."""

    file: str  # from the project's root
    title: str
    icon: str
    line: str  # what a person does there

    @property
    def address(self) -> str:
        """What stands for it in an address."""
        return PurePosixPath(self.file).stem


HOME = PageEntry("pages/home.py", "Home", ":material/home:", "Where to begin.")
TEXT_AS_NUMBERS = PageEntry(
    "pages/text_as_numbers.py",
    "Text as numbers",
    ":material/pin:",
    "Follow sentences from words to ids to vectors: a model can only read numbers.",
)
POSITIONAL_ENCODING = PageEntry(
    "pages/positional_encoding.py",
    "Positional encoding",
    ":material/waves:",
    "See how sines and cosines encode the position of each word.",
)
ATTENTION_BY_HAND = PageEntry(
    "pages/attention_by_hand.py",
    "Attention by hand",
    ":material/calculate:",
    "Change a few numbers and follow attention cell by cell.",
)
MASKS = PageEntry(
    "pages/masks.py",
    "Masks",
    ":material/visibility_off:",
    "Hide padding and future positions, and see what a model does without its masks.",
)
LEARNING_RATE = PageEntry(
    "pages/learning_rate.py",
    "Learning-rate schedule",
    ":material/trending_up:",
    "Plot the learning rate over the training steps, and see where it peaks.",
)
ARCHITECTURE = PageEntry(
    "pages/architecture.py",
    "Architecture",
    ":material/account_tree:",
    "Open every part of the model: its input, its output and its parameters.",
)
TRANSLATE = PageEntry(
    "pages/translate.py",
    "Translate",
    ":material/translate:",
    "Type a sentence, and see its tokens and the candidates at each decoding step.",
)
ATTENTION_MAPS = PageEntry(
    "pages/attention_maps.py",
    "Attention maps",
    ":material/grid_on:",
    "See which words each word attends to, in every layer and head.",
)
DECODING = PageEntry(
    "pages/decoding.py",
    "Decoding step by step",
    ":material/stairs:",
    "Follow a translation token by token, and see how it continues from another token.",
)
INSIDE = PageEntry(
    "pages/inside.py",
    "What the model computes",
    ":material/biotech:",
    "See what each layer would predict, switch heads off, and measure what the translation depends on.",
)
TRAIN = PageEntry(
    "pages/train.py",
    "Train",
    ":material/model_training:",
    "Press one button and watch a Transformer learn fifteen sentences, or your own.",
)
EVALUATE = PageEntry(
    "pages/evaluate.py",
    "Evaluate",
    ":material/analytics:",
    "Measure how good a model is on sentences it has not seen, and compare two.",
)
CHECKPOINTS = PageEntry(
    "pages/checkpoints.py",
    "Checkpoints",
    ":material/inventory_2:",
    "All models with their cards and sizes: download them, or open your own.",
)
DATA = PageEntry(
    "pages/data.py",
    "Data",
    ":material/dataset:",
    "Read and search the sentence pairs that models learn from, and see how long they are.",
)

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
"""The menu: its headings, and the pages below each."""

PAGES = tuple(page for pages in SECTIONS.values() for page in pages)

TEACHER = PageEntry(
    "pages/teacher.py",
    "Teacher",
    ":material/co_present:",
    "See how the server is doing, and put an address on the projector.",
)
"""In nobody's menu but the teacher's."""


def is_shown(page: PageEntry) -> bool:
    """Whether this server shows a page to the class."""
    shown = server_settings().pages
    return not shown or page == HOME or page.address in shown
