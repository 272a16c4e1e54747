"""What the model computes for a sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import streamlit as st

from core.classroom.models import TrainedModel
from core.classroom.translation_job import Answer
from core.config import ModelConfig
from core.corpora.minimal_pairs import MINIMAL_PAIRS
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
from core.interpretability.patching import PatchingMap, patching_map
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words, attention_of_words, merged_words
from core.records import ATTENTION_KINDS, AttentionKind
from core.tokens.subword import SubwordTokenizer
from pages.components.content import plain
from pages.components.figures import show_figure, show_figures
from pages.components.menu import end_page
from pages.components.models import MAX_FINDING_TOKENS, kept_finding
from pages.components.sentence import end_with, show_translation
from pages.components.session import current_workspace
from pages.components.state import choose, choose_several
from pages.components.views import View, show_views

Found = TypeVar("Found")

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
_NAMED_HEADS = 5  # the costliest, below their map
_NAMED_WORDS = 4  # the first of a measure's order


@dataclass(frozen=True)
class OpenedSentence:
    """A sentence and its translation, as one pass reads them."""

    answer: Answer
    pair: ForcedPair

    @classmethod
    def of(cls, answer: Answer) -> OpenedSentence:
        """The sentence of an answer; the page's run ends here where it is too long to open."""
        pair = ForcedPair.of_translation(answer.model.translator, answer.sentence)
        longest = max(len(pair.source), len(pair.predicted))
        if longest > MAX_FINDING_TOKENS or not len(pair.predicted):
            st.error(
                f"This sentence or its translation has {longest} tokens; this page opens at most {MAX_FINDING_TOKENS}. "
                "Shorten the sentence.",
                icon=":material/error:",
            )
            end_page()
        return cls(answer, pair)

    @property
    def source_words(self) -> Words:
        """Words of the source's tokens."""
        return merged_words(self.pair.source_tokens)

    @property
    def target_words(self) -> Words:
        """Words of the translation's tokens, the end included."""
        return merged_words(self.pair.predicted_tokens)

    def find(self, what: str, find: Callable[[Tracer], Found], *more: Hashable) -> Found:
        """What is asked about this pair, as `find`; it depends on model, pair and `more`."""
        content = (self.pair.source.tobytes(), self.pair.predicted.tobytes(), *more)
        return find_or_end(self.answer.model, what, find, *content)


def find_or_end(model: TrainedModel, what: str, find: Callable[[Tracer], Found], *content: Hashable) -> Found:
    """What is found inside a model, computed once; where it cannot be had people read why, and the page's run ends.

    Args:
        model: to look into.
        what: kind of finding.
        find: computes it.
        content: what it depends on beside the model.
    """
    try:
        return kept_finding(model, what, content, find)
    except ValueError as error:
        end_with(error)


def show_lens(opened: OpenedSentence) -> None:
    """When the model "knew" each word."""
    kind = choose("Read the prediction after …", _LENSES, key="lens", hide_label=True)
    is_decoder = kind == "decoder"
    lens = opened.find(f"lens of the {kind}", lambda tracer: depth_lens(tracer, opened.pair, kind))
    figure = lens_figure(
        lens.predicted_tokens,
        lens.tokens,
        lens.probability,
        lens.final_probability,
        lens.final_rank,
        lens.known_since,
        "decoder layer that predicts" if is_decoder else "encoder layer that the decoder attends to",
    )
    num_steps = len(lens.predicted_tokens)
    alt = f"What each {kind} layer would predict at each of {num_steps} steps, with its probability"
    show_figure(figure, alt, key="lens_figure")
    st.markdown(_known(lens))
    st.caption(
        "Each row is a step of the translation. Bold: the word that was written; framed where it "
        "settles. Color: how likely that word is there. Hover for its rank."
    )


def _known(lens: Lens) -> str:
    """The word that settles last, in words."""
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


def show_heads(opened: OpenedSentence) -> None:
    """What the model is without some of its heads."""
    costs = opened.find("head costs", lambda tracer: head_costs(tracer, opened.pair))
    off = choose_heads_off(opened.answer.model.translator.config, costs)
    logp = opened.find("log P without heads", partial(_logp_without, opened.pair, off), off)
    left, right = st.columns(2)
    left.markdown(f"All heads on  \n**{plain(_greedy_without(opened, ()))}**")
    if off:
        loss = float((logp[0] - logp[1]).sum())
        right.markdown(
            f"{len(off)} head{'s' if len(off) > 1 else ''} off: log P of the translation at the top "
            f"{'falls' if loss >= 0 else 'rises'} by **{abs(loss):.2f} nats**  \n"
            f"**{plain(_greedy_without(opened, off))}**"
        )
    else:
        right.markdown("Press heads, or a whole layer, to switch them off.")
    chips = map(_probability_chip, opened.pair.predicted_tokens, *np.exp(logp).tolist())
    st.markdown(f"P of each word{', on → off' if off else ''}: {' '.join(chips)}")
    if opened.answer.decoding != GREEDY:
        st.caption("Both are decoded greedily, so they may differ from the translation at the top.")
    named = ", ".join(f"{_head_name(head)} ({cost:z.2f})" for head, cost in costliest(costs)[:_NAMED_HEADS])
    st.caption(
        "On each head: nats per token by which log P of the translation falls when that head alone is off; blue: it "
        f"rises. Most: {named}. The map does not show what several heads do together."
    )


def _probability_chip(token: str, before: float, after: float) -> str:
    """A written word with its probability, before and after heads are switched off where that differs."""
    if before == after:
        return f":gray-badge[{plain(token)} {before:.0%}]"
    color = "red" if after < before / 2 else "gray"
    return f":{color}-badge[{plain(token)} {before:.0%} → **{after:.0%}**]"


def choose_heads_off(config: ModelConfig, costs: Floats) -> tuple[Head, ...]:
    """A map for each kind of attention; the heads pressed are off, and those of the layers pressed.

    Args:
        config: of the model whose heads they are.
        costs: what colors them, (3, L, H).
    """
    layers, heads = range(1, config.num_layers + 1), range(1, config.num_heads + 1)
    names = [name for layer in layers for name in (f"Layer {layer}", *(f"{layer}.{head}" for head in heads))]
    off: set[Head] = set()
    for place, kind in zip(st.columns(len(ATTENTION_KINDS), gap="medium"), ATTENTION_KINDS, strict=True):
        with place, st.container(key=f"switches_{kind}"):
            pressed = choose_several(_HEADS[kind], names, f"off_{kind}", [], len(names), look="pills")
        for name in pressed:
            layer, _, head = name.removeprefix("Layer ").partition(".")
            off |= {Head(kind, int(layer) - 1, each - 1) for each in ([int(head)] if head else heads)}
    st.html(f"<style>{_grid(config)}{_looks(costs, off)}</style>")
    return tuple(head for head in all_heads(config) if head in off)


def _grid(config: ModelConfig) -> str:
    """A row of buttons a layer, the first of them the whole layer's."""
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
    """Each button's color and cost; what is off is crossed out."""
    rules = []
    for kind, values, colors in zip(ATTENTION_KINDS, costs, head_colors(costs), strict=True):
        for (background, text), ((layer, head), cost) in zip(colors, np.ndenumerate(values), strict=True):
            place = layer * (values.shape[1] + 1) + head + 2  # the layer's own comes first
            button = f".st-key-switches_{kind} button:nth-of-type({place})"
            line = "line-through 2px" if Head(kind, layer, head) in off else "none"
            rules.append(  # also of the pressed ones
                f"{button} {{ background: {background} !important; }}"
                f"{button} p {{ color: {text}; text-decoration: {line}; }}"
                f"{button} p::after {{ content: '{with_true_minus(f'{cost:z.2f}')}'; }}"
            )
    return "".join(rules)


def _head_name(head: Head) -> str:
    return f"{_HEADS[head.kind].lower()}, layer {head.layer + 1}, head {head.head + 1}"


def _greedy_without(opened: OpenedSentence, off: tuple[Head, ...]) -> str:
    """What is written with some heads off; the likeliest word each time."""
    source = opened.pair.source.tolist()
    ids = opened.find(
        "translation without heads",
        lambda tracer: translate_without(tracer.translator, source, off, tracer.pause),
        off,
    )
    tokenizer = opened.answer.model.checkpoint.target_tokenizer
    ended = tokenizer.vocabulary.end_id in ids
    return (tokenizer.decode(ids) or "(nothing)") + ("" if ended else " …")


def _logp_without(pair: ForcedPair, off: tuple[Head, ...], tracer: Tracer) -> Floats:
    """Log P of each token, nats: with all heads on and with some off, (2, T)."""
    ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
    return tracer.log_probabilities(*ids, without_heads(tracer.config, [(), off]))


def show_contributions(opened: OpenedSentence) -> None:
    """How much of each word comes from the source."""
    source, target = opened.source_words, opened.target_words
    shares = opened.find("alti", partial(_shares_of, opened))
    before = np.concatenate([shares.prefix[:, 1:], np.zeros_like(shares.prefix[:, :1])], axis=1)
    start = shares.prefix[:, :1]
    of_source = attention_of_words(shares.source, target, source)
    of_prefix = attention_of_words(before, target, target)
    of_start = np.stack([start[list(word)].mean(axis=0) for word in target.positions])
    ahead = np.triu(np.ones(of_prefix.shape, bool))  # a word's own pieces count as said before
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
        "Left: how much of each written word comes from the source (blue) and from the prefix, the words before it "
        "(gray). Right: from which words; the line separates source and prefix."
        + (" What a word takes from its own first subwords counts as prefix." if own.any() else "")
    )


def _shares_of(opened: OpenedSentence, tracer: Tracer) -> Shares:
    trace = tracer.trace(opened.pair.source[None], opened.pair.decoder_input[None])
    return alti_shares(tracer.config, opened.answer.model.checkpoint.weights, trace)


def show_honesty(opened: OpenedSentence) -> None:
    """Whose order breaks the translation first."""
    weights = opened.answer.model.checkpoint.weights
    found = opened.find(
        "erasure curves", lambda tracer: erasure_curves(tracer, weights, opened.pair, opened.source_words)
    )
    curves = {_MEASURES[name]: curve.tolist() for name, curve in found.curves.items()}
    ranked = found.ranked()
    show_figure(
        erasure_figure(found.erased, curves, _MEASURES[CHANCE]),
        alt=f"log P of the translation while source words are erased; {_MEASURES[ranked[0]]} breaks it first",
        key="erasure_figure",
    )
    st.markdown("\n".join(f"{place}. {_line(found, name)}" for place, name in enumerate(ranked, start=1)))
    st.caption(
        "Each measure ranks the source words; they are erased in that order, the most important first. The lower a "
        "line, the sooner the translation breaks, and the better the measure found what mattered. The list shows the "
        f"mean of each line. By chance: the mean of {CHANCE_ORDERS} orders. One sentence proves nothing: try others. "
        "Erasing one word has an advantage, since it asks the same question as the test."
    )


def _line(found: ErasureCurves, name: str) -> str:
    area = f"**{_MEASURES[name]}** {with_true_minus(f'{found.area(name):z.2f}')}"
    if name == CHANCE:
        return area
    order = found.order(name)
    words = ", ".join(f"“{plain(found.words[word])}”" for word in order[:_NAMED_WORDS])
    return f"{area}: {words}{' …' if len(order) > _NAMED_WORDS else ''}"


def show_patching(opened: OpenedSentence) -> None:
    """Swap states between the runs of two sentences, a ready-made pair in the model's language."""
    model = opened.answer.model
    tokenizer = model.checkpoint.source_tokenizer
    language = tokenizer.settings.language if isinstance(tokenizer, SubwordTokenizer) else ""
    pairs = MINIMAL_PAIRS.get(language, ())
    if not pairs:
        st.info("There is no pair of sentences in the language of this model.")
        end_page()
    titles = {
        str(number): f"{pair.difference}: {pair.first} / {pair.second}"
        for number, pair in enumerate(pairs, start=1)
    }
    menu, note = st.columns([3, 1], vertical_alignment="bottom")
    with menu:
        chosen = pairs[int(choose("Two sentences", titles, key="two", look="menu")) - 1]
    note.caption("The figure is of these two, not of the sentence above.")
    sentences = [chosen.first, chosen.second]
    found = find_or_end(model, "patching", partial(_patching_map, sentences), *sentences)
    show_figures(
        patching_figures(
            found.encoder, found.decoder, found.source_tokens, found.other_tokens, found.prefix_tokens
        ),
        alt=f"How much of the difference between {found.word} and {found.other_word} each state brings over",
        key="patching_figure",
        across=2,
    )
    before = plain(" ".join(found.prefix_tokens[1:]))
    begin = f"After “{before}”, the model writes" if before else "The model's first token is"
    st.caption(
        f"{begin} **{plain(found.word)}** for the first sentence, **{plain(found.other_word)}** for the second. Each "
        "cell: the first sentence is run, with that one state taken from the second run; the number is how much of the "
        "change from one word to the other comes with it, in percent. In the encoder's output, most of the difference "
        f"is at “{plain(found.source_tokens[int(found.encoder[-1].argmax())])}”. A cell shows that a state is "
        "sufficient to bring the difference over, not that it is necessary."
    )


def _patching_map(sentences: list[str], tracer: Tracer) -> PatchingMap:
    translations = tracer.translator.translate_typed(sentences)
    pairs = (ForcedPair.of_translation(tracer.translator, each) for each in translations)
    return patching_map(tracer, *pairs)


def main() -> None:
    opened = OpenedSentence.of(show_translation(current_workspace(), "inside"))
    views = {
        "lens": View(partial(show_lens, opened), (depth_lens,)),
        "heads": View(partial(show_heads, opened), (without_heads, head_costs)),
        "source": View(partial(show_contributions, opened), (alti_shares,)),
        "honest": View(partial(show_honesty, opened), (source_scores, erasure_curves)),
        "patch": View(partial(show_patching, opened), (patching_map,)),
    }
    show_views("inside", views, "lens")


if __name__ == "__main__":
    main()
