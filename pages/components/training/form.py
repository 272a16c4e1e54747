"""The form of Train: preset, settings and experiments, and the training that they ask for."""

from itertools import cycle
from typing import Any

import streamlit as st

from core.config import ModelConfig, TrainingConfig
from core.corpora.languages import languages_of
from core.described import asked_of, field_infos
from core.durations import duration
from core.errors import InputError
from core.language import N_, _, number, titled
from core.presets import APP_PRESETS, CLASSROOM, CLASSROOMS, HUNDREDS_FROM, PAIRS_NAMES, PRESETS, Preset
from core.records.text import Pair
from core.server.settings import server_settings
from core.server.training_job import TrainingPlan
from core.server.workspace import check_number_of_pairs
from core.tokens.base import MAX_TOKENS
from core.training.recipe import PreparedTraining, prepare_training
from core.weights import parameter_count
from pages.components.frame.links import PRESET
from pages.components.frame.memory import PageMemory
from pages.components.frame.presenting import look_of_choice
from pages.components.frame.visit import PAIRS_OF_TAB, Visit
from pages.components.model.choice import name_of_pairs
from pages.components.widgets.settings import ASKED, ask_setting
from pages.components.widgets.state import choose, set_value
from pages.content.markdown import plain
from pages.content.reader import EXPERIMENTS

_MAX_PREPARED = 16  # cached trainings of all visitors: 1 MB of pairs, the upload limit, takes a few MB
_UNUSED = {"warmup": "learning_rate", "constant": "warmup_steps"}  # the setting that a schedule does not use
_SETTING = "setting_"  # prefix of the settings' widget keys
# Keys of st.session_state: by field, the value that the browser shows and the one set since; the experiment to start.
_UNSEEN = "settings_unseen"
EXPERIMENT = "experiment_starts"


def choose_preset(visit: Visit) -> Preset:
    """Show the presets, which set every hyperparameter, and the pairs unless the visitor has their own.

    The tab's classroom preset is the first and the usual one. Presets that bring no pairs are trained on its pairs.
    """
    usual = visit.classroom
    is_many = len(visit.memory.pairs) >= HUNDREDS_FROM
    offered = (APP_PRESETS if is_many else PRESETS).values()
    chosen = choose(
        _("Preset"),
        {preset.name: preset.title for preset in sorted(offered, key=lambda each: each != usual)},
        key=PRESET,
        default=usual.name,
        on_change=_apply_preset,
        hide_label=True,
        look=look_of_choice(),
    )
    if CLASSROOMS.get(chosen, usual) != usual:
        PAIRS_OF_TAB.set(CLASSROOMS[chosen])
        st.rerun()
    return APP_PRESETS[chosen].on_pairs_of(usual)


def ask_settings(preset: Preset, are_visible: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Show a widget for every hyperparameter; return the settings of the model and of the training, by field.

    Args:
        preset: the chosen preset.
        are_visible: whether the browser shows the widgets: it keeps sending the old values of hidden ones
            (Streamlit 1.67).
    """
    unseen = st.session_state.get(_UNSEEN, {})
    for field, (shown, value) in unseen.items():
        if st.session_state.get(_SETTING + field) == shown:
            set_value(_SETTING + field, value)
    if are_visible:
        unseen.clear()
    st.caption(titled(f"**{preset.title}**", preset.description))
    st.markdown(_("**The model**"))
    model = _ask_all(preset.model.to_dict())
    st.markdown(_("**The training**"))
    training = _ask_all(preset.training.to_dict())
    st.button(_("Back to the preset"), icon=":material/undo:", on_click=_apply_preset, key="back_to_preset")
    return model, training


def _ask_all(defaults: dict[str, Any]) -> dict[str, Any]:
    """Show the widgets of all settings that have a default, four in a row; return their values by field."""
    fields = [field for field in ASKED if field in defaults]
    values: dict[str, Any] = {}
    for field, place in zip(fields, cycle(st.columns(4)), strict=False):
        high = server_settings().max_epochs if field == "epochs" else None
        is_unused = field == _UNUSED.get(values.get("schedule", ""))
        with place:
            key = _SETTING + field
            values[field] = ask_setting(field, defaults[field], key, high=high, disabled=is_unused)
    return values


def use_preset(preset: Preset) -> None:
    """Choose a preset, and let all settings take its values."""
    set_value(PRESET, preset.name)
    _apply_preset()


def _apply_preset() -> None:
    """Let the widgets of all settings take the preset's values."""
    chosen = st.session_state.get(PRESET)
    if chosen is None:
        return
    values = APP_PRESETS[chosen].model.to_dict() | APP_PRESETS[chosen].training.to_dict()
    st.session_state[_UNSEEN] = {
        field: (st.session_state.get(_SETTING + field), value) for field, value in values.items()
    }


def try_to_plan(
    memory: PageMemory, preset: Preset, model: dict[str, Any], training: dict[str, Any], experiment: str
) -> tuple[TrainingPlan | None, str, tuple[object, ...]]:
    """Return the plan, its summary or the error in Markdown, and what is in the form.

    The plan is None if there is an error. The form is empty if the settings do not fit together.
    """
    form: tuple[object, ...] = ()
    try:
        settings = preset.model.replace(**model), preset.training.replace(**training)
        form = memory.complete_pairs, memory.held_out, *settings
        plan = _plan_training(memory, preset, *_apply_experiment(*settings, experiment), experiment)
        return plan, _describe_plan(plan.prepared), form
    except InputError as error:
        return None, plain(str(error)), form


def _plan_training(
    memory: PageMemory,
    preset: Preset,
    model: ModelConfig,
    training: TrainingConfig,
    experiment: str,
) -> TrainingPlan:
    """Check the pairs and the size of the model before a training starts."""
    pairs = memory.complete_pairs
    check_number_of_pairs(pairs)
    prepared = _prepare(pairs, model, training, memory.held_out)
    most = server_settings().max_parameters
    if parameter_count(prepared.model) > most:
        raise InputError(
            _(
                "The app trains models of at most {most} parameters. Received: {count}. Choose fewer layers or a smaller "
                "d_model or d_ff."
            ).format(most=number(most, ","), count=number(parameter_count(prepared.model), ","))
        )
    return TrainingPlan(_name_model(pairs, preset, prepared), prepared, experiment, _wanted(memory))


def _name_model(pairs: tuple[Pair, ...], preset: Preset, prepared: PreparedTraining) -> str:
    """Return the name of a model: what it learns from, and in which way it is not the usual one for these pairs."""
    name = name_of_pairs(pairs, len(prepared.pairs))
    usual = next((each for each in PRESETS.values() if each.pairs == pairs), CLASSROOM)
    details = [] if preset is usual else [preset.title.lower()]
    chosen, usually = prepared.model.to_dict(), preset.model.to_dict()
    if any(chosen[field] != usually[field] for field in ASKED if field in chosen):
        details.append(_("changed"))
    return f"{name} ({', '.join(details)})" if details else name


def _wanted(memory: PageMemory) -> tuple[Pair, ...]:
    """Return the pairs to watch first: those that are ticked, then a few that were added to a preset's pairs."""
    of_presets = {pair for pairs in PAIRS_NAMES for pair in pairs}
    own = tuple(pair for pair in memory.complete_pairs if pair not in of_presets)
    # A file may by chance have a pair of a preset, too.
    return memory.watched + (own if 2 * len(own) < len(memory.complete_pairs) else ())


@st.cache_resource(show_spinner=False, max_entries=_MAX_PREPARED)
def _prepare(
    pairs: tuple[Pair, ...], model: ModelConfig, training: TrainingConfig, held_out: tuple[Pair, ...]
) -> PreparedTraining:
    """Prepare a training, once for all visitors with the same pairs: long pairs took half a second per run."""
    return prepare_training(pairs, model, training, held_out=held_out, languages=languages_of(pairs))


_UNSPACED = {
    "source": N_(
        "The source sentences have hardly any spaces, so each character is a token: the model learns which ones belong "
        "together."
    ),
    "target": N_(
        "The target sentences have hardly any spaces, so the model writes them character by character."
    ),
}


def _describe_plan(prepared: PreparedTraining) -> str:
    """Return the size and the estimated duration of a training, in Markdown."""
    model = prepared.model
    pairs = _("**{count}** pairs").format(count=number(len(prepared.pairs), ","))
    if prepared.held_out:
        pairs += ", " + _("**{count}** held out").format(count=number(len(prepared.held_out), ","))
    if prepared.left_out:
        left_out = _(
            "**{count}** left out (no words, or more than {source} tokens in the source or {target} in the target)"
        ).format(
            count=prepared.left_out,
            source=min(MAX_TOKENS, model.max_source_length),
            target=min(MAX_TOKENS, model.max_target_length - 1),
        )
        pairs += f", {left_out}"
    source, target = prepared.source_tokenizer, prepared.target_tokenizer
    titles = asked_of(field_infos(TrainingConfig)["source_tokens"]).titles
    vocabularies = _("vocabularies of **{source}** {source_kind} and **{target}** {target_kind}").format(
        source=number(len(source.vocabulary), ","),
        source_kind=_(titles[source.kind]),
        target=number(len(target.vocabulary), ","),
        target_kind=_(titles[target.kind]),
    )
    num_steps = prepared.training.epochs * prepared.steps_per_epoch
    facts = (
        _("**{count}** parameters").format(count=number(parameter_count(model), ",")),
        pairs,
        vocabularies,
        _("**{count}** steps").format(count=number(num_steps, ",")),
        _("about **{duration}**").format(duration=duration(prepared.estimate_seconds())),
    )
    summary = " · ".join(facts)
    sides = {
        "source": (prepared.training.source_tokens, source),
        "target": (prepared.training.target_tokens, target),
    }
    for side, (asked, tokenizer) in sides.items():
        if asked == "auto" and tokenizer.kind == "character":
            summary += f"  \n:material/space_bar: {_(_UNSPACED[side])}"
    return summary


def _apply_experiment(
    model: ModelConfig, training: TrainingConfig, name: str
) -> tuple[ModelConfig, TrainingConfig]:
    """Return the settings as an experiment changes them, or as they are without one; the form keeps its own."""
    experiment = EXPERIMENTS.get(name)
    if experiment is None:
        return model, training
    rate = min(1.0, experiment.rate_factor * training.learning_rate)
    return model.replace(**experiment.model), training.replace(learning_rate=rate, **experiment.training)


def show_experiments(prepared: PreparedTraining, tried: str) -> None:
    """Show a button for each experiment with these settings; its curve is drawn over the previous one."""
    settings = prepared.model, prepared.training
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("**What if?**"), width="content")
        explained = _("This trains again with one change and keeps the previous curve.")
        for experiment in EXPERIMENTS.values():
            if experiment.rate_factor != 1 and prepared.training.schedule == "warmup":
                continue  # the paper's schedule has a rate of its own
            st.button(
                _(experiment.name),
                help=f"{experiment.question} {explained}",
                disabled=experiment.name == tried
                or _apply_experiment(*settings, experiment.name) == settings,
                on_click=set_value,
                args=(EXPERIMENT, experiment.name),
                key=f"experiment_{experiment.name}",
            )
