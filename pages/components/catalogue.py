"""All pages in their order: what the menu shows, and Home with a line each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PageEntry:
    """One page of the app."""

    file: str  # from the project's root
    title: str
    icon: str
    line: str  # what a person does there


HOME = PageEntry("pages/home.py", "Home", ":material/home:", "Where to begin.")
TRAIN = PageEntry(
    "pages/train.py",
    "Train",
    ":material/model_training:",
    "Press one button and watch a Transformer learn fifteen sentences, or your own.",
)
TRANSLATE = PageEntry(
    "pages/translate.py",
    "Translate",
    ":material/translate:",
    "Type a sentence, see it as the model does, and what it might have said instead.",
)
ATTENTION_MAPS = PageEntry(
    "pages/attention_maps.py",
    "Attention maps",
    ":material/grid_on:",
    "See which word each word looked at, in every layer and head.",
)

PAGES = (HOME, TRAIN, TRANSLATE, ATTENTION_MAPS)
