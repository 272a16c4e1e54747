"""The corpora by name, for the command line and the app's menus, and pairs read from a file."""

import random
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from core.corpora import anki, ted
from core.corpora.corpus import SPLITS, Corpus, Split, data_folder
from core.corpora.delimited import read_pairs
from core.described import described, read, setting
from core.errors import InputError
from core.language import N_
from core.records.text import Pair

_FOLDER = Path(__file__).parent


def find_corpus(name: str) -> Corpus:
    """Return the corpus called `name`.

    Raises:
        InputError: there is no such corpus.
    """
    if name not in CORPORA:
        raise InputError(f"There is no corpus {name!r:.80}. Name one of {', '.join(CORPORA)}.")
    return CORPORA[name]


def named_corpus(name: str) -> Corpus | None:
    """Return the corpus called `name`, or None if `name` is a file.

    Raises:
        InputError: it is neither.
    """
    if name not in CORPORA and not Path(name).is_file():
        raise InputError(
            f"There is no file {name}, and no corpus of that name. Name a CSV, TSV or tab-separated file, or one of "
            f"{', '.join(CORPORA)}."
        )
    return CORPORA.get(name)


def sample_pairs(pairs: Iterable[Pair], size: int | None, seed: int = 0) -> list[Pair]:
    """Draw `size` random pairs; return all in their order if there are no more, or if `size` is None."""
    everything = list(pairs)
    if size is None or size >= len(everything):
        return everything
    random.Random(seed).shuffle(everything)
    return everything[:size]


@described
class _Entry:
    """Corpora of the catalogue that differ in their languages alone."""

    name: str
    languages: list[str]  # of each corpus: the codes of source and target, as "pt_to_en"
    license: str  # in English, as all of it
    title: str = N_("{source} to {target}")
    file: str = ""
    reader: Literal["file", "ted", "anki"] = "file"
    splits: list[Split] = setting(default=[*SPLITS])
    size: str = ""  # of the download

    def corpora(self) -> Iterator[Corpus]:
        """Yield the corpora."""
        for languages in self.languages:
            source, target = languages.split("_to_")
            reader, available = _READERS[self.reader](self, languages)
            yield Corpus(
                name=self.name.format(source=source, target=target),
                wording=self.title,
                languages=(source, target),
                terms=self.license,
                splits=tuple(self.splits),
                reader=reader,
                available_splits=available,
                size=self.size,
            )


_Reader = tuple[Callable[[Split], Iterator[Pair]], Callable[[], tuple[Split, ...]]]


def _of_file(entry: _Entry, languages: str) -> _Reader:
    file = _FOLDER / entry.file
    return (lambda split: iter(read_pairs(file.read_bytes(), file.name))), lambda: tuple(entry.splits)


def _of_ted(entry: _Entry, languages: str) -> _Reader:
    return partial(ted.read_ted, languages=languages), partial(ted.prepared_splits, languages)


def _of_anki(entry: _Entry, languages: str) -> _Reader:
    source: anki.Side = "en" if languages == "en_to_fr" else "fr"
    return (
        lambda split: anki.read_anki(anki.download_anki(data_folder()), split, source=source),
        lambda: SPLITS if (data_folder() / anki.ARCHIVE).is_file() else (),
    )


# What reads each kind of corpus, and what says which splits can be read offline.
_READERS: dict[str, Callable[[_Entry, str], _Reader]] = {"file": _of_file, "ted": _of_ted, "anki": _of_anki}

_CATALOGUE = tomllib.loads((_FOLDER / "catalogue.toml").read_text(encoding="utf-8"))
_ENTRIES = [read(_Entry, values) for values in _CATALOGUE["corpora"]]
CORPORA: dict[str, Corpus] = {corpus.name: corpus for entry in _ENTRIES for corpus in entry.corpora()}
