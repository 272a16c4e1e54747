"""Decoding step by step: a translation token by token, the beam tree, samples."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

import pandas as pd
import streamlit as st

from core.errors import InputError
from core.figures.plotly.decoding import (
    MAX_COLUMNS,
    beam_tree_figure,
    next_tokens_figure,
    step_attention_figure,
)
from core.inference.search import beam_search, filtered_probabilities, greedy_search
from core.inference.translator import target_limit
from core.interpretability.words import is_special
from core.interpretability.writing import Written, parting_step, write
from core.language import N_, _, ngettext, number
from core.records.analysis import BeamStatus, BeamTree, DecodingStep
from core.records.text import Hypothesis
from core.server.translation_job import ChosenSentence
from core.tokens.base import Tokenizer
from core.tokens.vocabulary import END_ID, PAD_ID, START_ID, UNKNOWN_ID, Vocabulary
from pages.components.explaining.figure import height_below, show_figure, show_table
from pages.components.explaining.view import View, show_steps, show_view
from pages.components.frame.visit import Visit
from pages.components.model.sentence import show_translation, try_to_analyze
from pages.components.widgets.state import Linked, asked_for, choose, forget, mirror, set_value
from pages.components.widgets.telling import tell
from pages.content.markdown import plain

# By source language, a sentence whose rest changes with one other word, and which beam search translates otherwise.
_EXAMPLES = {"Portuguese": "Não tinha a menor dúvida."}
_ACROSS = 4  # samples beside each other
_TREE_HEIGHT = height_below(388)  # height of the tree of beams, pixels
_TOKENS_WIDTH = 400  # of the figure of next tokens, pixels

_STEP = "at"  # key of the address: the step
_PARTING = "0"  # as the step: the first one with two good choices
# Keys of st.session_state.
_WRITTEN = "written_tokens"  # the pills of the translation
_TYPED = "prefix_text"  # the text box

_TOKEN = re.compile(r"([ft]?)(\d{1,7})")  # one token of a prefix in an address
_SEPARATOR = "."


@dataclass(frozen=True)
class ForcedPrefix:
    """Tokens that the model continues from; the last one is forced by the visitor.

    In an address: "12.f7.40.f8.t9" is the model's own token 12, a forced 7, its own 40, and 8 and 9 forced together.
    """

    ids: tuple[int, ...] = ()
    # Of each: "" the model's own, "f" forced, "t" forced together with the one before.
    marks: tuple[str, ...] = ()

    @property
    def forced(self) -> frozenset[int]:
        """Return the positions of the forced tokens, from 0."""
        return frozenset(position for position, mark in enumerate(self.marks) if mark)

    def with_token(self, written: tuple[int, ...], position: int, token_id: int) -> Self:
        """Return the prefix with another token forced at a position; later tokens are dropped."""
        marks = (*self.marks[:position], *[""] * (position - len(self.marks)), "f")
        return type(self)((*written[:position], token_id), marks)

    def without_last(self) -> Self:
        """Return the prefix without the tokens that were forced last."""
        end = max((n for n, mark in enumerate(self.marks) if mark == "f"), default=0)
        while end and not self.marks[end - 1]:
            end -= 1
        return type(self)(self.ids[:end], self.marks[:end])

    @classmethod
    def typed(cls, ids: list[int]) -> Self:
        """Return a prefix of typed tokens, all of them forced."""
        return cls(tuple(ids), ("f", *["t"] * (len(ids) - 1)) if ids else ())

    def check(self, vocabulary: Vocabulary, most: int) -> None:
        """Check that a model can continue from this prefix.

        Raises:
            InputError: It has a token that no translation has, continues after its end, or is too long.
        """
        never = {PAD_ID, START_ID}
        if any(each >= len(vocabulary) or each in never for each in self.ids):
            raise InputError(_("It has a token that is not in this model's vocabulary."))
        if END_ID in self.ids[:-1]:
            raise InputError(_("It continues after its end token."))
        if len(self.ids) > most:
            raise InputError(
                _("It has {count} tokens; this translation has at most {most}.").format(
                    count=number(len(self.ids), ","), most=number(most, ",")
                )
            )


def write_prefix(prefix: ForcedPrefix) -> str:
    """Return a prefix as written in an address."""
    return _SEPARATOR.join(f"{mark}{token}" for mark, token in zip(prefix.marks, prefix.ids, strict=True))


def read_prefix(text: str) -> ForcedPrefix:
    """Return the prefix that `write_prefix` wrote.

    Raises:
        InputError: The text is not a prefix.
    """
    if not text:
        return ForcedPrefix()
    found = [_TOKEN.fullmatch(part) for part in text.split(_SEPARATOR)]
    marks = tuple(match[1] for match in found if match)
    if None in found or marks[-1] == "" or "t" in marks[:1]:
        raise InputError(_("This is not a prefix of a translation."))
    return ForcedPrefix(tuple(int(match[2]) for match in found if match), marks)


_PREFIX = Linked("said", ForcedPrefix(), N_("prefix"), write_prefix, read_prefix)


def _current_prefix(chosen: ChosenSentence) -> ForcedPrefix:
    """Return the forced prefix; an empty one if it belongs to another sentence or the link is invalid."""
    vocabulary = _target(chosen).vocabulary
    most = _max_tokens(chosen)

    def read(text: str) -> ForcedPrefix:
        prefix = read_prefix(text)
        prefix.check(vocabulary, most)
        return prefix

    return replace(_PREFIX, read=read).get(about=(chosen.model.id, chosen.sentence.read))


def _target(chosen: ChosenSentence) -> Tokenizer:
    return chosen.model.checkpoint.target_tokenizer


def _max_tokens(chosen: ChosenSentence) -> int:
    """Return the token limit for a translation of the sentence, the end token included."""
    return target_limit(len(chosen.sentence.source_ids), chosen.model.translator.config)


class _Found(NamedTuple):
    """What is shown of a search."""

    part: str  # "steps", "tree" or "samples"
    written: Written
    prefix: ForcedPrefix


def _choose_part(chosen: ChosenSentence) -> _Found | None:
    prefix = _current_prefix(chosen)
    decoding = chosen.decoding
    written = try_to_analyze(chosen.model, write, chosen.sentence.source_ids, decoding, prefix.ids)
    if written is None:
        return None
    if decoding.num_hypotheses == 1:
        return _Found("steps", written, prefix)
    part = "samples"
    if not decoding.samples:
        titles = {"tree": _("The tree"), "steps": _("The best, step by step")}
        part = choose(_("Show"), titles, key="show", hide_label=True)
    if part == "tree" and written.tree is None:
        part = "steps"  # the prefix is a whole translation, so there was nothing to search
    if part != "steps":
        _show_prefix(prefix, _target(chosen))
    return _Found(part, written, prefix)


def _show_part(chosen: ChosenSentence, found: _Found) -> None:
    part, written, prefix = found
    if part == "samples":
        _show_samples(written.hypotheses)
    elif part == "tree" and written.tree is not None:
        _show_tree(written.tree, _target(chosen))
    else:
        _show_decoding(chosen, written, prefix)


def _show_decoding(chosen: ChosenSentence, written: Written, prefix: ForcedPrefix) -> None:
    """Show the best translation step by step, with controls."""
    steps = written.steps
    hypothesis = written.hypotheses[0]
    first = min(len(prefix.ids), len(steps)) or parting_step(steps)
    if asked_for(_STEP) == [_PARTING]:
        forget(_STEP)
    with st.container(key="steered"):  # in presenter mode these controls stay above what they change
        show_steps(
            len(steps), _STEP, partial(_show_step, chosen, hypothesis, prefix, steps), first, is_steered=True
        )


def _show_step(
    chosen: ChosenSentence,
    hypothesis: Hypothesis,
    prefix: ForcedPrefix,
    steps: tuple[DecodingStep, ...],
    place: int,
) -> None:
    if st.session_state[_PREFIX.key] != prefix:
        st.rerun()  # the whole page: the prefix has changed since it ran
    step = steps[place - 1]
    position = place - 1
    is_forced = position in prefix.forced
    with st.container(key="written"):  # on a phone, above the bars
        text, undo = st.columns([7, 1], vertical_alignment="center")
        with text:
            _show_written(steps, position, prefix)
            hint = _("**Click a bar**: the model writes that token, and goes on from it.")
            result = _("With your tokens → **{translation}**").format(translation=plain(hypothesis.text))
            st.markdown(result if prefix.ids else hint)
        with undo:
            _show_undo(prefix)
    bars, attention = st.columns(2)
    tokens_figure = next_tokens_figure(step, is_forced, _TOKENS_WIDTH)
    height = tokens_figure["layout"]["height"]
    attention_figure = step_attention_figure(steps, position, chosen.sentence.source_tokens, height)
    with bars:
        alt = _("The most likely tokens of step {step}, of which “{token}” was chosen").format(
            step=place, token=step.chosen.token
        )
        show_figure(
            tokens_figure, alt, "next_tokens", on_click=partial(_force, hypothesis.ids, position, prefix)
        )
    with attention:
        alt = _("Cross-attention of step {step}: how much each layer attends to each source token").format(
            step=place
        )
        show_figure(attention_figure, alt, key="step_attention")
    _ask_prefix(_target(chosen), _max_tokens(chosen), _example_prefix(chosen))
    _explain_step(step, is_forced)
    if chosen.model.is_subword:
        st.caption(_("A token with ## continues the word before it: p ##ro ##ble ##m is “problem”."))


def _show_written(steps: tuple[DecodingStep, ...], position: int, prefix: ForcedPrefix) -> None:
    """Show the tokens of the translation; a click on one opens its step. Later ones are grey, a pen marks forced ones."""

    def label(place: int) -> str:
        token = plain(steps[place].chosen.token)
        text = f":orange[✎ {token}]" if place in prefix.forced else token
        return f":gray[{text}]" if place > position else f"**{text}**" if place == position else text

    st.pills(
        _("The translation, by step"),
        range(len(steps)),
        format_func=label,
        label_visibility="collapsed",
        required=True,
        wrap=True,
        **mirror(_WRITTEN, position, lambda place: set_value(_STEP, place + 1)),
    )


def _show_undo(prefix: ForcedPrefix) -> None:
    st.button(
        _("Undo"),
        icon=":material/undo:",
        key="undo_token",
        on_click=_PREFIX.set,
        args=(prefix.without_last(),),
        disabled=not prefix.ids,
        help=_("Take back the last token you chose."),
    )


def _force(written: tuple[int, ...], position: int, prefix: ForcedPrefix, token_id: int | None) -> None:
    """Force a token at a position (from 0), unless it is written there already."""
    if token_id is not None and token_id != written[position]:
        _PREFIX.set(prefix.with_token(written, position, token_id))
        set_value(_STEP, position + 1)  # the slider has another length, and would go to its first step


def _example_prefix(chosen: ChosenSentence) -> str:
    """Return the translation up to the first letter of its longest token, "This is a p"; of whole words, a long one."""
    ids = chosen.sentence.best.ids
    tokenizer = _target(chosen)
    tokens = tokenizer.vocabulary.tokens
    if not chosen.model.is_subword:
        return max((token for token in tokens if not is_special(token)), key=len)
    words = [each if each[0].isalpha() else "" for each in map(tokens.__getitem__, ids)]
    if not any(words):
        return ""
    place = words.index(max(words, key=len))
    return f"{tokenizer.decode(ids[:place])} {words[place][0]}".strip()


def _ask_prefix(tokenizer: Tokenizer, most: int, example: str) -> None:
    """Ask for words to force as a prefix of at most `most` tokens; an empty box takes the example."""
    with st.form("prefix", border=False):
        field, button = st.columns([2, 1], vertical_alignment="bottom")
        field.text_input(_("Or type a prefix"), key=_TYPED, max_chars=200, placeholder=example)
        button.form_submit_button(
            _("Continue"),
            key="take_prefix",
            on_click=_take_typed,
            args=(tokenizer, most, example),
            width="stretch",
        )


def _take_typed(tokenizer: Tokenizer, most: int, example: str) -> None:
    text = st.session_state.get(_TYPED) or example
    ids = tokenizer.encode(text)
    if UNKNOWN_ID in ids:
        unknown = tokenizer.tokens(text)[ids.index(UNKNOWN_ID)]
        tell(_("The model has no token for “{word}”. Try other words.").format(word=unknown))
        return
    prefix = ForcedPrefix.typed(ids)
    try:
        prefix.check(tokenizer.vocabulary, most)
    except InputError as error:
        tell(_("The model cannot continue from there.") + f" {error}")
        return
    _PREFIX.set(prefix)
    st.session_state[_TYPED] = ""  # the typed words are beside the box now, and in the address
    set_value(_STEP, len(ids) + 1)


def _explain_step(step: DecodingStep, is_forced: bool) -> None:
    is_first = step.chosen.rank == 1
    if is_forced and is_first:
        said = _("You chose it: **{token}**, the most likely token, log P = {log_p} nats.")
    elif is_forced:
        said = _("You chose it: **{token}**, rank {rank} of all tokens, log P = {log_p} nats.")
    elif is_first:
        said = _("The search chose it: **{token}**, the most likely token, log P = {log_p} nats.")
    else:
        said = _("The search chose it: **{token}**, rank {rank} of all tokens, log P = {log_p} nats.")
    said = said.format(
        token=plain(step.chosen.token),
        rank=number(step.chosen.rank, ","),
        log_p=number(step.chosen.log_probability, "z.2f"),
    )
    shown = _(
        "Bars: the probability of each next token. Heatmap: where this step attends (mean over each layer's heads); "
        "that does not explain why it chose the token."
    )
    st.caption(f"{said} {shown}")


def _show_prefix(prefix: ForcedPrefix, tokenizer: Tokenizer) -> None:
    """Show the forced prefix with its Undo button, where no step shows it."""
    if prefix.ids:
        text, undo = st.columns([7, 1], vertical_alignment="center")
        text.markdown(_("Your prefix: **{prefix}** …").format(prefix=plain(tokenizer.decode(prefix.ids))))
        with undo:
            _show_undo(prefix)


def _show_tree(tree: BeamTree, tokenizer: Tokenizer) -> None:
    """Show the beam tree with a slider over its steps, and why the winner won."""
    if tree.steps:
        last = len(tree.steps)
        # As much of the tree as fits.
        first = min(MAX_COLUMNS, last)
        show_steps(last, "beam_step", partial(_show_beam_step, tree, tokenizer), first)
    st.markdown(f"{_('**Why this hypothesis won.**')} {_why_it_won(tree, tokenizer)}")
    log_p, penalty, score = _("log P"), _("Penalty"), _("Score")
    table = pd.DataFrame(
        {
            _("Hypothesis"): [tokenizer.decode(end.ids) for end in tree.best],
            log_p: [end.log_probability for end in tree.best],
            _("Tokens"): [len(end.ids) for end in tree.best],
            penalty: [end.penalty for end in tree.best],
            score: [end.score for end in tree.best],
            "": [
                _("finished at step {step}").format(step=end.step + 1) if end.finished else _("truncated")
                for end in tree.best
            ],
        }
    )
    show_table(table, (log_p, penalty, score), alt=_("The best hypotheses at the end"))


def _show_beam_step(tree: BeamTree, tokenizer: Tokenizer, step: int) -> None:
    show_figure(
        beam_tree_figure(tree, step, tokenizer.decode, _TREE_HEIGHT),
        alt=_("The tree of the beam search after step {step}").format(step=step),
        key="beam_tree",
    )
    statuses = [child.status for child in tree.steps[step - 1]]
    live, finished, pruned = (statuses.count(status) for status in BeamStatus)
    st.caption(
        _(
            "Step {step}: of {count} hypotheses, {live} are kept, {finished} finished, {pruned} pruned. "
            "Each beam proposes its most likely next tokens, ranked by log P."
        ).format(step=step, count=len(statuses), live=live, finished=finished, pruned=pruned)
    )


def _why_it_won(tree: BeamTree, tokenizer: Tokenizer) -> str:
    """Compare the winner with the most likely of the others, in a sentence or two."""
    winner, *others = tree.best
    if not others:
        return _("It is the only hypothesis.")
    if not winner.finished:
        return _("No hypothesis ended within the token limit, so the best truncated one is used.")
    complete = [end for end in others if end.finished]
    if not complete:
        return _("It is the only finished hypothesis; the others were truncated at the token limit.")
    likeliest = max(complete, key=lambda end: end.log_probability)
    quotient, other = (
        f"{number(end.log_probability, 'z.3f')} / {number(end.penalty, 'z.3f')} = {number(end.score, 'z.3f')}"
        for end in (winner, likeliest)
    )
    if likeliest.log_probability <= winner.log_probability:
        return _("It is the most likely finished hypothesis, with the best score: {quotient}.").format(
            quotient=quotient
        )
    return _(
        "“{other}” is likelier (log P {log_p}) but shorter. Its score is {other_quotient}, the winner's {quotient}. "
        "The length penalty made the difference."
    ).format(
        other=plain(tokenizer.decode(likeliest.ids)),
        log_p=number(likeliest.log_probability, "z.3f"),
        other_quotient=other,
        quotient=quotient,
    )


def _show_samples(hypotheses: tuple[Hypothesis, ...]) -> None:
    """Show a card for each sample."""
    for first in range(0, len(hypotheses), _ACROSS):
        places = st.columns(min(_ACROSS, len(hypotheses)))
        for rank, (place, sample) in enumerate(
            zip(places, hypotheses[first:], strict=False), start=first + 1
        ):
            with place.container(border=True, key=f"sample_{rank}"):
                st.markdown(f"**{plain(sample.text) or _('(nothing)')}**")
                facts = [
                    _("Sample {rank}").format(rank=rank),
                    _("log P {log_p}").format(log_p=number(sample.log_probability, "z.2f")),
                    _("{share} per token").format(share=number(sample.mean_probability, ".0%")),
                    ngettext("{count} token", "{count} tokens", len(sample.ids)).format(
                        count=len(sample.ids)
                    ),
                    *([] if sample.finished else [_("truncated")]),
                ]
                st.caption(" · ".join(facts))
    different = len({each.ids for each in hypotheses})
    st.caption(
        _(
            "{count} of {total} are different. log P is the model's own, without temperature, top-k and top-p. The same "
            "seed draws the same samples."
        ).format(count=different, total=len(hypotheses))
    )


def main(visit: Visit) -> None:
    chosen = show_translation(visit, search_on_page=True, examples_of_page=_EXAMPLES)
    if chosen is None:
        return
    code: dict[str, Callable[..., Any]] = {
        "greedy": greedy_search,
        "beam": beam_search,
        "sample": filtered_probabilities,
    }
    kind = "sample" if chosen.decoding.samples else "beam" if chosen.decoding.beam_size > 1 else "greedy"
    show_view(visit, kind, View(partial(_choose_part, chosen), partial(_show_part, chosen), (code[kind],)))
