"""Training on a large corpus: what to choose, and what it will take."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.corpora.corpus_reading import corpora_here
from core.classroom.jobs.training_plans import plan_for_corpus
from core.classroom.settings import server_settings
from core.config import ConfigError, ModelConfig, TrainingConfig
from core.corpora.catalogue import Corpus
from core.model.weight_shapes import parameter_count
from core.presets import LARGE_PRESETS, Preset
from core.tokens.subword import SubwordTokenizer, SubwordTokenizers
from pages.components.app.models import model_for_corpus
from pages.components.app.queues import large_jobs, large_training_queue
from pages.components.train.run_plan import RunPlan
from pages.components.widgets.remembered import choose
from pages.components.widgets.settings.settings_form import SettingsForm


def plan_corpus_training(folded: DeltaGenerator) -> RunPlan | None:
    """Show corpora, presets and the settings that matter most; None where no corpus is here.

    Args:
        folded: where the settings are drawn.

    Raises:
        ConfigError: the settings do not fit together.
    """
    corpora = {name: corpus for name, corpus in corpora_here().items() if "validation" in corpus.splits_here}
    if not corpora:
        st.info(
            "No large corpus is on this machine. Get one from the command line: python -m core data ted_pt_en",
            icon=":material/download:",
        )
        return None
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        name = choose(
            "Corpus",
            {name: corpus.title for name, corpus in corpora.items()},
            key="large_corpus",
            address="corpus",
            look="menu",
        )
    with right:
        titles = {name: preset.title for name, preset in LARGE_PRESETS.items()}
        preset = LARGE_PRESETS[choose("Preset", titles, key="large_preset", address="preset")]
    st.caption(preset.description)
    with folded:
        model, training = _settings(preset)
    parameters = parameter_count(model)
    most = server_settings().max_large_parameters
    if parameters > most:
        raise ConfigError(
            f"The app trains models of at most {most:,} parameters on a corpus. Received: "
            f"{parameters:,}. Choose a smaller vocabulary or width, or train from the command line."
        )
    tokenizers = shipped_tokenizers(corpora[name], model)
    first = "that of the shipped model" if tokenizers else "learned first, which takes minutes"
    summary = (
        f"About **{parameters:,}** parameters · subwords, a vocabulary of **{model.target_vocab_size:,}** ({first}) · "
        f"**{training.epochs}** epoch{'s' if training.epochs > 1 else ''}. This takes hours on two cores; the time left "
        "is measured from the first steps on. You may leave the page and come back. Stop keeps what the model has "
        "learned."
    )
    plan = plan_for_corpus(corpora[name], tokenizers, model, training)
    return RunPlan(plan, summary, large_training_queue(), large_jobs())


def shipped_tokenizers(corpus: Corpus, model: ModelConfig) -> SubwordTokenizers | None:
    """Those of a shipped model, which learned them from the same pairs, where they have the size asked for."""
    shipped = model_for_corpus(corpus)
    if shipped is None:
        return None
    source, target = shipped.checkpoint.source_tokenizer, shipped.checkpoint.target_tokenizer
    sizes = (len(source.vocabulary), len(target.vocabulary))
    fits = sizes == (model.source_vocab_size, model.target_vocab_size)
    if not (fits and isinstance(source, SubwordTokenizer) and isinstance(target, SubwordTokenizer)):
        return None
    return source, target


def _settings(preset: Preset) -> tuple[ModelConfig, TrainingConfig]:
    model, training = preset.model, preset.training
    usual = {
        "epochs": training.epochs,
        "vocabulary": model.target_vocab_size,
        "dropout_rate": model.dropout_rate,
        "learning_rate": training.learning_rate,
    }
    form = SettingsForm(usual, f"large_{preset.name}_")
    form.number("Epochs", "epochs", 1, 100)
    form.number(
        "Vocabulary size",
        "vocabulary",
        500,
        16_000,
        step=500,
        help="How many different subwords the model has.",
    )
    form.number("Dropout", "dropout_rate", 0.0, 0.9, step=0.05)
    form.number(
        "Learning rate",
        "learning_rate",
        0.0,
        1.0,
        step=0.0005,
        format="%.4f",
        disabled=training.schedule == "warmup",
    )
    size = form.values["vocabulary"]
    return (
        model.replace(
            source_vocab_size=size, target_vocab_size=size, dropout_rate=form.values["dropout_rate"]
        ),
        training.replace(epochs=form.values["epochs"], learning_rate=form.values["learning_rate"]),
    )
