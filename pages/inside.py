"""What the model computes for a sentence: lens, heads, contributions, faithfulness, patching."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Self, TypeVar

import numpy as np
import streamlit as st

from core.arrays import Floats
from core.config import ModelConfig
from core.figures.plotly.model_inside import (
    contributions_figure,
    erasure_figure,
    lens_figure,
    patching_figures,
)
from core.figures.svg.head_switches import head_name, head_switches_svg, layer_name
from core.inference.translator import GREEDY, TranslationError
from core.interpretability.contributions import alti_shares, word_contributions
from core.interpretability.faithfulness import CHANCE_ORDERS, erasure_curves, source_scores
from core.interpretability.heads import all_heads, costliest, head_costs, run_without, without_heads
from core.interpretability.lens import depth_lens
from core.interpretability.patching import MINIMAL_PAIRS, MinimalPair, pairs_of_examples, patching_map
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.language import N_, _, ngettext, number, quoted, titled
from core.records.analysis import CHANCE, ErasureCurves, Lens, LensKind, PatchingMap, WithoutHeads
from core.records.attention import ATTENTION_KINDS, AttentionKind, Head
from core.server.trained_model import TrainedModel
from core.server.translation_job import ChosenSentence
from core.tokens.subword import SubwordTokenizer
from pages.components.attention.stage import KIND_TITLES
from pages.components.explaining.figure import height_below, show_figure, show_figures, show_svg
from pages.components.explaining.view import View, show_views
from pages.components.frame.visit import Visit
from pages.components.model.analysis import MAX_ANALYSIS_TOKENS, analyze
from pages.components.model.sentence import show_translation, try_to_analyze
from pages.components.widgets.state import Linked, choose, toggle
from pages.content.markdown import plain

Result = TypeVar("Result")

_LENSES: dict[LensKind, str] = {"decoder": N_("Each decoder layer"), "encoder": N_("Each encoder layer")}
_LENS_ALTS: dict[LensKind, str] = {
    "decoder": N_("What each decoder layer would predict at each of {count} steps, with its probability"),
    "encoder": N_("What each encoder layer would predict at each of {count} steps, with its probability"),
}
_MEASURES = {
    "raw": N_("Raw attention"),
    "norm": N_("Norm-weighted attention"),
    "rollout": N_("Attention rollout"),
    "alti": "ALTI+",
    "occlusion": N_("Erasing one word"),
    CHANCE: N_("By chance"),
}
_HEIGHT = height_below(270)  # for a figure with a row per word


def _read_names(names: Iterable[object]) -> list[str]:
    """Return the names of switches; a layer was once "Layer 1"."""
    return [str(name).removeprefix("Layer ") for name in names]


# In the address: the names of heads and layers that are switched off.
_OFF: dict[AttentionKind, Linked[list[str]]] = {
    kind: Linked(f"off_{kind}", [], N_("choice of heads"), list, _read_names, is_repeated=True)
    for kind in ATTENTION_KINDS
}
_SETTLED = "settled"  # key of the switch that frames the layers; a lesson turns it off
_NAMED_HEADS = 3  # the costliest, named below the map
_LEAST_FACTOR = 1.05  # of a probability; less counts as no change
_MOST_NATS = math.log(1000)  # beyond, a factor is no longer told
_MAX_PAIRS = 8  # of a model's own sentences, to choose from
_NAMED_WORDS = 4  # the first words in a measure's order


@dataclass(frozen=True)
class TracedSentence:
    """A sentence and its translation, for one pass with teacher forcing."""

    chosen: ChosenSentence
    pair: ForcedPair

    @classmethod
    def of(cls, chosen: ChosenSentence) -> Self | None:
        """Return a chosen sentence; None, with a message, if it is too long."""
        pair = chosen.pair
        longest = max(len(pair.source), len(pair.predicted))
        if longest > MAX_ANALYSIS_TOKENS or not len(pair.predicted):
            st.error(
                _(
                    "This sentence or its translation has {count} tokens; this page takes at most {most}. "
                    "Shorten the sentence."
                ).format(count=longest, most=MAX_ANALYSIS_TOKENS),
                icon=":material/error:",
            )
            return None
        return cls(chosen, pair)

    def find(self, function: Callable[..., Result], *arguments: Any) -> Result | None:
        """Return `function(tracer, pair, *arguments)`, computed once; see `try_to_analyze`."""
        return try_to_analyze(self.chosen.model, function, self.pair, *arguments)


def _choose_lens() -> tuple[LensKind, bool]:
    """Return after which layers the prediction is read, and whether it is shown where each word settles."""
    with st.container(horizontal=True, vertical_alignment="center"):
        lenses = {kind: _(title) for kind, title in _LENSES.items()}
        kind = choose(_("Read the prediction after …"), lenses, key="lens", hide_label=True)
        return kind, toggle(_("Show where each word settles"), True, _SETTLED)


def _show_lens(traced: TracedSentence, choice: tuple[LensKind, bool]) -> None:
    """Show after which layer the model "knew" each word."""
    kind, are_settled_shown = choice
    lens = traced.find(depth_lens, kind)
    if lens is None:
        return
    figure = lens_figure(lens, _HEIGHT, settled_shown=are_settled_shown)
    num_steps = len(lens.predicted_tokens)
    alt = _(_LENS_ALTS[kind]).format(count=num_steps)
    show_figure(figure, alt, key="lens_figure")
    if are_settled_shown:
        st.markdown(_known(lens))
    st.caption(
        _(
            "Each cell has the likeliest token after that layer; color and number are its probability. Bold: the token "
            "that was written, framed where it settles. Hover for its rank."
        )
        if are_settled_shown
        else _(
            "Each cell has the likeliest token after that layer; color and number are its probability. Bold: the token "
            "that was written. Hover for its rank."
        )
    )


def _known(lens: Lens) -> str:
    """Return a sentence about how many words settle early, and which one settles last."""
    settled = [
        (since, token)
        for since, token in zip(lens.known_since, lens.predicted_tokens, strict=True)
        if since is not None
    ]
    if not settled:
        return ""
    layer, token = max(settled, key=lambda each: each[0])
    early = sum(each[0] < len(lens.tokens) - 1 for each in settled)
    return _(
        ":orange[**{count} of {total} tokens are settled**] before the last layer; :orange[**{token}**] is settled "
        "after layer {layer}."
    ).format(count=early, total=len(lens.predicted_tokens), token=plain(token), layer=layer)


def _show_heads(traced: TracedSentence) -> None:
    """Show the translation without some of the heads."""
    costs = traced.find(head_costs)
    if costs is None:
        return
    off = _choose_heads_off(traced.chosen.model.translator.config, costs)
    all_on = traced.find(run_without, ())
    now = traced.find(run_without, off)
    if all_on is None or now is None:
        return
    left, right = st.columns(2)
    left.markdown(f"{_('All heads on')}  \n**{_translation(all_on)}**")
    with right.container(key="changed_by_heads"):  # stays in sight on a phone
        if off:
            loss = float((all_on.log_probability - now.log_probability).sum())
            change = ngettext(
                "{count} head off: the translation at the top is **{change}**.",
                "{count} heads off: the translation at the top is **{change}**.",
                len(off),
            ).format(count=len(off), change=_change_of(loss))
            same = now.translation == all_on.translation
            writes = _("The model still writes") if same else _("The model now writes")
            falls = _("The translation's log P falls by {nats} nats. Each nat is a factor of e, about 2.7.")
            rises = _("The translation's log P rises by {nats} nats. Each nat is a factor of e, about 2.7.")
            st.markdown(
                f"{change} {writes}  \n**{_translation(now)}**",
                help=(falls if loss >= 0 else rises).format(nats=number(abs(loss), ".2f")),
            )
        else:
            st.markdown(_("Click heads, or a whole layer, to switch them off."))
    shares = (np.exp(each.log_probability).tolist() for each in (all_on, now))
    chips = map(_probability_chip, traced.pair.predicted_tokens, *shares)
    label = _("P of each word, on → off:") if off else _("P of each word:")
    st.markdown(f"{label} {' '.join(chips)}")
    if traced.chosen.decoding != GREEDY:
        st.caption(_("Both use greedy decoding, so they may differ from the translation at the top."))
    named = ", ".join(
        f"{_title_of(head)} ({number(cost, 'z.2f')})" for head, cost in costliest(costs)[:_NAMED_HEADS]
    )
    st.caption(
        _(
            "On each head: how far log P per token falls, in nats, when only this head is off; blue: it rises. Highest: "
            "{heads}."
        ).format(heads=named)
    )


def _change_of(loss: float) -> str:
    """Return in words how much less likely a sentence is that has lost some nats."""
    nats = abs(loss)
    factor = math.exp(min(nats, _MOST_NATS))
    if factor < _LEAST_FACTOR:
        return _("as likely as before")
    digits = 1 if factor < 10 else 0
    times = number(factor, f",.{digits}f")
    if nats > _MOST_NATS:
        times = _("more than {count}").format(count=times)
    changed = _("{times} times less likely") if loss > 0 else _("{times} times more likely")
    return changed.format(times=times)


def _title_of(head: Head) -> str:
    return f"{_(KIND_TITLES[head.kind]).lower()} {head_name(head)}"


def _translation(found: WithoutHeads) -> str:
    return (plain(found.translation) or _("(nothing)")) + ("" if found.finished else " …")


def _probability_chip(token: str, before: float, after: float) -> str:
    """Return a word with its probability, before and after heads are switched off."""
    on, off = number(before, ".0%"), number(after, ".0%")
    if before == after:
        return f":gray-badge[{plain(token)} {on}]"
    color = "red" if after < before / 2 else "gray"
    return f":{color}-badge[{plain(token)} {on} → **{off}**]"


def _choose_heads_off(config: ModelConfig, costs: Floats) -> tuple[Head, ...]:
    """Show a map of heads for each kind of attention, colored by `costs` (3, L, H); return the heads switched off."""
    switches = _switches(config)
    names = [f"{kind} {name}" for kind in ATTENTION_KINDS for name in _OFF[kind].get()]
    # The choice outlives a change of the model, which may have fewer heads.
    off = {head for name in names for head in switches.get(name, ())}
    titles = {kind: _(title) for kind, title in KIND_TITLES.items()}
    show_svg(head_switches_svg(costs, off, titles), "head_switches", partial(_switch, config, off))
    return tuple(head for head in all_heads(config) if head in off)


def _switches(config: ModelConfig) -> dict[str, tuple[Head, ...]]:
    """Return the heads of each switch, by the kind of attention and the name of a head or a layer."""
    switches: dict[str, tuple[Head, ...]] = {}
    for head in all_heads(config):
        of_layer = f"{head.kind} {layer_name(head.layer)}"
        switches[of_layer] = (*switches.get(of_layer, ()), head)
        switches[f"{head.kind} {head_name(head)}"] = (head,)
    return switches


def _switch(config: ModelConfig, off: set[Head], part: str) -> None:
    """Switch a head or a layer off, or on if all of it is off, and keep in the address what is off."""
    heads = set(_switches(config).get(part, ()))
    now_off = off - heads if heads <= off else off | heads
    for kind in ATTENTION_KINDS:
        names: list[str] = []
        for layer in range(config.num_layers):
            of_layer = [Head(kind, layer, head) for head in range(config.num_heads)]
            if now_off.issuperset(of_layer):
                names.append(layer_name(layer))
            else:
                names += [head_name(head) for head in of_layer if head in now_off]
        _OFF[kind].set(names)


def _show_contributions(traced: TracedSentence) -> None:
    """Show how much of each word comes from the source."""
    found = traced.find(word_contributions)
    if found is None:
        return
    show_figure(
        contributions_figure(found, _HEIGHT),
        alt=_("Share of source and prefix in each of {count} written words, by ALTI+").format(
            count=len(found.words)
        ),
        key="contribution_figure",
    )
    if found.possible_hallucinations:
        named = ", ".join(f"**{plain(found.words[row])}**" for row in sorted(found.possible_hallucinations))
        st.warning(
            _(
                "Possibly hallucinated: {words}. Less than half of it comes from the source. Check it against the "
                "sentence."
            ).format(words=named),
            icon=":material/warning:",
        )
    says = _(
        "Left: how much of each word comes from the source (blue) and from the prefix, the words before it (gray). "
        "Right: from which words."
    )
    own = " " + _("A word's own first subwords count as prefix.") if found.has_own_prefix else ""
    st.caption(says + own)


def _show_faithfulness(traced: TracedSentence) -> None:
    """Show which measure's order of words breaks the translation first."""
    found = traced.find(erasure_curves)
    if found is None:
        return
    ranked = found.ranked()
    titles = {name: _(title) for name, title in _MEASURES.items()}
    show_figure(
        erasure_figure(found, titles),
        alt=_("log P of the translation while source words are erased; {measure} breaks it first").format(
            measure=titles[ranked[0]]
        ),
        key="erasure_figure",
    )
    st.markdown("\n".join(f"{place}. {_line(found, name)}" for place, name in enumerate(ranked, start=1)))
    st.caption(
        _(
            "Each measure ranks the source words; they are erased in that order, the most important first. The lower the "
            "line, the better the measure. The list has the mean of each line (by chance: of {count} orders)."
        ).format(count=CHANCE_ORDERS)
    )


def _line(found: ErasureCurves, name: str) -> str:
    area = f"**{_(_MEASURES[name])}** {number(found.area(name), 'z.2f')}"
    if name == CHANCE:
        return area
    order = found.order(name)
    words = ", ".join(quoted(plain(found.words[word])) for word in order[:_NAMED_WORDS])
    return titled(area, f"{words}{' …' if len(order) > _NAMED_WORDS else ''}")


def _minimal_pairs(model: TrainedModel) -> tuple[MinimalPair, ...]:
    """Return pairs of sentences that a model can read: of its language, or else of those that it was trained on."""
    tokenizer = model.checkpoint.source_tokenizer
    language = tokenizer.settings.language if isinstance(tokenizer, SubwordTokenizer) else ""
    return MINIMAL_PAIRS.get(language) or tuple(
        islice(pairs_of_examples(tokenizer, model.checkpoint.examples), _MAX_PAIRS)
    )


def _choose_pair(model: TrainedModel) -> MinimalPair | None:
    """Return the chosen one of a model's pairs of sentences; None, with a message, where it has none."""
    pairs = _minimal_pairs(model)
    if not pairs:
        st.info(
            _(
                "This needs two sentences of the model's language that differ in one word. None are known for this model."
            ),
            icon=":material/info:",
        )
        return None
    titles = {
        str(place): titled(_(pair.difference), f"{pair.first} / {pair.second}")
        for place, pair in enumerate(pairs, start=1)
    }
    menu, note = st.columns([3, 1], vertical_alignment="bottom")
    with menu:
        chosen = pairs[int(choose(_("Two sentences"), titles, key="two", look="menu")) - 1]
    note.caption(_("These two are used instead of the sentence above."))
    return chosen


def _show_patching(model: TrainedModel, chosen: MinimalPair) -> None:
    """Show what changes when states of one sentence's run replace those of another's."""
    try:
        found = analyze(model, _patching_map, chosen.first, chosen.second)
    except TranslationError as error:  # as after a short training
        st.info(plain(str(error)), icon=":material/info:")
        return
    show_figures(
        patching_figures(found),
        alt=_("How much of the difference between {word} and {other} each state recovers").format(
            word=found.word, other=found.other_word
        ),
        key="patching_figure",
        across=2,
    )
    before = plain(" ".join(found.prefix_tokens[1:]))
    writes = (
        _("After “{before}”, the model writes **{word}** for the first sentence, **{other}** for the second.")
        if before
        else _("The model's first token is **{word}** for the first sentence, **{other}** for the second.")
    ).format(before=before, word=plain(found.word), other=plain(found.other_word))
    means = _(
        "Each cell replaces one state of the first run with the second's. Its number is the percentage of the difference "
        "that this recovers. In the encoder's output, most is at “{token}”."
    ).format(token=plain(found.source_tokens[int(found.encoder[-1].argmax())]))
    st.caption(f"{writes} {means}")


def _patching_map(tracer: Tracer, first: str, second: str) -> PatchingMap:
    return patching_map(tracer, *(ForcedPair.of_text(tracer.translator, each) for each in (first, second)))


def main(visit: Visit) -> None:
    chosen = show_translation(visit)
    traced = TracedSentence.of(chosen) if chosen is not None else None
    if traced is None:
        return
    model = traced.chosen.model
    views: dict[str, View[Any]] = {
        "lens": View(_choose_lens, partial(_show_lens, traced), (depth_lens,)),
        "heads": View(lambda: traced, _show_heads, (without_heads, head_costs)),
        "source": View(lambda: traced, _show_contributions, (alti_shares,)),
        "honest": View(lambda: traced, _show_faithfulness, (source_scores, erasure_curves)),
        "patch": View(partial(_choose_pair, model), partial(_show_patching, model), (patching_map,)),
    }
    show_views(visit, views, "lens")
