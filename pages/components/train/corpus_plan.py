"""Training on a large corpus: what to choose, and what it will take."""

from __future__ import annotations

import streamlit as st

from core.classroom.corpus_reading import corpora_here
from core.classroom.limits import MAX_LARGE_PARAMETERS
from core.classroom.training_plans import plan_for_corpus
from core.config import ConfigError, ModelConfig, TrainingConfig
from core.corpora.catalogue import Corpus
from core.explanations import EXPLANATIONS
from core.model.weight_shapes import parameter_count
from core.presets import LARGE_PRESETS, Preset
from core.tokens.subword import SubwordTokenizer
from core.training.recipe import SubwordTokenizers
from pages.components.app.resources import large_jobs, large_queue, model_for_corpus
from pages.components.train.run_plan import RunPlan

_KEEP = "corpus_training"  # what was chosen, through visits to other pages


def plan_corpus_training() -> RunPlan | None:
    """Show corpora, presets and the settings that matter most; None where no corpus is here.

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
        name = st.selectbox(
            "Corpus",
            list(corpora),
            format_func=lambda name: corpora[name].title,
            key=_remembered("corpus", next(iter(corpora))),
        )
    with right:
        chosen = st.segmented_control(
            "Preset",
            list(LARGE_PRESETS),
            format_func=lambda name: LARGE_PRESETS[name].title,
            required=True,
            key=_remembered("preset", next(iter(LARGE_PRESETS))),
        )
    preset = LARGE_PRESETS[chosen or next(iter(LARGE_PRESETS))]
    st.caption(preset.description)
    model, training = _settings(preset)
    parameters = parameter_count(model)
    if parameters > MAX_LARGE_PARAMETERS:
        raise ConfigError(
            f"The app trains models of at most {MAX_LARGE_PARAMETERS:,} parameters on a corpus. Received: "
            f"{parameters:,}. Choose a smaller vocabulary or width, or train from the command line."
        )
    tokenizers = shipped_tokenizers(corpora[name], model)
    first = "that of the shipped model" if tokenizers else "learned first, which takes minutes"
    summary = (
        f"About **{parameters:,}** parameters · pieces of words, a vocabulary of "
        f"**{model.target_vocab_size:,}** ({first}) · **{training.epochs}** epoch{'s' if training.epochs > 1 else ''}. "
        "This takes hours on two cores; the time left is measured from the first steps on. Leave the page and come "
        "back as you like. Stop keeps what has been learnt."
    )
    plan = plan_for_corpus(corpora[name], tokenizers, model, training)
    return RunPlan(plan, summary, large_queue(), large_jobs())


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
    with st.expander("Settings: what matters most", icon=":material/tune:"):
        columns = st.columns(4)
        epochs = _number(columns[0], preset, "Epochs", "epochs", training.epochs, 1, 100)
        entries = _number(
            columns[1], preset, "Vocabulary", "vocabulary", model.target_vocab_size, 500, 16_000, step=500
        )
        dropout = _number(
            columns[2], preset, "Dropout", "dropout_rate", model.dropout_rate, 0.0, 0.9, step=0.05
        )
        rate = _number(
            columns[3],
            preset,
            "Learning rate",
            "learning_rate",
            training.learning_rate,
            0.0,
            1.0,
            step=0.0005,
            disabled=training.schedule == "warmup",
        )
    return (
        model.replace(
            source_vocab_size=int(entries), target_vocab_size=int(entries), dropout_rate=float(dropout)
        ),
        training.replace(epochs=int(epochs), learning_rate=float(rate)),
    )


def _number(
    column: st.delta_generator.DeltaGenerator,
    preset: Preset,
    label: str,
    name: str,
    usual: float,
    low: float,
    high: float,
    step: float | None = None,
    disabled: bool = False,
) -> float:
    explanation = EXPLANATIONS.get(name, "How many different pieces of words the model knows.")
    value: float = column.number_input(
        label,
        low,
        high,
        step=step,
        format="%.4f" if name == "learning_rate" else None,
        key=_remembered(f"{preset.name}_{name}", usual),
        disabled=disabled,
        help=explanation,
    )
    return value


def _remembered(name: str, usual: object) -> str:
    """The key of a widget that keeps what was chosen when its page is left."""
    kept = st.session_state.setdefault(_KEEP, {})
    key = f"large_{name}"
    st.session_state[key] = kept[key] = st.session_state.get(key, kept.get(key, usual))
    return key
