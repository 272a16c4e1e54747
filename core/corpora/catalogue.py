"""The corpora by name, for the command line and the app's menus."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from core.corpora import anki, ted
from core.corpora.data_folder import data_folder
from core.corpora.delimited import CorpusError
from core.corpora.split import SPLITS, Split
from core.corpora.toy import PAIRS
from core.records import Pair

LANGUAGE_NAMES = {
    "az": "Azerbaijani", "be": "Belarusian", "en": "English", "es": "Spanish", "fr": "French", "gl": "Galician",
    "he": "Hebrew", "it": "Italian", "pt": "Portuguese", "ru": "Russian", "tr": "Turkish",
    "aztr": "Azerbaijani and Turkish", "beru": "Belarusian and Russian", "glpt": "Galician and Portuguese",
}  # fmt: skip


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs of two languages, by name."""

    name: str
    title: str  # for people
    source_language: str  # a code, "pt"
    target_language: str
    licence: str  # with attribution
    splits: tuple[Split, ...]
    reader: Callable[[Split], Iterator[Pair]]
    finder: Callable[[], tuple[Split, ...]]

    def read(self, split: Split) -> Iterator[Pair]:
        """Stream one split; the corpus is downloaded if it is not here.

        Raises:
            CorpusError: the data cannot be downloaded or are damaged, or there is no such split.
        """
        if split not in self.splits:
            raise CorpusError(
                f"There is no {split} split of {self.name}. Choose one of {', '.join(self.splits)}."
            )
        return self.reader(split)

    @property
    def languages(self) -> tuple[str, str]:
        """Codes of source and target language."""
        return self.source_language, self.target_language

    @property
    def language_names(self) -> tuple[str, str]:
        """English names of source and target language, as in checkpoints."""
        return LANGUAGE_NAMES[self.source_language], LANGUAGE_NAMES[self.target_language]

    @property
    def splits_here(self) -> tuple[Split, ...]:
        """The splits that can be read offline."""
        return self.finder()

    @property
    def is_here(self) -> bool:
        """Whether any of it can be read offline."""
        return bool(self.splits_here)


def find_corpus(name: str) -> Corpus:
    """The corpus of that name.

    Raises:
        CorpusError: there is none.
    """
    if name not in CORPORA:
        raise CorpusError(f"There is no corpus {name!r:.80}. Name one of {', '.join(CORPORA)}.")
    return CORPORA[name]


def sample_pairs(pairs: Iterable[Pair], size: int | None, seed: int = 0) -> list[Pair]:
    """Random pairs, or all in their order if there are no more or `size` is None."""
    everything = list(pairs)
    if size is None or size >= len(everything):
        return everything
    random.Random(seed).shuffle(everything)
    return everything[:size]


_TOY = Corpus(
    name="toy",
    title="The fifteen classroom pairs",
    source_language="fr",
    target_language="en",
    licence="part of this project",
    splits=("train",),
    reader=lambda split: iter(PAIRS),
    finder=lambda: ("train",),
)


def _ted(languages: str) -> Corpus:
    source, target = languages.split("_to_")
    return Corpus(
        name=f"ted_{source}_{target}",
        title=f"TED talks, {LANGUAGE_NAMES[source]} to {LANGUAGE_NAMES[target]}",
        source_language=source,
        target_language=target,
        licence="CC BY-NC-ND 4.0: transcripts of TED talks, collected by Qi et al. 2018",
        splits=SPLITS,
        reader=partial(ted.read_ted, languages=languages),
        finder=partial(ted.prepared_splits, languages),
    )


def _anki(source: anki.Side, target: anki.Side) -> Corpus:
    return Corpus(
        name=f"anki_{source}_{target}",
        title=f"Tatoeba sentences, {LANGUAGE_NAMES[source]} to {LANGUAGE_NAMES[target]}",
        source_language=source,
        target_language=target,
        licence=anki.ATTRIBUTION,
        splits=SPLITS,
        reader=lambda split: anki.read_anki(anki.download_anki(data_folder()), split, source=source),
        finder=lambda: SPLITS if (data_folder() / anki.ARCHIVE).is_file() else (),
    )


CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        _TOY,
        _ted("pt_to_en"),
        _anki("en", "fr"),
        _anki("fr", "en"),
        *(_ted(languages) for languages in ted.LANGUAGES if languages != "pt_to_en"),
    )
}
