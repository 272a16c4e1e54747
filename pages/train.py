"""Train a model on fifteen pairs or on one's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.jobs import Status, duration
from core.classroom.models import file_name
from core.classroom.settings import server_settings
from core.classroom.training_job import TrainingJob, TrainingPlan, TrainingProgress
from core.classroom.workspace import Workspace, why_no_training
from core.config import (
    Activation,
    ConfigError,
    ModelConfig,
    NormPlacement,
    PositionalEncoding,
    ScheduleName,
    TrainingConfig,
)
from core.corpora.corpus import CorpusError
from core.corpora.delimited import FileColumns, columns_of, read_pairs, write_pairs
from core.corpora.toy import PAIRS
from core.figures.training import training_curves_figure
from core.presets import CLASSROOM, PRESETS, Preset
from core.records import EpochReport, Pair, Translation
from core.training.batches import TrainingPairs
from core.training.estimate import compile_seconds, step_seconds
from core.training.pairs import PipelineError
from core.training.reading import read_training
from core.training.recipe import PreparedTraining, prepare_word_training
from core.weights import parameter_count
from pages.components.content import PAGE_TEXTS, plain
from pages.components.figures import ROW_HEIGHT, are_long, show_figure
from pages.components.inputs import MAX_PAIRS_BYTES, SettingsForm, ask_pairs_file
from pages.components.jobs import show_continue, show_stop, training_queue, try_to_start
from pages.components.menu import ATTENTION_MAPS, TRANSLATE, link_to
from pages.components.models import (
    CLASSROOM_NAME,
    describe_current_model,
    preload_tensorflow,
    show_live_training,
    training_is_off,
)
from pages.components.session import current_workspace
from pages.components.share import is_presenting
from pages.components.state import choose, set_value
from pages.components.views import offer_exercise, show_heading

_HELD_OUT = (0, 10, 20, 30, 50)  # percent of the pairs
_EPOCHS_MORE = 100  # that a finished training goes on for
_MAX_PREPARED = 16  # of all visitors; 1 MB of pairs, the most that is read, becomes a few MB
_MAX_MOMENTS = 6  # at which sample translations are shown
_ROWS_AT_ONCE = 20  # of the results, before the table scrolls
_HALF = 165  # pixels: half of the table of samples

_SETTING = "setting_"  # before the fields in keys of the settings
_FILE = "pairs_file"  # keys of st.session_state
_COLUMNS = "pairs_columns"  # of the file that lies in the box
_CHOSEN = ("pairs_source_column", "pairs_target_column")
_NOTE = "pairs_note"  # what was read, in Markdown
_PROBLEM = "pairs_problem"
_VERSION = "pairs_version"  # a new one makes a new table, without the old one's edits
_BASE = "pairs_base"  # what the table's edits count from
_UNSEEN = "settings_unseen"  # by field: what the browser shows, and what was set since
# Whether this run of the page starts a training with the settings as they are now.
_STARTS = "experiment_starts"


def ask_settings(folded: DeltaGenerator) -> tuple[Preset, ModelConfig, TrainingConfig]:
    """Show the presets and, folded, every hyperparameter.

    Args:
        folded: where the hyperparameters are drawn.

    Raises:
        ConfigError: the settings do not fit together.
    """
    chosen = choose(
        "Preset",
        {name: preset.title for name, preset in PRESETS.items()},
        key=f"{_SETTING}preset",
        default=CLASSROOM.name,
        help="  \n".join(f"**{preset.title}**: {preset.description}" for preset in PRESETS.values()),
        on_change=_apply_preset,
    )
    preset = PRESETS[chosen]
    with folded:
        st.caption(f"**{preset.title}**: {preset.description}")
        st.markdown("**The model**")
        model = _ask_model_settings(preset.model.to_dict())
        st.markdown("**The training**")
        training = _ask_training_settings(preset.training.to_dict())
        st.button("Back to the preset", icon=":material/undo:", on_click=_apply_preset)
    return preset, preset.model.replace(**model), preset.training.replace(**training)


def _ask_model_settings(usual: dict[str, Any]) -> dict[str, Any]:
    form = SettingsForm(usual, _SETTING)
    form.number("Layers", "num_layers", 1, 6)
    form.number("Heads", "num_heads", 1, 8)
    form.number("d_model", "d_model", 4, 256)
    form.number("d_ff", "d_ff", 4, 1024)
    form.number("Dropout", "dropout_rate", 0.0, 0.9, step=0.05)
    form.choice("Positional encoding", "positional_encoding", get_args(PositionalEncoding))
    form.choice("Activation", "activation", get_args(Activation))
    form.choice("Layer norm", "norm", get_args(NormPlacement))
    form.switch("Tie embeddings", "tie_embeddings")
    return form.values


def _ask_training_settings(usual: dict[str, Any]) -> dict[str, Any]:
    form = SettingsForm(usual, _SETTING)
    form.number("Epochs", "epochs", 1, server_settings().max_epochs)
    form.number("Batch size", "batch_size", 1, 64)
    form.choice("Learning-rate schedule", "schedule", get_args(ScheduleName))
    schedule = form.values["schedule"]
    is_fixed = schedule == "warmup"
    form.number("Learning rate", "learning_rate", 0.0, 1.0, step=0.0005, format="%.5f", disabled=is_fixed)
    form.number("Warmup steps", "warmup_steps", 1, 100_000, disabled=schedule == "constant")
    form.number("Label smoothing", "label_smoothing", 0.0, 0.9, step=0.05)
    form.number("Seed", "seed", 0, 2**31 - 1)
    return form.values


def _apply_preset() -> None:
    chosen = st.session_state.get(f"{_SETTING}preset")
    if chosen is not None:
        preset = PRESETS[chosen]
        _set_settings({**preset.model.to_dict(), **preset.training.to_dict()})


def _set_settings(values: dict[str, Any]) -> None:
    """Set them, perhaps while they are folded: a browser (Streamlit 1.67) goes on sending what they showed last."""
    unseen = st.session_state.setdefault(_UNSEEN, {})
    for field, value in values.items():
        shown, _ = unseen.get(field, (st.session_state.get(_SETTING + field), value))
        unseen[field] = shown, value
        set_value(_SETTING + field, value)


def keep_settings(are_seen: bool) -> None:
    """Before they are drawn: put those back that the browser has not seen yet, as it does when they unfold."""
    unseen = st.session_state.get(_UNSEEN, {})
    for field, (shown, value) in unseen.items():
        if st.session_state.get(_SETTING + field) == shown:
            set_value(_SETTING + field, value)
    if are_seen:
        unseen.clear()


def ask_held_out() -> float:
    """The share of the pairs that the training does not see, 0 to 1; none unless somebody asks for it."""
    percent = choose(
        "Hold out",
        {percent: f"{percent}%" if percent else "None" for percent in _HELD_OUT},
        key="held_out",
        help="Pairs that the model does not learn from. After each epoch it is evaluated on them: their loss and "
        "accuracy are drawn beside those of the training, and the model keeps the weights of the epoch with the lowest "
        "held-out loss. The seed chooses the pairs. Words that occur only in them are unknown to the model.",
    )
    return percent / 100


def ask_file(workspace: Workspace) -> None:
    """A box for a file of pairs, which columns of it to take where it has more than two, and what was read."""
    ask_pairs_file(
        "Your own pairs: CSV, TSV or tab-separated text, a sentence and its translation on each row",
        _FILE,
        partial(_read_file, is_new=True),
        workspace,
    )
    columns: FileColumns | None = st.session_state.get(_COLUMNS)
    if columns is not None and columns.are_a_choice and st.session_state.get(_FILE) is not None:
        for place, key, label in zip(st.columns(2), _CHOSEN, ("Source column", "Target column"), strict=True):
            place.selectbox(
                label,
                range(len(columns.titles)),
                format_func=lambda number: columns.titles[number],  # a menu shows text, not Markdown
                key=key,
                on_change=_read_file,
                args=(workspace,),
            )
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem, icon=":material/error:")
    if note := st.session_state.get(_NOTE):
        st.success(note, icon=":material/check:")


def _read_file(workspace: Workspace, is_new: bool = False) -> None:
    """Take the pairs of the file that lies in the box; of a new one those in the usual two columns."""
    file = st.session_state.get(_FILE)
    if is_new:
        st.session_state[_PROBLEM] = st.session_state[_COLUMNS] = None
    if file is None:
        return
    columns: FileColumns | None = st.session_state.get(_COLUMNS)
    chosen: tuple[int, int] | None = None
    try:
        if is_new and file.size <= MAX_PAIRS_BYTES:  # else reading it says what is wrong
            columns = st.session_state[_COLUMNS] = columns_of(file.getvalue(), file.name)
            for key, usual in zip(_CHOSEN, columns.usual, strict=True):
                st.session_state[key] = usual
        if columns is not None and columns.are_a_choice:
            chosen = st.session_state[_CHOSEN[0]], st.session_state[_CHOSEN[1]]
        pairs = read_pairs(file.getvalue(), file.name, server_settings().max_pairs, MAX_PAIRS_BYTES, chosen)
    except CorpusError as error:
        st.session_state[_PROBLEM] = plain(str(error)).replace("\n", "  \n")
        st.session_state[_NOTE] = ""
        return
    note = f"**{len(pairs)}** pair{'s' if len(pairs) > 1 else ''} read from {plain(file.name)}"
    if columns is not None and columns.has_header:
        note += ", header skipped"
    if columns is not None and chosen is not None:
        source, target = (plain(columns.titles[place]) for place in chosen)
        note += f", from {source} to {target}"
    _replace_pairs(workspace, tuple(pairs), f"{note}.")


def _replace_pairs(workspace: Workspace, pairs: tuple[Pair, ...], note: str = "") -> None:
    """Train on other pairs, in a table of their own."""
    workspace.pairs = pairs
    st.session_state[_PROBLEM] = None
    st.session_state[_NOTE] = note
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1


def edit_pairs(workspace: Workspace) -> None:
    """Show the table of pairs to train on; the workspace keeps what is in it."""
    # A reloaded tab gets its workspace back when it may have drawn the pairs of a new one: that table is another.
    key = f"pairs_{workspace.id}_{st.session_state.setdefault(_VERSION, 0)}"
    if key not in st.session_state or _BASE not in st.session_state:
        rows = [(pair.source, pair.target) for pair in workspace.pairs]
        st.session_state[_BASE] = pd.DataFrame(rows, columns=["source", "target"], dtype="object")
    edited = st.data_editor(
        st.session_state[_BASE],
        key=key,
        num_rows="dynamic",
        hide_index=True,
        height=420,
        column_config={
            "source": st.column_config.TextColumn("Source (from)", max_chars=500),
            "target": st.column_config.TextColumn("Target (to)", max_chars=500),
        },
        alt="The sentence pairs to train on",
    )
    st.caption(
        "Click a cell to change it, the last row to add one, the boxes on the left to delete. "
        "Paste two columns from a spreadsheet."
    )
    texts = edited.fillna("").astype(str)
    typed = zip(texts["source"].str.strip(), texts["target"].str.strip(), strict=True)
    workspace.pairs = tuple(Pair(source, target) for source, target in typed if source or target)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            "Back to the fifteen pairs",
            icon=":material/undo:",
            on_click=_replace_pairs,
            args=(workspace, PAIRS),
        )
        st.download_button(
            "Download as CSV",
            data=write_pairs(workspace.pairs),
            file_name="sentence-pairs.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )


def plan_training(
    pairs: tuple[Pair, ...],
    preset: Preset,
    model: ModelConfig,
    training: TrainingConfig,
    held_out_share: float,
) -> tuple[TrainingPlan, str]:
    """Check the pairs and estimate what a training takes, before it starts.

    Returns:
        What can start, and what it will take, in Markdown.

    Raises:
        PipelineError: the pairs cannot be trained on.
    """
    limits = server_settings()
    if len(pairs) > limits.max_pairs:
        raise PipelineError(
            f"The app trains on at most {limits.max_pairs} pairs. Received: {len(pairs):,}. Delete some, or train "
            "on your own machine: python -m core train FILE --out FOLDER."
        )
    prepared = _prepare(pairs, model, training, held_out_share)
    sized = prepared.model
    if parameter_count(sized) > limits.max_parameters:
        raise PipelineError(
            f"The app trains models of at most {limits.max_parameters:,} parameters. Received: "
            f"{parameter_count(sized):,}. Choose fewer layers or a smaller d_model or d_ff."
        )
    name = CLASSROOM_NAME if pairs == PAIRS else f"Your {len(pairs)} pair{'s' if len(pairs) > 1 else ''}"
    vocabularies = {
        "source_vocab_size": sized.source_vocab_size,
        "target_vocab_size": sized.target_vocab_size,
    }
    details = [] if preset is CLASSROOM else [preset.title.lower()]
    if preset.model.replace(**vocabularies) != sized:
        details.append("changed")
    held_out = f", **{len(prepared.held_out)}** held out" if prepared.held_out else ""
    return (
        TrainingPlan(f"{name} ({', '.join(details)})" if details else name, prepared),
        f"**{parameter_count(sized):,}** parameters · **{len(prepared.pairs)}** pairs{held_out} · "
        f"vocabularies of **{sized.source_vocab_size}** and **{sized.target_vocab_size}** · "
        f"**{training.epochs * prepared.encoded.steps_per_epoch(training):,}** steps · "
        f"about **{duration(_seconds(prepared))}**",
    )


@st.cache_resource(show_spinner=False, max_entries=_MAX_PREPARED)
def _prepare(
    pairs: tuple[Pair, ...], model: ModelConfig, training: TrainingConfig, held_out_share: float
) -> PreparedTraining:
    """Once for all runs of the page, and for all who train on the same: long pairs took half a second each time."""
    return prepare_word_training(pairs, model, training, held_out_share=held_out_share)


def _seconds(prepared: PreparedTraining) -> float:
    """What compiling, all steps, and judging each epoch by what is held out take, about."""
    model, training = prepared.model, prepared.training

    def of_epochs(pairs: TrainingPairs) -> float:
        batch = next(pairs.batches(training, epoch=1))
        steps = training.epochs * pairs.steps_per_epoch(training)
        return compile_seconds(model) + steps * step_seconds(model, batch.source.size + batch.labels.size)

    # What is held out goes forward alone: a third of the arithmetic, in a graph of its own.
    judging = of_epochs(prepared.validation) / 3 if prepared.validation is not None else 0.0
    return of_epochs(prepared.encoded) + judging


def show_run_buttons(workspace: Workspace, plan: TrainingPlan | None) -> None:
    """Start, Stop and Continue; each is there when it can do something.

    Args:
        workspace: whose training it is.
        plan: what Start would start; None where the settings cannot be trained with.
    """
    if training_is_off():
        return
    job = workspace.job
    if job is not None and job.active:
        show_stop(job, "training")
        return
    status = job.view().status if job else Status.FINISHED
    with st.container(horizontal=True):
        st.button(
            "Start" if job is None else "Retrain from scratch",
            type="primary" if status is Status.FINISHED else "secondary",
            icon=":material/play_arrow:",
            disabled=plan is None,
            on_click=_start,
            args=(workspace, plan),
            help="Random weights from the seed, with the settings above.",
        )
        if job is not None and status is Status.STOPPED:
            show_continue(job, "training")
        elif job is not None and status is Status.FINISHED:
            more = min(_EPOCHS_MORE, server_settings().max_epochs - job.view().progress.reports[-1].epoch)
            st.button(
                f"Continue for {more} epochs" if more > 0 else "Continue",
                icon=":material/resume:",
                disabled=more < 1,
                on_click=try_to_start,
                args=(partial(_train_longer, job, more),),
            )


def _start(workspace: Workspace, plan: TrainingPlan) -> None:
    try_to_start(partial(workspace.start_training, plan, training_queue()))


def _train_longer(job: TrainingJob, epochs: int) -> None:
    if not job.active:  # pressed twice
        job.work.train_longer(epochs)
        job.start()


def show_meaning(job: TrainingJob) -> None:
    """One sentence that reads a training at rest."""
    progress = job.view().progress
    if job.active or not progress.results:
        return
    right = _right(progress.prepared, progress.prepared.pairs, progress.results)
    if text := read_training(progress.epochs, sum(right), len(right)):
        st.info(text, icon=":material/lightbulb:")


def show_experiments(model: ModelConfig, training: TrainingConfig) -> None:
    """A button for each change of one of these settings; its curve is drawn over that of this training."""
    faster = {"schedule": "constant", "learning_rate": min(1.0, 10 * training.learning_rate)}
    experiments: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("10 × the learning rate", "Does it learn ten times as fast?", faster),
        ("One head", "Are several heads needed?", {"num_heads": 1}),
        ("No dropout", "What does dropout cost, and what does it gain?", {"dropout_rate": 0.0}),
        ("Learned positions", "Are the waves needed?", {"positional_encoding": "learned"}),
    )
    values = {**model.to_dict(), **training.to_dict()}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**What if?**", width="content")
        for label, question, changes in experiments:
            st.button(
                label,
                help=f"{question} Trains again with this one setting changed, and keeps the previous curve.",
                disabled=all(values[field] == value for field, value in changes.items()),
                on_click=_experiment,
                args=(changes,),
                key=f"experiment_{label}",
            )


def _experiment(changes: dict[str, Any]) -> None:
    _set_settings(changes)
    st.session_state[_STARTS] = True


def show_progress(before: tuple[EpochReport, ...], progress: TrainingProgress) -> None:
    """The curves of a training over those of the one before, and its sample translations."""
    if progress.epochs and progress.epochs[-1].validation_loss is not None:
        st.caption(
            "On held-out pairs, which it does not learn from, after the last whole epoch: loss "
            f"**{progress.epochs[-1].validation_loss:.3f}**, next token right in "
            f"**{progress.epochs[-1].validation_accuracy:.1%}**."
        )
    if not progress.reports:
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show_figure(
            training_curves_figure(progress.reports, progress.epochs, before),
            alt="Loss, accuracy and learning rate over the training steps",
            key="training_curves",
        )
    if progress.previews:
        with right:
            _show_samples(progress)


def _show_samples(progress: TrainingProgress) -> None:
    """The sample translations now and before, so that one sees them change."""
    if progress.results:  # at rest: those of the model that was kept, as in the table below
        kept = dict(zip(progress.prepared.pairs, progress.results, strict=True))
        now = tuple(kept[pair].text for pair in progress.preview_pairs)
        st.markdown(f"**Sample translations {_whose_weights(progress)}**")
    else:
        epoch, now = progress.previews[-1]
        st.markdown(f"**Sample translations after epoch {epoch:,}**")
    sources = [pair.source for pair in progress.preview_pairs]
    expected = _expected(progress.prepared, progress.preview_pairs)
    marks = ["✓" if want == text else "…" for want, text in zip(expected, now, strict=True)]
    long = are_long((*sources, *now))
    width = st.column_config.TextColumn(width=_HALF if long else None)
    st.dataframe(
        pd.DataFrame({"": marks, "Source": sources, "Model": now}),
        hide_index=True,
        row_height=ROW_HEIGHT if long else None,
        column_config={"": st.column_config.TextColumn(width=30), "Source": width, "Model": width},
        alt="Five sentences with the model's translations at this point",
    )
    st.markdown("**Earlier sample translations**")
    history = {f"epoch {past:,}": texts for past, texts in progress.previews[-_MAX_MOMENTS:][::-1]}
    st.dataframe(
        pd.DataFrame(history, index=sources).T,
        alt="The same sentences' translations at earlier moments of the training",
    )


def _whose_weights(progress: TrainingProgress) -> str:
    """What a training at rest translates with; in the words of both tables."""
    if not progress.weights_epoch:
        return "with the last weights"
    judged = "held-out " if progress.epochs[-1].validation_loss is not None else ""
    return f"with the weights of epoch {progress.weights_epoch:,}, which had the lowest {judged}loss"


def _expected(prepared: PreparedTraining, pairs: Sequence[Pair]) -> list[str]:
    """The targets as the model would write them."""
    tokenizer = prepared.target_tokenizer
    return [tokenizer.decode(tokenizer.encode(pair.target)) for pair in pairs]


def _right(prepared: PreparedTraining, pairs: Sequence[Pair], results: Sequence[Translation]) -> list[bool]:
    """Which pairs come out exactly."""
    expected = _expected(prepared, pairs)
    return [want == result.text for want, result in zip(expected, results, strict=True)]


def show_outcome(workspace: Workspace) -> None:
    """What came of the training: every pair, right or wrong, and what to do next."""
    if workspace.training:
        return
    progress = workspace.job.view().progress if workspace.job else None
    if progress is not None and progress.results:
        _show_pairs(progress.prepared, progress.prepared.pairs, progress.results, "pairs")
        st.caption(
            f"The sentences it was trained on, {_whose_weights(progress)}. Try others on the Translate page and see how "
            "well it generalizes."
        )
        if progress.held_out_results:
            _show_pairs(
                progress.prepared, progress.prepared.held_out, progress.held_out_results, "held-out pairs"
            )
            st.caption(
                "The model has not learned from these; words that occur only in them are unknown to it."
            )
    model = workspace.trained or workspace.model
    if model is None or model.shipped:
        return
    describe_current_model(workspace)
    with st.container(horizontal=True):
        if model is not workspace.model:
            st.button(
                "Use this model", icon=":material/check:", on_click=setattr, args=(workspace, "model", model)
            )
        link_to(TRANSLATE, "Translate with it")
        link_to(ATTENTION_MAPS, "See its attention")
        st.download_button(
            "Download the checkpoint",
            data=model.to_zip,  # made when somebody wants it
            file_name=f"{file_name(model.name)}.zip",
            mime="application/zip",
            icon=":material/download:",
            on_click="ignore",
        )


def _show_pairs(
    prepared: PreparedTraining, pairs: Sequence[Pair], results: Sequence[Translation], what: str
) -> None:
    right = _right(prepared, pairs, results)
    st.subheader(f"{sum(right)} of {len(right)} {what} translated exactly")
    table = pd.DataFrame(
        {
            "": ["✓" if is_right else "✗" for is_right in right],
            "Source": [pair.source for pair in pairs],
            "Model": [result.text for result in results],
            "Expected": [pair.target for pair in pairs],
        }
    )
    st.dataframe(
        table,
        hide_index=True,
        height="content" if len(pairs) <= _ROWS_AT_ONCE else "auto",
        column_config={"": st.column_config.TextColumn(width=30)},
        alt=f"All {what} with the model's translations",
    )


def main() -> None:
    workspace = current_workspace()
    if not why_no_training():
        preload_tensorflow()
    show_heading("train")
    presets = st.container()
    with st.container(horizontal=True):
        settings = st.popover(
            "Settings", icon=":material/tune:", width="content", key="settings", on_change="rerun"
        )
        own_pairs = st.popover("Your own pairs", icon=":material/table:", width="content")
    keep_settings(are_seen=bool(settings.open))
    with own_pairs:
        held_out_share = ask_held_out()
        ask_file(workspace)
        edit_pairs(workspace)
    plan, summary, problem = None, "", ""
    with presets:
        try:
            preset, model, training = ask_settings(settings)
            plan, summary = plan_training(workspace.pairs, preset, model, training, held_out_share)
        except (ConfigError, PipelineError) as error:
            problem = plain(str(error))
    if st.session_state.pop(_STARTS, False) and plan is not None:
        _start(workspace, plan)
    buttons, place = st.columns([3, 2], vertical_alignment="center")
    with buttons:
        show_run_buttons(workspace, plan)
    if problem:
        st.error(problem, icon=":material/error:")
    else:
        place.caption(summary)
    if workspace.job is not None:
        reading, curves = st.container(), st.container()
        if is_presenting():  # in larger type the curves would lie below the first screen
            reading, curves = curves, reading
        with reading:
            show_meaning(workspace.job)
            if plan is not None and not workspace.training:
                show_experiments(model, training)
        with curves:
            show_live_training(workspace.job, partial(show_progress, workspace.epochs_before))
    show_outcome(workspace)
    offer_exercise(PAGE_TEXTS["train"].views["train"].exercise)


if __name__ == "__main__":
    main()
