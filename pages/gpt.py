"""From here to GPT: what is left of the translator without its encoder, and what it does."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from core.config import DecodingConfig
from core.figures.plotly.attention import small_maps_figure
from core.figures.plotly.language_model import (
    candidates_figure,
    decoding_cost_figure,
    model_sizes_figure,
    rotation_figures,
    step_products_figure,
)
from core.figures.plotly.text_attention import head_figure
from core.figures.svg.architecture import architecture_svg
from core.inference.search import (
    TranslationError,
    drawn_probabilities,
    filtered_probabilities,
    log_softmax,
)
from core.interpretability.attention_view import AttentionOptions, read_attention
from core.interpretability.heads import alignment_scores
from core.interpretability.teacher_forcing import forced_attention
from core.interpretability.text_attention import source_block, text_maps
from core.language import _, ngettext, number, quoted, titled
from core.language_model.model import SEPARATOR, LanguageModel, TextTokens, WritingStep, answer_of, prompt_of
from core.language_model.training import prepare_texts
from core.model.forward import ForwardPass, rotate
from core.model.numpy_ops import rms_norm, swiglu
from core.presets import CLASSROOM, PRESETS, Preset
from core.records.attention import HeadMaps, TokenAttention
from core.records.text import Pair
from core.records.training import PastRun
from core.server.jobs import JobState, Status
from core.server.queue import compute_gate
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingPlan, TrainingProgress
from core.server.workspace import check_number_of_pairs, why_no_training
from core.theory.decoding_cost import (
    KNOWN,
    DecoderSize,
    KnownModel,
    cache_bytes,
    multiplications,
    token_multiplications,
)
from core.tokens.vocabulary import END_ID
from core.weights import initial_weights, parameter_count
from pages.components.explaining.figure import (
    ON_ONE_SCREEN,
    PRESENTED,
    height_below,
    show_figure,
    show_figures,
    show_svg,
    show_table,
)
from pages.components.explaining.prediction import prediction_of_step, sees_figure
from pages.components.explaining.view import View, above_figure, choose_step, show_heading, show_views
from pages.components.frame.presenting import LEADS_ON, is_presenting
from pages.components.frame.visit import Visit
from pages.components.model.analysis import analyze
from pages.components.model.choice import name_of_pairs, show_live_training, show_training_off
from pages.components.model.progress import show_continue, show_stop, try_to_start
from pages.components.training.outcome import outcome_of
from pages.components.training.player import show_player
from pages.components.widgets.settings import ask_setting
from pages.components.widgets.state import choose, choose_several, set_value, slider, text_input, toggle
from pages.content.markdown import plain

_MAX_BEGINNING = 200  # characters
_MAX_WRITTEN = 30  # tokens of a continuation
_CONTINUATIONS = 10
_MOST_STEPS = 64  # of writing
_MAX_CANDIDATES = 7  # tokens shown as bars
_HEAD, _CROSS_HEAD = "gpt_head", "gpt_cross_head"  # keys of the menus of heads
_HEADS_HEIGHT = 380  # pixels of the small maps
_ABOVE = 130  # pixels above them on a projector


# What is left


class _Left(NamedTuple):
    """A pair of the class as a decoder alone reads it; nothing before there is a decoder alone."""

    model: LanguageModel | None
    pair: Pair = Pair("", "")
    maps: HeadMaps | None = None
    head: str = ""
    cross: HeadMaps | None = None  # of the translator
    cross_head: str = ""


def _choose_left(visit: Visit) -> _Left | None:
    """Offer the training of a decoder alone, then its pairs and heads; None while it trains."""
    job = visit.workspace.jobs.text_training
    model = visit.workspace.models.language_model
    state = job.state() if job is not None else None
    is_at_rest = state is None or state.status is Status.FINISHED
    with st.container(horizontal=True, vertical_alignment="center"):
        folded = _folded(_("Training and heads")) if model is not None and is_at_rest else nullcontext()
        with folded:
            _offer_training(visit, state)
        if job is not None and state is not None and (outcome := outcome_of(job, state)):
            exact = ngettext(
                "**{right} of {count} pairs is exact.**",
                "**{right} of {count} pairs are exact.**",
                sum(outcome.learned),
            )
            st.markdown(exact.format(right=sum(outcome.learned), count=len(outcome.learned)))
    if job is not None and state is not None and (state.active or state.message):
        show_live_training(job, state, partial(show_player, job, PastRun()))
        if state.active:
            return None
    if model is None:
        return _Left(None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pairs = {place: pair.source for place, pair in enumerate(model.pairs)}
        usual = max(pairs, key=lambda place: len(pairs[place].split()))
        pair = model.pairs[choose(_("Sentence"), pairs, "gpt_pair", default=usual, look="menu")]
        with compute_gate():
            maps = text_maps(model, _ids(model, pair))
        cross = _cross_attention(visit, pair)
        with folded:
            cross_head = (
                "" if cross is None else _choose_head(_("Head of the translator"), cross, _CROSS_HEAD)
            )
            head = _choose_head(_("Head of the decoder alone"), maps, _HEAD)
    return _Left(model, pair, maps, head, cross, cross_head)


def _folded(what: str) -> AbstractContextManager[object]:
    """Return where what a projector's bar has no place for goes."""
    return _popover(what) if is_presenting() else nullcontext()


def _popover(what: str) -> AbstractContextManager[object]:
    return st.popover("", icon=":material/tune:", width="content", help=what)


def _choose_head(label: str, maps: HeadMaps, key: str) -> str:
    titles = {head: maps.title(head) for head in maps.ids}
    return choose(label, titles, key, default=maps.first, look="menu")


def _offer_training(visit: Visit, state: JobState[TrainingProgress] | None) -> None:
    """Show the buttons of the training, and what it is to learn."""
    job = visit.workspace.jobs.text_training
    if reason := _why_not_to_train(visit):
        show_training_off(reason)
        return
    if job is not None and state is not None and state.active:
        show_stop(job, "gpt")
        return
    learns_source = toggle(
        _("Learn to write the source as well"),
        True,
        "gpt_writes_source",
        help=_(
            "Its loss then counts all tokens, not only those of the translation. So it can begin by itself."
        ),
    )
    st.button(
        _("Train it") if job is None else _("Train it again"),
        type="primary" if job is None else "secondary",
        icon=":material/play_arrow:",
        # The remote's Page Down presses it once the step's figure is there.
        key=LEADS_ON
        if job is None and sees_figure(visit, prediction_of_step(visit, "left"))
        else "train_decoder",
        on_click=try_to_start,
        args=(_start, visit, learns_source),
    )
    if job is not None and state is not None and state.status is Status.STOPPED:
        show_continue(job, "gpt")


def _why_not_to_train(visit: Visit) -> str:
    """Return why there is no training to start here, in words; empty if there is."""
    if visit.attends:
        return _("Look at the projector: your teacher trains the model.")
    return why_no_training()


def _start(visit: Visit, learns_source: bool) -> None:
    """Train a decoder alone on the pairs that Train has."""
    memory = visit.memory
    pairs = memory.complete_pairs
    check_number_of_pairs(pairs)
    preset = next((each for each in PRESETS.values() if each.pairs == memory.pairs), CLASSROOM)
    prepared = prepare_texts(pairs, preset.model, preset.training, learns_source, memory.held_out)
    plan = TrainingPlan(name_of_pairs(memory.pairs, len(prepared.pairs)), prepared)
    visit.workspace.jobs.start_text_training(plan)


def _ids(model: LanguageModel, pair: Pair) -> tuple[int, ...]:
    """Return a pair as the model reads it, without the end."""
    return (*prompt_of(pair.source, model.tokenizer), *answer_of(pair, model.tokenizer)[:-1])


def _show_left(visit: Visit, left: _Left) -> None:
    """Show what a decoder alone lacks; then one pair in both models."""
    if left.model is None or left.maps is None:
        _show_parts(visit)
        return
    _show_heads(left.maps, left.head, left.cross, left.cross_head)
    st.caption(
        _(
            "A row of small maps is a layer, a column a head. In a map of the decoder alone, the token in a row has been "
            "read, and the next one is predicted."
        )
    )
    with compute_gate():
        own = alignment_scores(source_block(left.model, _ids(left.model, left.pair))).max()
    said = _(
        "From 0 to 1, the best head of the decoder alone shows which word comes from which by **{own}**."
    )
    text = said.format(own=number(float(own), ".2f"))
    if left.cross is not None:
        theirs = _("In the translator, the best one does by **{share}**.")
        share = alignment_scores(TokenAttention(left.cross.rows, left.cross.columns, left.cross.heads)).max()
        text += " " + theirs.format(share=number(float(share), ".2f"))
    else:
        text += " " + _("Train the translator on the same pairs, on Train, to see its map beside this one.")
    st.markdown(text)


def _show_heads(maps: HeadMaps, head: str, cross: HeadMaps | None, cross_head: str) -> None:
    """Show all heads small, and the chosen one of each model large beside them."""
    chosen = {_HEAD: (maps, head)}
    if cross is not None:
        chosen = {_CROSS_HEAD: (cross, cross_head), **chosen}
    places = list(st.columns([4, 3, 4] if cross is not None else [3, 4]))
    own = places.pop()
    with places.pop():
        size = (height_below(_ABOVE), PRESENTED) if is_presenting() else (_HEADS_HEIGHT,)
        show_figure(
            small_maps_figure(chosen, *size),
            alt=_("All heads of both models as small maps"),
            key="gpt_heads",
            on_click=_take_head,
        )
    for place in places:
        with place:
            assert cross is not None
            alt = titled(cross.name, cross.title(cross_head))
            show_figure(head_figure(cross, cross_head), alt=alt, key="gpt_cross")
    with own:
        border = maps.rows.index(SEPARATOR)
        show_figure(head_figure(maps, head, border), alt=titled(maps.name, maps.title(head)), key="gpt_own")


def _take_head(clicked: object) -> None:
    """Choose the head of a small map."""
    key, head = str(clicked).split(" ")
    set_value(key, head)


def _cross_attention(visit: Visit, pair: Pair) -> HeadMaps | None:
    """Return the maps over a pair of the class's translator, or of this tab's; None where there is none to read it."""
    models = visit.workspace.models
    model: TrainedModel | None = visit.class_model or models.trained or next(reversed(models.kept), None)
    if model is None:
        return None
    try:
        (record,) = analyze(model, forced_attention, (pair,))
    except ValueError:  # too long for it
        return None
    maps = read_attention(record, AttentionOptions())["cross"].without_roles()
    return replace(maps, name=_("Translator: cross-attention"))


def _show_parts(visit: Visit) -> None:
    """Show the parts of the classroom model, of which those fade out that a decoder alone lacks."""
    translator = visit.classroom.model
    source, target = map(_, visit.classroom.languages)
    alone = _untrained(visit.classroom).config
    sizes = _(
        "The translator has {before} parameters. The decoder alone has {layers} layers, one vocabulary for both "
        "languages and {after}: about as many."
    )
    with above_figure():
        st.markdown(
            sizes.format(
                before=number(parameter_count(translator), ","),
                layers=alone.num_layers,
                after=number(parameter_count(alone), ","),
            )
        )
    show_svg(ON_ONE_SCREEN + architecture_svg(translator, (source, target), is_fading=True))


# Continue a text


class _Text(NamedTuple):
    """A beginning, how it is continued, and how much of the continuation is looked at."""

    model: LanguageModel
    beginning: TextTokens
    decoding: DecodingConfig
    steps: tuple[WritingStep, ...]
    step: int  # from 1


class _NoModel(NamedTuple):
    """There is nothing yet that could continue a text."""

    what_to_do: str


def _choose_text(visit: Visit) -> _Text | _NoModel | None:
    """Ask for a beginning and how to draw; None with a beginning that the model cannot continue."""
    model = visit.workspace.models.language_model
    if model is None:
        train = _("Train it first, under *What is left*: it takes seconds.")
        return _NoModel(_why_not_to_train(visit) or train)
    longest = max((pair.source for pair in model.pairs), key=lambda text: len(text.split()), default="")
    # Who has not learned to write sources is asked for a translation.
    usual = longest.split(" ")[0] if model.learns_source else f"{longest} {SEPARATOR}"
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        text = text_input(_("A beginning"), usual, "gpt_beginning", max_chars=_MAX_BEGINNING)
    with right, st.container(horizontal=True, vertical_alignment="bottom"):
        temperature = ask_setting("temperature", 0.7, "gpt_temperature")
        with _folded(_("Cuts and seed")):
            top_k = ask_setting("top_k", 0, "gpt_top_k")
            top_p = ask_setting("top_p", 1.0, "gpt_top_p")
            seed = ask_setting("seed", 42, "gpt_seed")
    decoding = DecodingConfig(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
    try:
        beginning = model.tokens(text)
        with compute_gate():
            steps = tuple(model.steps([beginning.ids], decoding, _MAX_WRITTEN))
    except TranslationError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None
    if not steps:
        st.info(_("This beginning fills all that the model can read. Shorten it."), icon=":material/edit:")
        return None
    return _Text(model, beginning, decoding, steps, choose_step(len(steps), "gpt_step"))


def _show_text(text: _Text | _NoModel) -> None:
    """Show the text so far, the candidates for the next token, and ten continuations."""
    if isinstance(text, _NoModel):
        st.info(text.what_to_do, icon=":material/school:")
        return
    words = text.model.tokenizer.vocabulary.tokens
    written = [words[int(step.tokens[0])] for step in text.steps]
    read, now = " ".join(text.beginning.words[1:]), " ".join(written[: text.step - 1])
    tokens = zip(text.beginning.words, text.beginning.unknown, strict=True)
    if unknown := dict.fromkeys(word for word, is_unknown in tokens if is_unknown):
        named = ", ".join(quoted(plain(word)) for word in unknown)
        st.info(_("**Unknown to the model: {tokens}.**").format(tokens=named), icon=":material/help:")
    step = text.steps[text.step - 1]
    logits, drawn = step.logits[0], int(step.tokens[0])
    before, kept = np.exp(log_softmax(logits)), drawn_probabilities(logits, text.decoding)
    shown = np.argsort(-before)[:_MAX_CANDIDATES].tolist()
    if drawn not in shown:
        shown[-1] = drawn
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader(f"{plain(read)} :blue[{plain(now)}] …", anchor=False)
        show_figure(
            candidates_figure(
                [words[each] for each in shown],
                before[shown].tolist(),
                kept[shown].tolist(),
                shown.index(drawn),
            ),
            alt=_(
                "The likeliest next tokens before and after temperature and cuts; “{token}” is drawn"
            ).format(token=words[drawn]),
            key="gpt_candidates",
        )
        st.caption(_("{separator} stands between source and translation.").format(separator=SEPARATOR))
    with right:
        _show_continuations(text)


def _show_continuations(text: _Text) -> None:
    """Show ten continuations, and which of them are a pair that the model has learned."""
    with compute_gate():
        found = text.model.write([text.beginning.ids] * _CONTINUATIONS, text.decoding, _MAX_WRITTEN)
    words = text.model.tokenizer.vocabulary.tokens
    rows = []
    recited = 0
    for written in found:
        ids = [token for token, _log_probability in written]
        pair = text.model.pair_of((*text.beginning.ids, *ids))
        recited += pair is not None
        shown = " ".join(words[each] for each in ids if each != END_ID)
        rows.append({_("Continuation"): shown, _("A learned pair"): "✓" if pair is not None else ""})
    st.markdown(
        _("**Ten continuations: {recited} recite a learned pair, {invented} do not.**").format(
            recited=recited, invented=len(found) - recited
        )
    )
    show_table(pd.DataFrame(rows), (), alt=_("Ten continuations, each marked if it is a learned pair"))


# What is kept

# Known models that are decoders alone, by their names in addresses.
_DECODERS = {model.name.lower().replace(" ", "-"): model for model in KNOWN if model.decoder is not None}


class _Kept(NamedTuple):
    """A step of writing, and of which models the costs are shown."""

    tokens: tuple[str, ...]  # of a pair of the class, then numbers up to the step's token
    step: int  # tokens so far, from 1
    known: list[str]


def _choose_kept(visit: Visit) -> _Kept:
    model = _decoder(visit)
    longest = max((_ids(model, pair) for pair in model.pairs), key=len)
    words = [model.tokenizer.vocabulary.tokens[each] for each in longest[:_MOST_STEPS]]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        step = choose_step(_MOST_STEPS, "gpt_length", len(words))
        with _popover(_("Beside this model")):
            titles = {name: model.name for name, model in _DECODERS.items()}
            known = choose_several(_("Beside this model"), titles, "gpt_known", ["gpt-2"], 3)
    beyond = (number(place) for place in range(len(words) + 1, step + 1))
    return _Kept((*words, *beyond), step, known)


def _show_kept(visit: Visit, kept: _Kept) -> None:
    """Show what the next token costs with and without what is kept, and what keeping takes."""
    size = DecoderSize.of(_decoder(visit).config)
    models = (_DECODERS[name] for name in kept.known)
    found = {model.name: model.decoder for model in models if model.decoder is not None}
    show_figures(
        (
            step_products_figure(kept.tokens, kept.step, size),
            decoding_cost_figure({_("This model"): size, **found}, 1024 if found else 64, kept.step),
        ),
        alt=_(
            "Products of a step that are computed, kept, or computed again without the cache; multiplications with and "
            "without it, and its size, over the tokens so far"
        ),
        key="gpt_kept",
        across=2,
    )
    cached, anew = (multiplications(size, kept.step, with_cache=each) for each in (True, False))
    said = ngettext(
        "After {length} token, this model computes the next one with **{cached}** multiplications (blue), without the "
        "cache with **{anew}** (all colors): {times} times as many. The cache has {kilobytes} kB.",
        "After {length} tokens, this model computes the next one with **{cached}** multiplications (blue), without the "
        "cache with **{anew}** (all colors): {times} times as many. The cache has {kilobytes} kB.",
        kept.step,
    ).format(
        length=kept.step,
        cached=number(cached, ","),
        anew=number(anew, ","),
        times=number(anew / cached, ".1f"),
        kilobytes=number(cache_bytes(size, kept.step) / 1000, ".1f"),
    )
    st.markdown(said)
    for name, other in found.items():
        _say_what_is_shared(name, other)


def _say_what_is_shared(name: str, size: DecoderSize) -> None:
    """Say why a model's cache is smaller, where several of its heads share keys and values."""
    heads = size.heads // size.key_value_heads
    if heads > 1:
        said = _(
            "In {name}, {heads} heads share one key and one value of each token (grouped-query attention, Ainslie et al. "
            "2023), so its cache is {heads} times smaller."
        )
        st.caption(said.format(name=name, heads=heads))


# What has changed since


class _Places(NamedTuple):
    """Where a query and a key stand."""

    query: int
    key: int


def _choose_places() -> _Places:
    left, right = st.columns(2)
    with left:
        query = slider(_("Position of the query"), 0, 20, 5, "gpt_query_at")
    with right:
        return _Places(query, slider(_("Position of the key"), 0, 20, 1, "gpt_key_at"))


def _show_rotation(places: _Places) -> None:
    """Show how rotary positions turn a query and a key, and what score that gives."""
    show_figures(
        rotation_figures(places.query, places.key),
        alt=_(
            "Two channels of a query and a key turned by their positions, and the score over their distance"
        ),
        key="gpt_rotation",
        across=2,
    )
    st.markdown(
        _(
            "To compare on Train: **Settings** has the kind of norm, rotary positions and SwiGLU, and **What if?** "
            "lays the curves over each other."
        )
    )


# What is bigger


def _show_sizes(model: KnownModel) -> None:
    show_figure(
        model_sizes_figure(KNOWN, model),
        alt=_(
            "Parameters over tokens of the training, both logarithmic, from this model to GPT-3 and Llama 3"
        ),
        key="gpt_sizes",
    )
    said = _(
        "{name} has {parameters} times as many parameters as this model, and read {tokens} times as many tokens."
    )
    gpt = next(each for each in KNOWN if each.name == "GPT-3")
    st.markdown(
        said.format(
            name=gpt.name,
            parameters=number(round(gpt.parameters / model.parameters, -3), ",.0f"),
            tokens=number(round(gpt.tokens / model.tokens, -3), ",.0f"),
        )
    )


def _own_model(visit: Visit) -> KnownModel:
    """Return the class's model, or that which the classroom's pairs give."""
    model = _decoder(visit)
    tokens = sum(len(_ids(model, pair)) + 1 for pair in model.pairs)  # and the end
    return KnownModel(_("this model"), "", parameter_count(model.config), CLASSROOM.training.epochs * tokens)


def _decoder(visit: Visit) -> LanguageModel:
    """Return the class's decoder alone, or that which the classroom's pairs give, before its training."""
    return visit.workspace.models.language_model or _untrained(visit.classroom)


@cache
def _untrained(classroom: Preset) -> LanguageModel:
    prepared = prepare_texts(classroom.pairs, classroom.model, classroom.training)
    return prepared.language_model(initial_weights(prepared.model, classroom.training.seed))


def main(visit: Visit) -> None:
    show_heading(visit)
    views: dict[str, View[Any]] = {
        "left": View(
            partial(_choose_left, visit), partial(_show_left, visit), (ForwardPass.decode,), changes_page=True
        ),
        "continue": View(
            partial(_choose_text, visit), _show_text, (LanguageModel.steps, filtered_probabilities)
        ),
        "kept": View(
            partial(_choose_kept, visit),
            partial(_show_kept, visit),
            (ForwardPass.self_attention, token_multiplications, multiplications, cache_bytes),
            is_long=True,
        ),
        "since": View(_choose_places, _show_rotation, (rms_norm, rotate, swiglu)),
        "bigger": View(partial(_own_model, visit), _show_sizes, (parameter_count,)),
    }
    show_views(visit, views, first="left")
