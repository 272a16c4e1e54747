"""What differs between the two kinds of training: on a few pairs at once, on a large corpus after a while."""

from __future__ import annotations

from functools import partial

from core.classroom.corpora.corpus_reading import read_split
from core.classroom.jobs.training_job import NUM_PREVIEW_SENTENCES, TrainingPlan, long_pace, short_pace
from core.config import ModelConfig, TrainingConfig
from core.corpora.catalogue import Corpus, sample_pairs
from core.records import Pair
from core.tokens.subword import SubwordTokenizers
from core.training.recipe import (
    Announce,
    PreparedTraining,
    TrainingCorpus,
    prepare_subword_training,
)

NUM_VALIDATION = 500  # pairs that each epoch is judged by


def plan_for_pairs(name: str, prepared: PreparedTraining) -> TrainingPlan:
    """A training on a few pairs, which are prepared already."""
    return TrainingPlan(
        name,
        prepared.training,
        lambda report: prepared,
        lambda pairs: pairs[:NUM_PREVIEW_SENTENCES],
        short_pace(),
    )


def plan_for_corpus(
    corpus: Corpus, tokenizers: SubwordTokenizers | None, model: ModelConfig, training: TrainingConfig
) -> TrainingPlan:
    """A training on a large corpus, which is prepared when the training's turn comes.

    Args:
        corpus: that is here.
        tokenizers: None learns the vocabularies from the corpus first.
        model: its vocabulary sizes are those asked for.
        training: how to train it.
    """
    prepare = partial(_prepare, corpus, tokenizers, model, training)
    return TrainingPlan(corpus.title, training, prepare, _shortest, long_pace())


def _prepare(
    corpus: Corpus,
    tokenizers: SubwordTokenizers | None,
    model: ModelConfig,
    training: TrainingConfig,
    report: Announce,
) -> PreparedTraining:
    report(f"Reading {corpus.title}.")
    pairs = read_split(corpus.name, "train")

    def held_out() -> list[Pair]:
        if "validation" not in corpus.splits_here:
            return []
        return sample_pairs(read_split(corpus.name, "validation"), NUM_VALIDATION)

    here = TrainingCorpus(lambda: pairs, held_out, corpus.languages)
    return prepare_subword_training(here, model, training, tokenizers, report)


def _shortest(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """A model that has just begun to learn manages short sentences first."""
    return tuple(sorted(pairs, key=lambda pair: len(pair.source)))[:NUM_PREVIEW_SENTENCES]
