"""What people should know of a corpus before they believe a score on it."""

from __future__ import annotations

from core.classroom.models import TrainedModel
from core.corpora.catalogue import CORPORA
from core.corpora.corpus import Corpus, Split


def languages_differ(model: TrainedModel, corpus: Corpus) -> bool:
    """Whether the corpus is surely not in the model's languages."""
    if not model.source_language:
        return False  # the checkpoint does not say
    return corpus.language_names != (model.source_language, model.target_language)


def note_on(corpus: Corpus, split: Split) -> str:
    """What people should know before they believe the scores."""
    if split == "train":
        return (
            "The model may have been trained on these very sentences: such scores say little about new ones."
        )
    if corpus.name == "ted_pt_en" and split == "validation":
        return (
            "20 of the 1,193 validation pairs are also in the training split; they raise the scores a little."
        )
    if corpus.name.startswith("anki"):
        return (
            "The split is by English sentence: no English sentence is both in training and here, with any of its "
            "translations. Otherwise the scores would mean nothing, since this corpus repeats sentences."
        )
    return ""


def note_on_missing(model: TrainedModel) -> str:
    """Which corpus would fit a model, where it is not on this machine; Markdown."""
    if not model.is_subword:
        return ""  # it knows the words of its own pairs alone
    fitting = [corpus for corpus in CORPORA.values() if not languages_differ(model, corpus)]
    corpus = next((each for each in fitting if not each.is_here), None)
    if corpus is None:
        return ""
    return (
        f"{corpus.title} would fit this model but is not on this machine. Upload your own pairs, or ask whoever "
        f"runs this server to fetch it: `python -m core data {corpus.name}`"
    )
