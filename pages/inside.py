"""What the model computes for a sentence: lens, heads, contributions, faithfulness, patching."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from core.classroom.trained_model import TrainedModel
from core.classroom.translation_job import Answer
from core.config import ModelConfig
from core.figures.model_inside import (
    contributions_figure,
    erasure_figure,
    head_colors,
    lens_figure,
    patching_figures,
)
from core.figures.number_tables import with_true_minus
from core.inference.transformer import Floats
from core.inference.translator import GREEDY
from core.interpretability.contributions import Shares, alti_shares, possible_hallucinations
from core.interpretability.faithfulness import (
    CHANCE,
    CHANCE_ORDERS,
    ErasureCurves,
    erasure_curves,
    source_scores,
)
from core.interpretability.heads import (
    Head,
    all_heads,
    costliest,
    head_costs,
    translate_without,
    without_heads,
)
from core.interpretability.lens import Lens, LensKind, depth_lens
from core.interpretability.patching import MINIMAL_PAIRS, PatchingMap, patching_map
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words, attention_of_words, merged_words
from core.records.attention import ATTENTION_KINDS, AttentionKind
from core.tokens.subword import SubwordTokenizer
from pages.components.content import plain
from pages.components.explaining import View, show_views
from pages.components.figures import show_figure, show_figures
from pages.components.menu import end_page
from pages.components.model_choice import MAX_ANALYSIS_TOKENS, analyze
from pages.components.sentence import end_with_error, show_translation
from pages.components.session import current_workspace
from pages.components.state import choose, choose_several, toggle

Result = TypeVar("Result")

_LENSES: dict[LensKind, str] = {"decoder": "Each decoder layer", "encoder": "Each encoder layer"}
_HEADS: dict[AttentionKind, str] = {"encoder": "Encoder", "decoder": "Decoder", "cross": "Cross-attention"}
_MEASURES = {
    "raw": "Raw attention",
    "norm": "Norm-weighted attention",
    "rollout": "Attention rollout",
    "alti": "ALTI+",
    "occlusion": "Erasing one word",
    CHANCE: "By chance",
}
_SETTLED = "settled"  # key of the switch that frames the layers; a lesson turns it off
_NAMED_HEADS = 3  # the costliest, named below the map
_NAMED_WORDS = 4  # the first words in a measure's order


@dataclass(frozen=True)
class TracedSentence:
    """A sentence and its translation, for one pass with teacher forcing."""

    answer: Answer
    pair: ForcedPair

    @classmethod
    def of(cls, answer: Answer) -> TracedSentence:
        """Return the sentence of an answer; the page's run ends here if it is too long."""
        pair = ForcedPair.of_translation(answer.model.translator, answer.sentence)
        longest = max(len(pair.source), len(pair.predicted))
        if longest > MAX_ANALYSIS_TOKENS or not len(pair.predicted):
            st.error(
                f"This sentence or its translation has {longest} tokens; this page takes at most {MAX_ANALYSIS_TOKENS}. "
                "Shorten the sentence.",
                icon=":material/error:",
            )
            end_page()
        return cls(answer, pair)

    @property
    def source_words(self) -> Words:
        """Return the words that the source's tokens form."""
        return merged_words(self.pair.source_tokens)

    @property
    def target_words(self) -> Words:
        """Return the words that the translation's tokens form, the end token included."""
        return merged_words(self.pair.predicted_tokens)

    def find(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return `function(tracer, pair, *arguments)`, computed once; see `analyze`."""
        return analyze_or_end(self.answer.model, function, self.pair, *arguments)


def analyze_or_end(model: TrainedModel, function: Callable[..., Result], *arguments: Any) -> Result:
    """Return an analysis; if it fails, show why and end the page's run. See `analyze` for the arguments."""
    try:
        return analyze(model, function, *arguments)
    except ValueError as error:
        end_with_error(error)


def show_lens(traced: TracedSentence) -> None:
    """Show after which layer the model "knew" each word."""
    with st.container(horizontal=True, vertical_alignment="center", key="bar_settled"):
        kind = choose("Read the prediction after …", _LENSES, key="lens", hide_label=True)
        are_settled_shown = toggle("Show where each word settles", True, _SETTLED)
    is_decoder = kind == "decoder"
    lens = traced.find(depth_lens, kind)
    figure = lens_figure(
        lens.predicted_tokens,
        lens.tokens,
        lens.probability,
        lens.final_probability,
        lens.final_rank,
        lens.known_since if are_settled_shown else [None] * len(lens.predicted_tokens),
        "decoder layer that predicts" if is_decoder else "encoder layer that the decoder attends to",
    )
    num_steps = len(lens.predicted_tokens)
    alt = f"What each {kind} layer would predict at each of {num_steps} steps, with its probability"
    show_figure(figure, alt, key="lens_figure")
    if are_settled_shown:
        st.markdown(_known(lens))
    framed = ", framed where it settles" if are_settled_shown else ""
    st.caption(
        f"Each row is a step. Bold: the word that was written{framed}. Color: its probability. Hover for its rank."
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
    early = sum(since < len(lens.tokens) - 1 for since, _ in settled)
    return (
        f":orange[**{early} of {len(lens.predicted_tokens)} tokens are settled**] before the last layer; "
        f":orange[**{plain(token)}**] is settled after layer {layer}."
    )


def show_heads(traced: TracedSentence) -> None:
    """Show the translation without some of the heads."""
    costs = traced.find(head_costs)
    off = choose_heads_off(traced.answer.model.translator.config, costs)
    logp = traced.find(_logp_without, off)
    with st.container(key="changed_by_heads"):  # stays in sight on a phone
        left, right = st.columns(2)
        left.markdown(f"All heads on  \n**{plain(_greedy_without(traced, ()))}**")
        if off:
            loss = float((logp[0] - logp[1]).sum())
            right.markdown(
                f"{len(off)} head{'s' if len(off) > 1 else ''} off: log P of the translation at the top "
                f"{'falls' if loss >= 0 else 'rises'} by **{abs(loss):.2f} nats**  \n"
                f"**{plain(_greedy_without(traced, off))}**"
            )
        else:
            right.markdown("Click heads, or a whole layer, to switch them off.")
        chips = map(_probability_chip, traced.pair.predicted_tokens, *np.exp(logp).tolist())
        st.markdown(f"P of each word{', on → off' if off else ''}: {' '.join(chips)}")
    if traced.answer.decoding != GREEDY:
        st.caption("Both use greedy decoding, so they may differ from the translation at the top.")
    named = ", ".join(f"{_head_name(head)} ({cost:z.2f})" for head, cost in costliest(costs)[:_NAMED_HEADS])
    st.caption(
        "On each head: how far log P per token falls (in nats) when only this head is off; blue: it rises. Highest: "
        f"{named}."
    )


def _probability_chip(token: str, before: float, after: float) -> str:
    """Return a word with its probability, before and after heads are switched off."""
    if before == after:
        return f":gray-badge[{plain(token)} {before:.0%}]"
    color = "red" if after < before / 2 else "gray"
    return f":{color}-badge[{plain(token)} {before:.0%} → **{after:.0%}**]"


def choose_heads_off(config: ModelConfig, costs: Floats) -> tuple[Head, ...]:
    """Show a map of heads for each kind of attention; return the clicked heads and those of clicked layers.

    Args:
        config: The model's config.
        costs: The cost of each head, which colors it, (3, L, H).
    """
    layers, heads = range(1, config.num_layers + 1), range(1, config.num_heads + 1)
    names = [name for layer in layers for name in (f"Layer {layer}", *(f"{layer}.{head}" for head in heads))]
    off: set[Head] = set()
    for place, kind in zip(st.columns(len(ATTENTION_KINDS), gap="medium"), ATTENTION_KINDS, strict=True):
        with place, st.container(key=f"switches_{kind}"):
            chosen = choose_several(_HEADS[kind], names, f"off_{kind}", [], len(names), look="pills")
        for name in chosen:
            layer, _, head = name.removeprefix("Layer ").partition(".")
            off |= {Head(kind, int(layer) - 1, each - 1) for each in ([int(head)] if head else heads)}
    st.html(f"<style>{_grid(config)}{_looks(costs, off)}</style>")
    return tuple(head for head in all_heads(config) if head in off)


def _grid(config: ModelConfig) -> str:
    """Return CSS for a row of buttons per layer, the first for the whole layer."""
    group = "[class*='st-key-switches_'] [role='toolbar']"
    return f"""
        [class*='st-key-off_'] {{ width: 100%; }}
        {group} {{ display: grid; grid-template-columns: auto repeat({config.num_heads}, minmax(0, 1fr)); gap: 3px;
        width: 100%; max-width: none; }}
        {group} button {{ min-width: 0; max-width: none; width: 100%; height: auto; padding: 0.1rem 0.3rem;
        justify-content: center; border-radius: 4px; }}
        {group} button[aria-pressed='true'] {{ outline: 3px solid; outline-offset: -3px; }}
        {group} p::after {{ display: block; font-size: 0.8rem; }}
        """


def _looks(costs: Floats, off: Collection[Head]) -> str:
    """Return CSS for each button's color and cost; heads that are off are crossed out."""
    rules = []
    for kind, values, colors in zip(ATTENTION_KINDS, costs, head_colors(costs), strict=True):
        for (background, text), ((layer, head), cost) in zip(colors, np.ndenumerate(values), strict=True):
            place = layer * (values.shape[1] + 1) + head + 2  # after the layer's own button
            button = f".st-key-switches_{kind} button:nth-of-type({place})"
            line = "line-through 2px" if Head(kind, layer, head) in off else "none"
            rules.append(  # clicked ones too
                f"{button} {{ background: {background} !important; }}"
                f"{button} p {{ color: {text}; text-decoration: {line}; }}"
                f"{button} p::after {{ content: '{with_true_minus(f'{cost:z.2f}')}'; }}"
            )
    return "".join(rules)


def _head_name(head: Head) -> str:
    return f"{_HEADS[head.kind].lower()} {head.layer + 1}.{head.head + 1}"


def _greedy_without(traced: TracedSentence, off: tuple[Head, ...]) -> str:
    """Return the greedy translation with some heads off."""
    ids = traced.find(_ids_without, off)
    tokenizer = traced.answer.model.checkpoint.target_tokenizer
    ended = tokenizer.vocabulary.end_id in ids
    return (tokenizer.decode(ids) or "(nothing)") + ("" if ended else " …")


def _ids_without(tracer: Tracer, pair: ForcedPair, off: tuple[Head, ...]) -> tuple[int, ...]:
    return translate_without(tracer.translator, pair.source.tolist(), off, tracer.pause)


def _logp_without(tracer: Tracer, pair: ForcedPair, off: tuple[Head, ...]) -> Floats:
    """Return log P of each token in nats, with all heads on and with some off, (2, T)."""
    ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
    return tracer.log_probabilities(*ids, without_heads(tracer.config, [(), off]))


def show_contributions(traced: TracedSentence) -> None:
    """Show how much of each word comes from the source."""
    source, target = traced.source_words, traced.target_words
    shares = traced.find(_shares_of)
    before = np.concatenate([shares.prefix[:, 1:], np.zeros_like(shares.prefix[:, :1])], axis=1)
    start = shares.prefix[:, :1]
    of_source = attention_of_words(shares.source, target, source)
    of_prefix = attention_of_words(before, target, target)
    of_start = np.stack([start[list(word)].mean(axis=0) for word in target.positions])
    ahead = np.triu(np.ones(of_prefix.shape, bool))  # a word's own subwords count as prefix
    own = np.diagonal(of_prefix)
    values = np.concatenate([of_source, of_start, np.where(ahead, np.nan, of_prefix)[:, :-1]], axis=1)
    share = of_source.sum(axis=1)
    marked = possible_hallucinations(target, share)
    prefix = ("[START]", *target.texts[:-1])
    show_figure(
        contributions_figure(target.texts, source.texts, prefix, values, share, marked),
        alt=f"Share of source and prefix in each of {len(target.texts)} written words, by ALTI+",
        key="contribution_figure",
    )
    if marked:
        named = ", ".join(f"**{plain(target.texts[row])}**" for row in sorted(marked))
        st.warning(
            f"Possibly hallucinated: {named}. Less than half of it comes from the source. Check it against the "
            "sentence.",
            icon=":material/warning:",
        )
    st.caption(
        "Left: how much of each word comes from the source (blue) and from the prefix, the words before it (gray). "
        "Right: from which words." + (" A word's own first subwords count as prefix." if own.any() else "")
    )


def _shares_of(tracer: Tracer, pair: ForcedPair) -> Shares:
    trace = tracer.trace(pair.source[None], pair.decoder_input[None])
    return alti_shares(tracer.config, tracer.translator.weights, trace)


def show_faithfulness(traced: TracedSentence) -> None:
    """Show which measure's order of words breaks the translation first."""
    found = traced.find(_erasure_curves)
    curves = {_MEASURES[name]: curve.tolist() for name, curve in found.curves.items()}
    ranked = found.ranked()
    show_figure(
        erasure_figure(found.erased, curves, _MEASURES[CHANCE]),
        alt=f"log P of the translation while source words are erased; {_MEASURES[ranked[0]]} breaks it first",
        key="erasure_figure",
    )
    st.markdown("\n".join(f"{place}. {_line(found, name)}" for place, name in enumerate(ranked, start=1)))
    st.caption(
        "Each measure ranks the source words; they are erased in that order, the most important first. The lower the "
        f"line, the better the measure. The list has the mean of each line (by chance: of {CHANCE_ORDERS} orders)."
    )


def _erasure_curves(tracer: Tracer, pair: ForcedPair) -> ErasureCurves:
    return erasure_curves(tracer, tracer.translator.weights, pair, merged_words(pair.source_tokens))


def _line(found: ErasureCurves, name: str) -> str:
    area = f"**{_MEASURES[name]}** {with_true_minus(f'{found.area(name):z.2f}')}"
    if name == CHANCE:
        return area
    order = found.order(name)
    words = ", ".join(f"“{plain(found.words[word])}”" for word in order[:_NAMED_WORDS])
    return f"{area}: {words}{' …' if len(order) > _NAMED_WORDS else ''}"


def show_patching(traced: TracedSentence) -> None:
    """Show what changes when states of one sentence's run replace those of another's."""
    model = traced.answer.model
    tokenizer = model.checkpoint.source_tokenizer
    language = tokenizer.settings.language if isinstance(tokenizer, SubwordTokenizer) else ""
    pairs = MINIMAL_PAIRS.get(language, ())
    if not pairs:
        st.info("There is no pair of sentences in this model's language.")
        end_page()
    titles = {
        str(number): f"{pair.difference}: {pair.first} / {pair.second}"
        for number, pair in enumerate(pairs, start=1)
    }
    menu, note = st.columns([3, 1], vertical_alignment="bottom")
    with menu:
        chosen = pairs[int(choose("Two sentences", titles, key="two", look="menu")) - 1]
    note.caption("These two are used instead of the sentence above.")
    found = analyze_or_end(model, _patching_map, chosen.first, chosen.second)
    show_figures(
        patching_figures(
            found.encoder, found.decoder, found.source_tokens, found.other_tokens, found.prefix_tokens
        ),
        alt=f"How much of the difference between {found.word} and {found.other_word} each state recovers",
        key="patching_figure",
        across=2,
    )
    before = plain(" ".join(found.prefix_tokens[1:]))
    begin = f"After “{before}”, the model writes" if before else "The model's first token is"
    st.caption(
        f"{begin} **{plain(found.word)}** for the first sentence, **{plain(found.other_word)}** for the second. Each "
        "cell replaces one state of the first run with the second's. Its number is the percentage of the difference "
        "that this recovers. In the encoder's output, most is at "
        f"“{plain(found.source_tokens[int(found.encoder[-1].argmax())])}”."
    )


def _patching_map(tracer: Tracer, first: str, second: str) -> PatchingMap:
    translations = tracer.translator.translate_typed([first, second])
    pairs = (ForcedPair.of_translation(tracer.translator, each) for each in translations)
    return patching_map(tracer, *pairs)


def main() -> None:
    traced = TracedSentence.of(show_translation(current_workspace(), "inside"))
    views = {
        "lens": View(partial(show_lens, traced), (depth_lens,)),
        "heads": View(partial(show_heads, traced), (without_heads, head_costs)),
        "source": View(partial(show_contributions, traced), (alti_shares,)),
        "honest": View(partial(show_faithfulness, traced), (source_scores, erasure_curves)),
        "patch": View(partial(show_patching, traced), (patching_map,)),
    }
    show_views("inside", views, "lens")


if __name__ == "__main__":
    main()
