"""The interface of corpora: sentence pairs of two languages in splits, and the folder of downloaded ones."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.corpora.languages import language_name
from core.errors import InputError
from core.language import _
from core.records.text import Pair

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")

DATA_VARIABLE = "TRANSFORMER_CLASSROOM_DATA"


@dataclass(frozen=True)
class Corpus:
    """A named corpus of sentence pairs of two languages."""

    name: str
    wording: str  # of the title in English, with {source} and {target} for the languages
    languages: tuple[str, str]  # codes of source and target, "pt" and "en"
    terms: str  # the licence with attribution, in English
    splits: tuple[Split, ...]
    reader: Callable[[Split], Iterator[Pair]]
    available_splits: Callable[[], tuple[Split, ...]]  # those that can be read offline
    size: str = ""  # in English; the size of its download, "124 MB"; empty if it is part of this project

    def read(self, split: str) -> Iterator[Pair]:
        """Stream one split, after downloading the corpus if necessary.

        Raises:
            InputError: the data cannot be downloaded or are damaged, or there is no such split.
        """
        for one in self.splits:
            if one == split:
                return self.reader(one)
        raise InputError(
            _("There is no {split} split of {corpus}. Choose one of {splits}.").format(
                split=split[:80], corpus=self.name, splits=", ".join(self.splits)
            )
        )

    @property
    def title(self) -> str:
        """The corpus in words, for people."""
        source, target = map(_, self.language_names)
        return _(self.wording).format(source=source, target=target)

    @property
    def licence(self) -> str:
        """Its licence, with attribution."""
        return _(self.terms)

    @property
    def download(self) -> str:
        """The size of its download; empty if it is part of this project."""
        return _(self.size) if self.size else ""

    @property
    def language_names(self) -> tuple[str, str]:
        """The English names of source and target language, as in checkpoints."""
        source, target = self.languages
        return language_name(source), language_name(target)

    @property
    def evaluation_split(self) -> Split:
        """The split on which models are compared: validation, else the last one."""
        return "validation" if "validation" in self.splits else self.splits[-1]

    @property
    def is_available(self) -> bool:
        """Whether any split can be read offline."""
        return bool(self.available_splits())


def data_folder() -> Path:
    """Return the folder of downloaded corpora, which need not exist.

    It is the value of the environment variable TRANSFORMER_CLASSROOM_DATA, else ~/.cache/transformer-classroom.
    """
    named = os.environ.get(DATA_VARIABLE)
    return Path(named) if named else Path.home() / ".cache" / "transformer-classroom"
