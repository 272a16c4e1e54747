"""What to evaluate: model, pairs, search."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.classroom.corpora import corpora_here, read_sample
from core.classroom.evaluation_job import EvaluationPlan
from core.classroom.models import TrainedModel
from core.classroom.settings import server_settings
from core.classroom.workspace import Workspace
from core.corpora.corpus import Corpus, Split
from core.records import Pair
from pages.components.evaluate.corpus_notes import languages_differ, note_on, note_on_missing
from pages.components.evaluate.own_file import ask_own_pairs
from pages.components.widgets.model.current_model import current_model
from pages.components.widgets.model.model_choice import all_models, label_of
from pages.components.widgets.remembered import choose
from pages.components.widgets.settings.decoding_settings import decoding_settings

OWN = "own"
SIZES = (20, 50, 100, 200, 500, 1000)  # pairs; the last choice is as many as the server allows
USUAL_SIZE = 200


def plan_evaluation(workspace: Workspace) -> EvaluationPlan | None:
    """Show the settings; None where something is missing still."""
    left, right = st.columns(2, gap="medium")
    with left:
        model = _choose_model(workspace)
    if model is None:
        st.info("There is no model to evaluate. Train one first.", icon=":material/school:")
        return None
    with right:
        data = _choose_data(model)
    if data == OWN:
        if missing := note_on_missing(model):
            st.caption(missing)
        pairs = ask_own_pairs(workspace, model)
        decoding = decoding_settings(may_sample=False)
        if pairs is None:
            return None
        return EvaluationPlan(
            model,
            f"{pairs.name}, {len(pairs.pairs):,} pairs",
            "",
            lambda: pairs.pairs,
            decoding,
        )
    corpus = corpora_here()[data]
    split, size = _choose_sample(corpus)
    decoding = decoding_settings(may_sample=False)
    if languages_differ(model, corpus):
        st.warning(
            f"This model translates {model.source_language} to {model.target_language}; these pairs are in other "
            f"languages ({corpus.title}). The scores will be close to 0.",
            icon=":material/translate:",
        )
    read: Callable[[], list[Pair]] = partial(read_sample, corpus.name, split, size)
    return EvaluationPlan(
        model=model,
        data=f"{corpus.title}, {split}, up to {size:,} pairs",
        note=note_on(corpus, split),
        read=read,
        decoding=decoding,
    )


def _choose_model(workspace: Workspace) -> TrainedModel | None:
    models = all_models(workspace)
    if not models:
        return None
    current = current_model(workspace)
    name = choose(
        "Model",
        {model.id: label_of(model) for model in models.values()},
        key="evaluation_model_",
        default=current.id if current else None,
        address="model",
        look="menu",
    )
    return models[name]


def _choose_data(model: TrainedModel) -> str:
    corpora = corpora_here()
    fitting = [
        name
        for name, corpus in corpora.items()
        if not languages_differ(model, corpus) and "validation" in corpus.splits_here
    ]
    return choose(
        "Sentence pairs",
        {**{name: corpus.title for name, corpus in corpora.items()}, OWN: "Your own file"},
        key=f"evaluation_data_{model.id}",
        default=(fitting[0] if fitting else OWN) if model.is_subword else "toy",
        address="data",
        look="menu",
        help="The corpora on this machine. To get another one, run for example: python -m core data ted_pt_en",
    )


def _choose_sample(corpus: Corpus) -> tuple[Split, int]:
    first, second = st.columns(2, vertical_alignment="bottom")
    with first:
        split = choose(
            "Split",
            corpus.splits_here,
            key=f"evaluation_split_{corpus.name}",
            default="validation",
            address="split",
            help="Models are trained on train, chosen on validation, and reported on test.",
        )
    with second:
        size = choose(
            "Max pairs",
            {number: f"{number:,}" for number in (*SIZES, server_settings().max_evaluated)},
            key="evaluation_size_",
            default=USUAL_SIZE,
            address="size",
            look="slider",
            help="A random sample. 200 give a first impression within seconds; scores of fewer than 1,000 pairs vary by "
            "a point or two from sample to sample.",
        )
    return split, size
