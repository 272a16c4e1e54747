"""The corpora by name, for the command line and the app's menus, and pairs read from a file."""

import random
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from core.corpora import anki, ted
from core.corpora.corpus import SPLITS, Corpus, CorpusError, data_folder
from core.corpora.delimited import read_pairs
from core.corpora.toy import PAIRS
from core.language import N_
from core.records.text import Pair


def find_corpus(name: str) -> Corpus:
    """Return the corpus called `name`.

    Raises:
        CorpusError: there is no such corpus.
    """
    if name not in CORPORA:
        raise CorpusError(f"There is no corpus {name!r:.80}. Name one of {', '.join(CORPORA)}.")
    return CORPORA[name]


def named_corpus(name: str) -> Corpus | None:
    """Return the corpus called `name`, or None if `name` is a file.

    Raises:
        CorpusError: it is neither.
    """
    if name not in CORPORA and not Path(name).is_file():
        raise CorpusError(
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


def _ted(languages: str) -> Corpus:
    source, target = languages.split("_to_")
    return Corpus(
        name=f"ted_{source}_{target}",
        wording=N_("TED talks, {source} to {target}"),
        languages=(source, target),
        terms=N_("CC BY-NC-ND 4.0: transcripts of TED talks, collected by Qi et al. 2018"),
        splits=SPLITS,
        reader=partial(ted.read_ted, languages=languages),
        available_splits=partial(ted.prepared_splits, languages),
        size=N_("124 MB"),
    )


def _anki(source: anki.Side, target: anki.Side) -> Corpus:
    return Corpus(
        name=f"anki_{source}_{target}",
        wording=N_("Tatoeba sentences, {source} to {target}"),
        languages=(source, target),
        terms=anki.ATTRIBUTION,
        splits=SPLITS,
        reader=lambda split: anki.read_anki(anki.download_anki(data_folder()), split, source=source),
        available_splits=lambda: SPLITS if (data_folder() / anki.ARCHIVE).is_file() else (),
        size=N_("a few MB"),
    )


def _small(source: str, target: str, wording: str) -> Corpus:
    """Return a small corpus of Tatoeba that is part of this project, to try models on."""
    file = Path(__file__).parent / "tatoeba" / f"{source}_{target}.tsv"
    return Corpus(
        name=f"tatoeba_{source}_{target}",
        wording=wording,
        languages=(source, target),
        terms=N_("CC BY 2.0 FR, attribution tatoeba.org"),
        splits=("test",),
        reader=lambda split: iter(read_pairs(file.read_bytes(), file.name)),
        available_splits=lambda: ("test",),
    )


_TOY = Corpus(
    name="toy",
    wording=N_("The fifteen classroom pairs"),
    languages=("fr", "en"),
    terms=N_("part of this project"),
    splits=("train",),
    reader=lambda split: iter(PAIRS),
    available_splits=lambda: ("train",),
)

CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        _TOY,
        _small("pt", "en", N_("204 Tatoeba sentences, {source} to {target}")),
        _small("en", "fr", N_("300 Tatoeba sentences, {source} to {target}")),
        _ted("pt_to_en"),
        _anki("en", "fr"),
        _anki("fr", "en"),
        *(_ted(languages) for languages in ted.LANGUAGES if languages != "pt_to_en"),
    )
}
