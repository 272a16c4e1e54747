"""A translation as it is written, step by step."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.classroom.translation_job import Answer
from core.config import DecodingConfig
from core.figures.decoding import beam_tree_figure, next_tokens_figure, step_attention_figure
from core.inference.search import beam_search, greedy_search, kept_probabilities
from core.interpretability.writing import Writer, Written
from core.records import BeamStatus, BeamTree, DecodingStep, Hypothesis
from core.tokens.base import Tokenizer
from core.tokens.vocabulary import Vocabulary
from pages.components.content import PAGE_TEXTS, plain
from pages.components.figures import for_display, show_figure
from pages.components.models import kept_finding
from pages.components.sentence import end_with, show_translation
from pages.components.session import current_workspace
from pages.components.state import choose, linked_text, set_value
from pages.components.views import show_lesson, show_steps

_ACROSS = 4  # samples beside each other

_STEP = "at"  # keys: of the step
_SAID = "said"  # of the beginning that a person forced
_BOX = "beginning_text"  # of what is typed
_BELONGS_TO = "said_belongs_to"  # of st.session_state: the sentence, and what was said of it
_CHANGED = "said_changed"  # whether the page has to run again
_PROBLEM = "beginning_problem"

_TOKEN = re.compile(r"([ft]?)(\d{1,7})")  # of a beginning in an address
_SEPARATOR = "."


class BeginningError(ValueError):
    """The text is no beginning; the message says why."""


@dataclass(frozen=True)
class Beginning:
    """Tokens that the model goes on from, the last of them forced by a person.

    In an address: "12.f7.40.f8.t9" is the model's own token 12, a forced 7, its own 40, and 8 and 9 forced together.
    """

    ids: tuple[int, ...] = ()
    # Of each: "" the model's own, "f" forced, "t" forced together with the one before.
    marks: tuple[str, ...] = ()

    @property
    def forced(self) -> frozenset[int]:
        """Positions of the forced tokens, from 0."""
        return frozenset(position for position, mark in enumerate(self.marks) if mark)

    def with_token(self, written: tuple[int, ...], position: int, token_id: int) -> Beginning:
        """Say another token at a position of what was written; what came after it goes."""
        marks = (*self.marks[:position], *[""] * (position - len(self.marks)), "f")
        return Beginning((*written[:position], token_id), marks)

    def undone(self) -> Beginning:
        """Without what was forced last."""
        end = max((n for n, mark in enumerate(self.marks) if mark == "f"), default=0)
        while end and not self.marks[end - 1]:
            end -= 1
        return Beginning(self.ids[:end], self.marks[:end])

    def to_address(self) -> str:
        return _SEPARATOR.join(
            f"{mark}{token_id}" for mark, token_id in zip(self.marks, self.ids, strict=True)
        )

    @classmethod
    def from_address(cls, text: str) -> Beginning:
        """The reverse of `to_address`.

        Raises:
            BeginningError: it is none.
        """
        if not text:
            return cls()
        found = [_TOKEN.fullmatch(part) for part in text.split(_SEPARATOR)]
        marks = tuple(match[1] for match in found if match)
        if None in found or marks[-1] == "" or "t" in marks[:1]:
            raise BeginningError("This is not the beginning of a translation.")
        return cls(tuple(int(match[2]) for match in found if match), marks)

    @classmethod
    def typed(cls, ids: list[int]) -> Beginning:
        """A beginning that a person typed."""
        return cls(tuple(ids), ("f", *["t"] * (len(ids) - 1)) if ids else ())

    def check(self, vocabulary: Vocabulary, most: int) -> None:
        """Whether a model can go on from it.

        Raises:
            BeginningError: it has a token that no translation has, goes on behind its end, or is too long.
        """
        never = {vocabulary.pad_id, vocabulary.start_id}
        if any(each >= len(vocabulary) or each in never for each in self.ids):
            raise BeginningError("It has a token that is not in this model's vocabulary.")
        if vocabulary.end_id in self.ids[:-1]:
            raise BeginningError("It continues after its end token.")
        if len(self.ids) > most:
            raise BeginningError(f"It has {len(self.ids):,} tokens; this translation has at most {most:,}.")


def current_beginning(answer: Answer) -> Beginning:
    """What the translation begins with; nothing where that was said of another sentence, or a link makes no sense."""
    text = linked_text(_SAID, "")
    sentence = (answer.model.id, answer.sentence.read)
    said_of, said = st.session_state.get(_BELONGS_TO, (sentence, text))
    if said_of != sentence and said == text:
        text = ""
    try:
        beginning = Beginning.from_address(text)
        beginning.check(_target(answer).vocabulary, _most_tokens(answer))
    except BeginningError as error:
        st.warning(f"The beginning in the link was left out. {error}", icon=":material/link_off:")
        text, beginning = "", Beginning()
    set_value(_SAID, text)
    linked_text(_SAID, "")
    st.session_state[_BELONGS_TO] = (sentence, text)
    return beginning


def _set(beginning: Beginning) -> None:
    set_value(_SAID, beginning.to_address())
    st.session_state[_CHANGED] = True


def _source_ids(answer: Answer) -> list[int]:
    return answer.model.checkpoint.source_tokenizer.encode(answer.sentence.read)


def _target(answer: Answer) -> Tokenizer:
    return answer.model.checkpoint.target_tokenizer


def _most_tokens(answer: Answer) -> int:
    """Of a translation of the sentence, its end included."""
    return Writer(answer.model.translator).limit(_source_ids(answer))


def written_from(answer: Answer, beginning: Beginning) -> Written:
    """The sentence's translations that begin so, found as the answer's were.

    Raises:
        ValueError: the weights overflow.
    """
    decoding = answer.decoding
    if not beginning.ids and decoding.beam_size == 1:
        return Written(answer.sentence.hypotheses)  # only a tree needs the search again
    source_ids = _source_ids(answer)
    return kept_finding(
        answer.model,
        "written",
        (answer.sentence.read, decoding, beginning.ids),
        lambda tracer: Writer(tracer.translator).write(source_ids, decoding, beginning.ids),
    )


def choose_part(decoding: DecodingConfig) -> str:
    """The steps, or what only this search has: "steps", "tree" or "samples"."""
    if decoding.num_hypotheses == 1:
        return "steps"
    if decoding.samples:
        return "samples"
    titles = {"tree": "The tree", "steps": "The best, step by step"}
    return choose("Show", titles, key="show", hide_label=True)


def show_writing(answer: Answer, hypothesis: Hypothesis, beginning: Beginning) -> None:
    """Controls over the steps of one translation, and the step.

    Raises:
        ValueError: that would be too much to show.
    """
    source_ids = _source_ids(answer)
    steps = kept_finding(
        answer.model,
        "steps",
        (answer.sentence.read, hypothesis.ids),
        lambda tracer: Writer(tracer.translator).steps(source_ids, hypothesis.ids),
    )
    with st.container(key="steered"):  # in presenter mode what is pressed stays above what it changes
        show_steps(len(steps), _STEP, partial(_show_step, answer, hypothesis, beginning, steps))


def _show_step(
    answer: Answer,
    hypothesis: Hypothesis,
    beginning: Beginning,
    steps: tuple[DecodingStep, ...],
    number: int,
) -> None:
    if st.session_state.pop(_CHANGED, False):
        st.rerun()  # of the whole page: what is said has changed since it ran
    step, position = steps[number - 1], number - 1
    is_forced = position in beginning.forced
    text, undo = st.columns([7, 1], vertical_alignment="center")
    said = f"With your tokens → **{plain(hypothesis.text)}**  \n" if beginning.ids else ""
    # The tokens written, the one of the step in bold, those to come in grey; a pen marks the forced ones.
    chips = (
        _chip(each.chosen.token, place - position, place in beginning.forced)
        for place, each in enumerate(steps)
    )
    text.markdown(said + " ".join(chips))
    with undo:
        _show_undo(beginning)
    tokens, box = st.columns([3, 2], vertical_alignment="bottom")
    # Next to the translation that they change: from below the figures it would be out of sight.
    with tokens:
        _offer_tokens(step, position, hypothesis.ids, beginning)
    with box:
        _ask_beginning(_target(answer), _most_tokens(answer), _example_of_beginning(answer))
    bars, attention = st.columns(2)
    tokens_figure = next_tokens_figure(step, is_forced)
    height = tokens_figure["layout"]["height"]
    attention_figure = step_attention_figure(steps, position, answer.sentence.source_tokens, height)
    with bars:
        alt = f"The likeliest tokens of step {number}, of which “{step.chosen.token}” was written"
        show_figure(tokens_figure, alt, key="next_tokens")
    with attention:
        alt = f"Cross-attention of step {number}: how much each layer attends to each source token"
        show_figure(attention_figure, alt, key="step_attention")
    _explain_step(step, is_forced)


def _chip(token: str, distance: int, is_forced: bool) -> str:
    said = f"✎ {plain(token)}" if is_forced else plain(token)
    if distance > 0:
        return f":gray[{said}]"
    color = "orange" if is_forced else "blue" if distance == 0 else "gray"
    return f":{color}-badge[{f'**{said}**' if distance == 0 else said}]"


def _show_undo(beginning: Beginning) -> None:
    st.button(
        "Undo",
        icon=":material/undo:",
        on_click=_set,
        args=(beginning.undone(),),
        disabled=not beginning.ids,
        help="Take back the last token that you chose.",
    )


def _offer_tokens(step: DecodingStep, position: int, written: tuple[int, ...], beginning: Beginning) -> None:
    """Tokens to say instead of the one at a position, from 0."""
    others = {token.id: plain(token.token) for token in step.likeliest if token.id != step.chosen.id}
    key = f"say_{position}_{hash(written)}"

    def say() -> None:
        chosen = st.session_state.get(key)
        if chosen is not None:
            _set(beginning.with_token(written, position, chosen))

    st.pills(
        "Choose another token",
        list(others),
        format_func=others.__getitem__,
        key=key,
        on_change=say,
        help="The model continues from the token you press.",
    )


def _example_of_beginning(answer: Answer) -> str:
    """The translation up to the first letter of its longest token, which the model then spells: "This is a p"."""
    ids, tokenizer = answer.sentence.best.ids, _target(answer)
    words = [each if each[0].isalpha() else "" for each in map(tokenizer.vocabulary.tokens.__getitem__, ids)]
    if not answer.model.is_subword or not any(words):
        return ""
    place = words.index(max(words, key=len))
    return f"{tokenizer.decode(ids[:place])} {words[place][0]}".strip()


def _ask_beginning(tokenizer: Tokenizer, most: int, example: str) -> None:
    """A box for words that the translation shall begin with, of at most as many tokens; left empty, the example."""
    with st.form("beginning", border=False):
        field, button = st.columns([2, 1], vertical_alignment="bottom")
        field.text_input("Or type a beginning", key=_BOX, max_chars=200, placeholder=example)
        button.form_submit_button(
            "Go on", on_click=_begin_so, args=(tokenizer, most, example), width="stretch"
        )
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error(plain(problem), icon=":material/error:")


def _begin_so(tokenizer: Tokenizer, most: int, example: str) -> None:
    text = st.session_state.get(_BOX) or example
    ids = tokenizer.encode(text)
    unknown_id = tokenizer.vocabulary.unknown_id
    if unknown_id in ids:
        unknown = tokenizer.tokens(text)[ids.index(unknown_id)]
        st.session_state[_PROBLEM] = f"The model has no token for “{unknown}”. Begin with other words."
        return
    beginning = Beginning.typed(ids)
    try:
        beginning.check(tokenizer.vocabulary, most)
    except BeginningError as error:
        st.session_state[_PROBLEM] = f"The model cannot go on from there. {error}"
        return
    _set(beginning)
    st.session_state[_BOX] = ""  # what was typed stands beside it now, and in the address
    set_value(_STEP, len(ids) + 1)


def _explain_step(step: DecodingStep, is_forced: bool) -> None:
    who = "You chose it" if is_forced else "The search chose it"
    rank = "the likeliest token" if step.chosen.rank == 1 else f"number {step.chosen.rank:,} of all tokens"
    st.caption(
        f"{who}: **{plain(step.chosen.token)}**, {rank}, log P = {step.chosen.log_probability:z.3f} nats. The "
        "bars: probability of the next token, given the source and all tokens before. The heatmap: cross-attention of "
        "this step, the mean over each layer's heads. It shows what the step attended to, not why it chose the token."
    )


def show_beginning(beginning: Beginning, tokenizer: Tokenizer) -> None:
    """What was said, with its Undo, where no step shows it; nothing where nothing was said."""
    if beginning.ids:
        text, undo = st.columns([7, 1], vertical_alignment="center")
        text.markdown(f"Your beginning: **{plain(tokenizer.decode(beginning.ids))}** …")
        with undo:
            _show_undo(beginning)


def show_tree(tree: BeamTree, tokenizer: Tokenizer) -> None:
    """The tree with a slider over its steps, and what decided."""
    if tree.steps:
        show_steps(len(tree.steps), "beam_step", partial(_show_beam_step, tree, tokenizer))
    st.markdown(f"**Why the winner won.** {_why_it_won(tree, tokenizer)}")
    table = pd.DataFrame(
        {
            "Hypothesis": [tokenizer.decode(end.ids) for end in tree.best],
            "log P": [end.log_probability for end in tree.best],
            "Tokens": [len(end.ids) for end in tree.best],
            "Penalty": [end.penalty for end in tree.best],
            "Score": [end.score for end in tree.best],
            "": [f"complete at step {end.step + 1}" if end.finished else "truncated" for end in tree.best],
        }
    )
    number = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(
        for_display(table),
        hide_index=True,
        column_config=dict.fromkeys(("log P", "Penalty", "Score"), number),
        alt="The best hypotheses at the end",
    )


def _show_beam_step(tree: BeamTree, tokenizer: Tokenizer, number: int) -> None:
    show_figure(
        beam_tree_figure(tree, number, tokenizer.decode),
        alt=f"The tree of the beam search after step {number}",
        key="beam_tree",
    )
    statuses = [child.status for child in tree.steps[number - 1]]
    st.caption(
        f"Step {number}: of {len(statuses)} hypotheses, {statuses.count(BeamStatus.LIVE)} are kept, "
        f"{statuses.count(BeamStatus.FINISHED)} complete, {statuses.count(BeamStatus.PRUNED)} pruned. Each beam offers "
        "its likeliest tokens; the rank is that of log P so far. Other continuations are not in the tree."
    )


def _why_it_won(tree: BeamTree, tokenizer: Tokenizer) -> str:
    """The winner beside the likeliest of the others, in a sentence or two."""
    winner, *others = tree.best
    if not others:
        return "It is the only hypothesis."
    if not winner.finished:
        return (
            "No hypothesis was complete within the limit of tokens: the best of the truncated ones is taken."
        )
    complete = [end for end in others if end.finished]
    if not complete:
        return "It is the only complete hypothesis; the others were truncated at the limit of tokens."
    likeliest = max(complete, key=lambda end: end.log_probability)
    quotient, other = (
        f"{end.log_probability:z.3f} / {end.penalty:z.3f} = {end.score:z.3f}" for end in (winner, likeliest)
    )
    if likeliest.log_probability <= winner.log_probability:
        return f"No complete hypothesis is likelier, and its score is the best: {quotient}."
    return (
        f"“{plain(tokenizer.decode(likeliest.ids))}” is likelier (log P {likeliest.log_probability:z.3f}), but shorter: "
        f"its score is {other}, the winner's {quotient}. The length penalty made the difference."
    )


def show_samples(hypotheses: tuple[Hypothesis, ...]) -> None:
    """A card for each sample."""
    for first in range(0, len(hypotheses), _ACROSS):
        places = st.columns(min(_ACROSS, len(hypotheses)))
        for number, (place, sample) in enumerate(
            zip(places, hypotheses[first:], strict=False), start=first + 1
        ):
            with place.container(border=True, key=f"sample_{number}"):
                st.markdown(f"**{plain(sample.text) or '(nothing)'}**")
                cut = "" if sample.finished else " · truncated"
                st.caption(
                    f"Sample {number} · log P {sample.log_probability:z.2f} · {sample.mean_probability:.0%} a token · "
                    f"{len(sample.ids)} tokens{cut}"
                )
    different = len({each.ids for each in hypotheses})
    st.caption(
        f"{different} of {len(hypotheses)} are different. log P is the model's own, without temperature, top-k and "
        "top-p: a low temperature draws likelier samples, a high one more varied ones. The same seed draws the same "
        "samples."
    )


def main() -> None:
    answer = show_translation(current_workspace(), "decoding", search_on_page=True)
    beginning = current_beginning(answer)
    code: dict[str, Callable[..., Any]] = {
        "greedy": greedy_search,
        "beam": beam_search,
        "sample": kept_probabilities,
    }
    kind = "sample" if answer.decoding.samples else "beam" if answer.decoding.beam_size > 1 else "greedy"
    try:
        written = written_from(answer, beginning)
        part = choose_part(answer.decoding)
        if part == "tree" and written.tree is None:
            part = "steps"  # the beginning is a whole translation: nothing was searched
        if part != "steps":
            show_beginning(beginning, _target(answer))
        if part == "samples":
            show_samples(written.hypotheses)
        elif part == "tree" and written.tree is not None:
            show_tree(written.tree, _target(answer))
        else:
            show_writing(answer, written.hypotheses[0], beginning)
    except ValueError as error:
        end_with(error)
    show_lesson(PAGE_TEXTS["decoding"].views[kind], (code[kind],))


if __name__ == "__main__":
    main()
